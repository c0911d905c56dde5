//! Where the threads of a process are, looked at from outside every so much of their running time.
//!
//! Nothing is needed in the process for it: a function of a few nanoseconds, which no event can time
//! without taking longer than the function itself, is seen as the compiler made it.
//!
//! ```text
//!   each thread: event of the kernel ──► ring ──► now and then: samples
//! ```

use std::collections::BTreeMap;
use std::time::Duration;

use crate::perf_event::{PerfEvent, SampleContent, StackSample};
use crate::threads;

/// The threads of one process that are sampled.
#[derive(Debug)]
pub struct Sampling {
    content: SampleContent,
    period: Duration,
    threads: BTreeMap<u32, PerfEvent>,
}

/// Whether the threads of a process are sampled.
///
/// ```text
///          follow
///   Off ◄──────────► On        either of them ──the system does not allow it──► Refused
///           rest
/// ```
#[derive(Debug, Default)]
pub enum Sampler {
    /// They are not.
    #[default]
    Off,
    /// They are.
    On(Sampling),
    /// The system does not allow it, for the life of the process.
    Refused,
}

impl Sampler {
    /// Samples the threads that there are now, every `period` that they run. What it began with stays.
    pub fn follow(&mut self, pid: u32, period: Duration, content: SampleContent) {
        let mut sampling = match std::mem::replace(self, Self::Refused) {
            Self::Refused => return,
            Self::Off => Sampling { content, period, threads: BTreeMap::new() },
            Self::On(sampling) => sampling,
        };
        if sampling.follow(pid) {
            *self = Self::On(sampling);
        }
    }

    /// Samples none until it is asked to again.
    pub fn rest(&mut self) {
        if let Self::On(_) = self {
            *self = Self::Off;
        }
    }

    /// What is sampled.
    pub const fn sampling(&mut self) -> Option<&mut Sampling> {
        if let Self::On(sampling) = self { Some(sampling) } else { None }
    }
}

impl Sampling {
    /// Takes in threads that came since, and lets go of those that ended; false when one cannot be sampled.
    fn follow(&mut self, pid: u32) -> bool {
        let there = threads::of(pid);
        if there.is_empty() {
            return true;
        }
        self.threads.retain(|tid, _| there.contains(tid));
        let mut is_allowed = true;
        for tid in there {
            if self.threads.contains_key(&tid) {
                continue;
            }
            match PerfEvent::open(tid, self.period, self.content) {
                Ok(event) => {
                    self.threads.insert(tid, event);
                }
                // It ended in between.
                Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
                Err(_) => is_allowed = false,
            }
        }
        is_allowed
    }

    /// The running time that a sample stands for.
    #[must_use]
    pub const fn period(&self) -> Duration {
        self.period
    }

    /// Whether a thread is sampled.
    pub(crate) fn has(&self, tid: u32) -> bool {
        self.threads.contains_key(&tid)
    }

    /// Takes the addresses at which threads were since the last time; answers how many samples were lost.
    pub fn drain_places(&mut self, mut take: impl FnMut(u64)) -> u64 {
        self.threads.values_mut().map(|event| event.drain_places(&mut take)).sum()
    }

    /// Takes copies of the stacks of threads since the last time; answers how many samples were lost.
    pub(crate) fn drain_stacks(&mut self, mut take: impl FnMut(u32, StackSample)) -> u64 {
        let threads = self.threads.iter_mut();
        threads.map(|(tid, event)| event.drain_stacks(|sample| take(*tid, sample))).sum()
    }
}
