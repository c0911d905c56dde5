//! One thread's event of the kernel's: every so much of its running time its place is put into a ring.

use std::fmt;
use std::io;

use perf_event::events::Software;
use perf_event::{Builder, SampleFlag, Sampler};
use whyperf_model::Nanos;

/// A thread that is sampled.
pub(super) struct PerfEvent(Sampler);

impl fmt::Debug for PerfEvent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PerfEvent").finish_non_exhaustive()
    }
}

impl PerfEvent {
    /// Samples a thread of another process every `period` that it runs outside of the kernel.
    ///
    /// # Errors
    /// When the kernel does not allow it, or the thread is gone.
    pub(super) fn open(tid: u32, period: Nanos) -> io::Result<Self> {
        let tid = libc::pid_t::try_from(tid).map_err(|_| io::ErrorKind::InvalidInput)?;
        let mut wanted = Builder::new(Software::TASK_CLOCK);
        wanted.observe_pid(tid).any_cpu().sample_period(period.0).sample(SampleFlag::IP);
        let event = wanted.enabled(true).build()?;
        Ok(Self(event.sampled(DATA)?))
    }

    /// Takes the addresses at which it was since the last time; answers how many samples found no room.
    pub(super) fn drain(&mut self, mut take: impl FnMut(u64)) -> u64 {
        let mut lost = 0;
        while let Some(record) = self.0.next_record() {
            // The library's own parser puts each sample on the heap.
            let words = record.to_contiguous();
            let word =
                |at: usize| words.as_chunks::<8>().0.get(at).copied().map(u64::from_ne_bytes);
            match record.ty() {
                SAMPLE => take(word(0).unwrap_or(0)),
                LOST => lost += word(1).unwrap_or(0),
                _ => {}
            }
        }
        lost
    }
}

/// Kinds of records: of a sample the first word is the address, of lost ones the second is how many.
const SAMPLE: u32 = 9;
const LOST: u32 = 2;
/// Bytes of records: more than a second's, a power of two.
const DATA: usize = 4 * 4096;

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
        let Ok(mut event) = event else { return };
        let mut seen = 0;
        let mut sum = 0u64;
        while seen < 5 {
            sum = (0..100_000).fold(sum, |sum, at| std::hint::black_box(sum ^ at));
            event.drain(|address| seen += u32::from(address != 0));
        }
    }
}
