//! One thread's event of the kernel's: after each so much of its running time, the kernel puts its program counter, or its
//! stack too, into a ring.
//!
//! The thread is not stopped for it, and no system call of it is disturbed. Time in the kernel brings no sample.

use std::fmt;
use std::io;
use std::time::Duration;

use perf_event::events::Software;
use perf_event::{Builder, Clock, SampleFlag, Sampler};

use crate::perf_record::{self, WANTED_REGISTERS};
use crate::walk::StackCopy;

/// A thread that is sampled.
pub(crate) struct PerfEvent {
    sampler: Sampler,
    content: SampleContent,
}

/// What each sample holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleContent {
    /// The address of the next instruction.
    Place,
    /// The registers and the inner end of the stack.
    Stack,
}

/// What the kernel wrote of a thread at one moment.
#[derive(Debug)]
pub(crate) struct StackSample {
    /// Nanoseconds of the monotonic clock.
    pub(crate) time: u64,
    pub(crate) stack: StackCopy,
}

impl fmt::Debug for PerfEvent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PerfEvent").field("content", &self.content).finish_non_exhaustive()
    }
}

impl PerfEvent {
    /// Samples a thread of another process every `period` that it runs.
    ///
    /// # Errors
    /// When the kernel does not allow it, has no memory for the ring, or the thread is gone.
    pub(crate) fn open(tid: u32, period: Duration, content: SampleContent) -> io::Result<Self> {
        let period = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX);
        let tid = libc::pid_t::try_from(tid).map_err(|_| io::ErrorKind::InvalidInput)?;
        let mut wanted = Builder::new(Software::TASK_CLOCK);
        wanted.observe_pid(tid).any_cpu().sample_period(period).enabled(true);
        let room = match content {
            SampleContent::Place => {
                wanted.sample(SampleFlag::IP);
                ROOM_FOR_PLACES
            }
            SampleContent::Stack => {
                wanted.sample(SampleFlag::TIME | SampleFlag::REGS_USER | SampleFlag::STACK_USER);
                wanted.sample_regs_user(WANTED_REGISTERS).sample_stack_user(STACK);
                wanted.clockid(Clock::MONOTONIC);
                ROOM_FOR_STACKS
            }
        };
        Ok(Self { sampler: wanted.build()?.sampled(room)?, content })
    }

    /// Takes the addresses at which it was since the last time; answers how many samples found no room.
    pub(crate) fn drain_places(&mut self, mut take: impl FnMut(u64)) -> u64 {
        perf_record::drain(&mut self.sampler, |record| take(record.word(0).unwrap_or(0)))
    }

    /// Takes copies of its stack since the last time; answers how many samples found no room.
    pub(crate) fn drain_stacks(&mut self, mut take: impl FnMut(StackSample)) -> u64 {
        perf_record::drain(&mut self.sampler, |record| {
            if let Some((time, stack)) = record.word(0).zip(record.stack(1)) {
                take(StackSample { time, stack });
            }
        })
    }
}

/// Bytes of a stack in a sample.
pub(crate) const STACK: u32 = 16 << 10;
/// Bytes of records, powers of two: more than a second's places; some stacks, which are taken out more often.
const ROOM_FOR_PLACES: usize = 4 * 4096;
pub(crate) const ROOM_FOR_STACKS: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::needs;

    fn own_event(content: SampleContent) -> PerfEvent {
        let own = rustix::thread::gettid().as_raw_nonzero().get();
        let event = PerfEvent::open(own as u32, Duration::from_micros(200), content);
        needs::is_met("sampling", event.is_ok());
        event.expect("it is excused by nobody")
    }

    fn compute() {
        let sum = (0..100_000).fold(0u64, |sum, at| std::hint::black_box(sum ^ at));
        std::hint::black_box(sum);
    }

    #[test]
    fn a_thread_that_is_gone_is_not_sampled() {
        let tid = std::thread::spawn(|| rustix::thread::gettid().as_raw_nonzero().get());
        let event =
            |tid: i32| PerfEvent::open(tid as u32, Duration::from_nanos(1), SampleContent::Place);
        assert!(tid.join().is_ok_and(|gone| event(gone).is_err()));
    }

    #[test]
    fn a_thread_that_computes_is_seen_to() {
        let mut event = own_event(SampleContent::Place);
        let mut seen = 0;
        while seen < 5 {
            compute();
            event.drain_places(|address| seen += u32::from(address != 0));
        }
    }

    #[test]
    fn a_copy_of_a_stack_holds_what_lies_on_it() {
        let mut event = own_event(SampleContent::Stack);
        let mark = std::hint::black_box([0x5EED_u64; 4]);
        let at = mark.as_ptr().addr() as u64;
        let mut found = 0;
        let mut times = Vec::new();
        while found < 3 {
            compute();
            event.drain_stacks(|sample| {
                times.push(sample.time);
                found += u32::from(sample.stack.word(at) == Some(0x5EED));
            });
        }
        assert!(times.is_sorted(), "{times:?}");
        std::hint::black_box(mark);
    }
}
