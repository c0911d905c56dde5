//! One thread's event of the kernel's: every so much of its running time its place is put into a ring.

use std::fs::File;
use std::io;
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicU64, Ordering, compiler_fence};

use whyperf_inject::{Access, Mapping};
use whyperf_model::Nanos;

/// A thread that is sampled.
#[derive(Debug)]
pub(super) struct PerfEvent {
    ring: Mapping,
    /// The ring lives as long as this is open.
    _file: File,
}

impl PerfEvent {
    /// Samples a thread of another process every `period` that it runs outside of the kernel.
    ///
    /// # Errors
    /// When the kernel does not allow it, or the thread is gone.
    pub(super) fn open(tid: u32, period: Nanos) -> io::Result<Self> {
        let tid = libc::pid_t::try_from(tid).map_err(|_| io::ErrorKind::InvalidInput)?;
        let attributes = attributes(period);
        // SAFETY: the kernel reads as many bytes as the first word says, which is how long they are.
        let number = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                attributes.as_ptr(),
                tid,
                -1,
                -1,
                CLOSE_ON_EXEC,
            )
        };
        let number = i32::try_from(number).unwrap_or(-1);
        if number < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was just opened, and nothing else owns it.
        let file = unsafe { File::from_raw_fd(number) };
        let ring = Mapping::of(&file, 0, PAGE + DATA, Access::Write)?;
        Ok(Self { ring, _file: file })
    }

    /// Takes the addresses at which it was since the last time; answers how many samples found no room.
    pub(super) fn drain(&self, mut take: impl FnMut(u64)) -> u64 {
        let place = |offset| self.ring.at::<AtomicU64>(offset);
        let (Some(head), Some(tail)) = (place(HEAD), place(TAIL)) else { return 0 };
        let Some(data) = self.ring.slice::<AtomicU64>(PAGE, DATA / 8) else { return 0 };
        let end = head.load(Ordering::Relaxed);
        // The kernel fills the ring before it says so, and this processor reads in order.
        compiler_fence(Ordering::SeqCst); // SYNC samples with PerfEvent::drain
        let mut at = tail.load(Ordering::Relaxed);
        // Records are whole words, and the kernel stops writing where we have not read.
        if end.wrapping_sub(at) > DATA as u64 || !(at | end).is_multiple_of(8) {
            at = end;
        }
        let word = |at: u64| data[(at / 8) as usize % data.len()].load(Ordering::Relaxed);
        let mut lost = 0;
        while at != end {
            let header = word(at);
            let length = header >> 48;
            if length < 8 || !length.is_multiple_of(8) || length > end.wrapping_sub(at) {
                break;
            }
            let field = |number: u64| (8 * number < length).then(|| word(at + 8 * number));
            match header as u32 {
                SAMPLE => take(field(1).unwrap_or(0)),
                LOST => lost += field(2).unwrap_or(0),
                _ => {}
            }
            at += length;
        }
        // The kernel writes over what was read.
        compiler_fence(Ordering::SeqCst); // SYNC samples with PerfEvent::drain
        tail.store(end, Ordering::Relaxed);
        lost
    }
}

/// What is asked of the kernel, in its layout.
const fn attributes(period: Nanos) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    words[0] = SOFTWARE | (8 * WORDS as u64) << 32;
    words[1] = TASK_CLOCK;
    words[2] = period.0;
    words[3] = WITH_ADDRESS;
    words[5] = WITHOUT_KERNEL | WITHOUT_HYPERVISOR;
    words
}

/// Words of the attributes, those of the fifth version.
const WORDS: usize = 14;
const SOFTWARE: u64 = 1;
const TASK_CLOCK: u64 = 1;
const WITH_ADDRESS: u64 = 1;
const WITHOUT_KERNEL: u64 = 1 << 5;
const WITHOUT_HYPERVISOR: u64 = 1 << 6;
const CLOSE_ON_EXEC: u64 = 8;
/// Kinds of records.
const SAMPLE: u32 = 9;
const LOST: u32 = 2;

/// Offsets in the first page: how far the kernel wrote, and how far we read.
const HEAD: usize = 1024;
const TAIL: usize = 1032;
const PAGE: usize = 4096;
/// Bytes of records: more than a second's, a power of two.
const DATA: usize = 4 * PAGE;

#[cfg(test)]
#[expect(dead_code, reason = "it needs a right, no programs")]
#[path = "../../../tests/needs.rs"]
mod needs;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_computes_is_seen_to() {
        let tid = std::thread::spawn(|| rustix::thread::gettid().as_raw_nonzero().get());
        let own = rustix::thread::gettid().as_raw_nonzero().get();
        assert!(tid.join().is_ok_and(|other| PerfEvent::open(other as u32, Nanos(1)).is_err()));
        let event = PerfEvent::open(own as u32, Nanos(200_000));
        needs::is_met("sampling", event.is_ok());
        let Ok(event) = event else { return };
        let mut seen = 0;
        let mut sum = 0u64;
        while seen < 5 {
            sum = (0..100_000).fold(sum, |sum, at| std::hint::black_box(sum ^ at));
            event.drain(|address| seen += u32::from(address != 0));
        }
    }
}
