//! Samples the running threads of a process from outside, each after so much of its running time.
//!
//! The process needs nothing for that: a function of a few nanoseconds, which no event can time without taking longer than
//! the function itself, is seen as the compiler made it.
//!
//! ```text
//!   each thread: event of the kernel ──► ring ──► now and then: samples
//!                  │
//!                  └─ put on and off its processor with the thread: each turn costs, too
//! ```

use std::collections::BTreeMap;
use std::time::Duration;

use crate::perf_event::{PerfEvent, SampleContent, StackSample};
use crate::schedstat::Schedstat;
use crate::threads;

/// The threads of one process that are sampled.
#[derive(Debug)]
pub struct Sampling {
    pid: u32,
    content: SampleContent,
    period: Duration,
    threads: BTreeMap<u32, SamplingThread>,
}

#[derive(Debug)]
struct SamplingThread {
    event: PerfEvent,
    /// What the scheduler had counted of it when that was asked last; none where it does not count.
    counted: Option<Schedstat>,
}

/// How often threads got a processor, by the scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    /// All of them together.
    pub all: u64,
    /// The one that got it most often.
    pub most: u64,
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
            Self::Off => Sampling { pid, content, period, threads: BTreeMap::new() },
            Self::On(sampling) => sampling,
        };
        if sampling.follow() {
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
    fn follow(&mut self) -> bool {
        let there = threads::of(self.pid);
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
                    let counted = Schedstat::of(self.pid, tid);
                    self.threads.insert(tid, SamplingThread { event, counted });
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

    /// How often its threads got a processor since this was asked last, or since they are sampled.
    pub fn take_turns(&mut self) -> Turns {
        let pid = self.pid;
        let each = self.threads.iter_mut().filter_map(|(tid, thread)| {
            let now = Schedstat::of(pid, *tid)?;
            Some(now.since(thread.counted.replace(now)?).turns)
        });
        each.fold(Turns::default(), |sum, one| Turns {
            all: sum.all + one,
            most: sum.most.max(one),
        })
    }

    /// Whether a thread is sampled.
    pub(crate) fn has(&self, tid: u32) -> bool {
        self.threads.contains_key(&tid)
    }

    /// Takes the addresses at which threads were since the last time; answers how many samples were lost.
    pub fn drain_places(&mut self, mut take: impl FnMut(u64)) -> u64 {
        self.threads.values_mut().map(|thread| thread.event.drain_places(&mut take)).sum()
    }

    /// Takes copies of the stacks of threads since the last time; answers how many samples were lost.
    pub(crate) fn drain_stacks(&mut self, mut take: impl FnMut(u32, StackSample)) -> u64 {
        let threads = self.threads.iter_mut();
        threads.map(|(tid, thread)| thread.event.drain_stacks(|sample| take(*tid, sample))).sum()
    }
}
