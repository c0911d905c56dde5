//! Where the threads of a process are, looked at from outside every so much of their running time.
//!
//! Nothing is needed in the process for it: a function of a few nanoseconds, which no event can time
//! without taking longer than the function itself, is seen as the compiler made it.
//!
//! ```text
//!   each thread: event of the kernel ──► ring ──► each pass: samples
//! ```

mod event;

use std::collections::BTreeMap;

use whyperf_inject::threads;
use whyperf_model::Nanos;

use self::event::PerfEvent;

/// The threads of one process that are sampled.
#[derive(Debug)]
pub(crate) struct Sampling {
    period: Nanos,
    threads: BTreeMap<u32, PerfEvent>,
    /// Threads that could not be, but were there.
    refused: bool,
}

impl Sampling {
    /// Begins with the threads that there are; `None` where the system does not allow it.
    pub(crate) fn begin(pid: u32, period: Nanos) -> Option<Self> {
        let mut sampling = Self { period, threads: BTreeMap::new(), refused: false };
        sampling.follow(pid);
        (!sampling.threads.is_empty() && !sampling.refused).then_some(sampling)
    }

    /// Takes in threads that came since, and lets go of those that ended; false when one cannot be sampled.
    pub(crate) fn follow(&mut self, pid: u32) -> bool {
        let there = threads::of(pid);
        if there.is_empty() {
            return true;
        }
        self.threads.retain(|tid, _| there.contains(tid));
        for tid in there {
            if self.threads.contains_key(&tid) {
                continue;
            }
            match PerfEvent::open(tid, self.period) {
                Ok(event) => {
                    self.threads.insert(tid, event);
                }
                // It ended in between.
                Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
                Err(_) => self.refused = true,
            }
        }
        !self.refused
    }

    /// The running time that a sample stands for.
    pub(crate) const fn period(&self) -> Nanos {
        self.period
    }

    /// Takes the addresses at which threads were since the last time; answers how many samples were lost.
    pub(crate) fn drain(&mut self, mut take: impl FnMut(u64)) -> u64 {
        self.threads.values_mut().map(|event| event.drain(&mut take)).sum()
    }
}
