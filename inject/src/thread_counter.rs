//! A counter of one thread: how much was counted, and where the thread was at some of the events.
//!
//! ```text
//!   events of the thread   x x xx x   x  x x x xx x x x   x x
//!   count                  1 2 34 5   6  7 8 9 ...              exact, read whenever it is wanted
//!   samples                ^      ^      ^     ^    ^     ^     each after so many events: see counter_period
//! ```
//! A sample says how much was counted by then: it stands for the events since the one before. The thread is never stopped
//! for it.
//!
//! A counter of the kernel needs two events, one that counts and one that samples: where samples come too fast, the kernel
//! stops the sampling event for a while, and its count misses that time. The processor has few counters, so there one event
//! does both.

use std::fmt;
use std::io;
use std::sync::{Mutex, PoisonError};

use perf_event::{Clock, Counter, ReadFormat, SampleFlag, Sampler};

use crate::counted_event::CountedEvent;
use crate::counter_period::CounterPeriod;
use crate::monotonic::now;
use crate::perf_event::{ROOM_FOR_STACKS, STACK};
use crate::perf_period;
use crate::perf_record::{self, WANTED_REGISTERS};
use crate::walk::StackCopy;

/// A counter of a thread. It is read by one thread of ours and its samples are taken by another.
pub struct ThreadCounter {
    /// `None` where what samples counts, too.
    count: Option<Mutex<CountSource>>,
    samples: Option<Mutex<SampleSource>>,
    scope: CountedScope,
}

enum CountSource {
    Counter(Counter),
    /// A file of the system's says it.
    Told {
        event: CountedEvent,
        pid: u32,
        tid: u32,
    },
}

struct SampleSource {
    sampler: Sampler,
    period: CounterPeriod,
    /// What was counted at the newest sample.
    newest: u64,
    /// When the period was changed: the first sample after that comes at once, whatever the period is.
    changed: Option<u64>,
}

/// Whether it is known where a thread was when something was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterSampling {
    /// At some of the events.
    Stacks,
    /// The system does not allow it, or there is no room for samples.
    Refused,
}

/// Which of the thread's events are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedScope {
    /// All.
    All,
    /// Those in its own code: what the kernel does for it the system does not show to this user.
    OwnCode,
}

/// What a counter says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CounterReading {
    /// Events, as far as they were counted.
    pub count: u64,
    /// Nanoseconds for which the thread had it, and for which it counted: the processor may have fewer counters than are asked for.
    pub enabled: u64,
    /// See `enabled`.
    pub running: u64,
}

/// Where a thread was at an event.
#[derive(Debug)]
pub(crate) struct CountedStack {
    /// Nanoseconds of the monotonic clock.
    pub(crate) time: u64,
    /// Events that it stands for.
    pub(crate) weight: u64,
    pub(crate) stack: StackCopy,
}

impl CounterReading {
    /// The count, for all of the time that the thread had it; an estimate where it did not count all of that. `None` where it never did.
    #[must_use]
    pub fn scaled(self) -> Option<u64> {
        match (self.enabled, self.running) {
            (0, 0) => Some(self.count),
            (_, 0) => None,
            (enabled, running) if enabled <= running => Some(self.count),
            (enabled, running) => {
                let scaled = u128::from(self.count) * u128::from(enabled) / u128::from(running);
                Some(u64::try_from(scaled).unwrap_or(u64::MAX))
            }
        }
    }

    /// Whether it counted all of the time, but for the moment in which it is set up.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        self.enabled <= self.running.saturating_add(self.enabled / 1000)
    }
}

impl fmt::Debug for ThreadCounter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sampling, scope) = (self.sampling(), self.scope);
        out.debug_struct("ThreadCounter")
            .field("sampling", &sampling)
            .field("scope", &scope)
            .finish_non_exhaustive()
    }
}

impl ThreadCounter {
    /// Counts an event of a thread of another process, and samples its stack so often a second at most.
    ///
    /// # Errors
    /// When the machine has no such counter, the system does not allow it, or the thread is gone.
    pub fn open(event: CountedEvent, [pid, tid]: [u32; 2], frequency: u64) -> io::Result<Self> {
        let thread = libc::pid_t::try_from(tid).map_err(|_| io::ErrorKind::InvalidInput)?;
        let of_scope = |scope| Perf { event, thread, scope }.open(frequency);
        let opened = of_scope(CountedScope::All).or_else(|error| match error.kind() {
            io::ErrorKind::PermissionDenied if !event.is_of_kernel() => {
                of_scope(CountedScope::OwnCode)
            }
            _ => Err(error),
        });
        match opened {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                event.since_birth(pid, tid).ok_or(error)?;
                let count = Some(Mutex::new(CountSource::Told { event, pid, tid }));
                Ok(Self { count, samples: None, scope: CountedScope::All })
            }
            other => other,
        }
    }

    /// Whether it is known where the thread was.
    pub const fn sampling(&self) -> CounterSampling {
        if self.samples.is_some() { CounterSampling::Stacks } else { CounterSampling::Refused }
    }

    /// Which events it counts.
    pub const fn scope(&self) -> CountedScope {
        self.scope
    }

    /// What it says now, or said last of a thread that ended; `None` when it cannot be read.
    pub fn read(&self) -> Option<CounterReading> {
        if let Some(count) = &self.count {
            let mut source = count.lock().unwrap_or_else(PoisonError::into_inner);
            return match &mut *source {
                CountSource::Counter(counter) => reading(counter),
                CountSource::Told { event, pid, tid } => {
                    let count = event.since_birth(*pid, *tid)?;
                    Some(CounterReading { count, ..CounterReading::default() })
                }
            };
        }
        let mut samples = self.samples.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        reading(samples.sampler.as_counter_mut())
    }

    /// Takes where the thread was since the last time, and lets the period follow the rate; answers how many samples found no room.
    pub(crate) fn drain(&self, take: impl FnMut(CountedStack)) -> u64 {
        let Some(samples) = &self.samples else { return 0 };
        samples.lock().unwrap_or_else(PoisonError::into_inner).drain(take)
    }
}

fn reading(counter: &mut Counter) -> Option<CounterReading> {
    let read = counter.read_count_and_time().ok()?;
    let (count, enabled, running) = (read.count, read.time_enabled, read.time_running);
    Some(CounterReading { count, enabled, running })
}

impl SampleSource {
    fn drain(&mut self, mut take: impl FnMut(CountedStack)) -> u64 {
        let Self { sampler, period, newest, changed } = self;
        let lost = perf_record::drain(sampler, |record| {
            let Some((time, count)) = record.word(0).zip(record.word(1)) else { return };
            let events = count.saturating_sub(std::mem::replace(newest, count));
            if changed.take_if(|changed| time >= *changed).is_some() {
                return;
            }
            // One that comes after others were lost knows no better than they where the thread was.
            let weight = events.min(period.get().saturating_mul(2));
            if let Some(stack) = record.stack(4).filter(|_| weight > 0) {
                take(CountedStack { time, weight, stack });
            }
        });
        let now = now();
        let counted = sampler.as_counter_mut().read().unwrap_or(*newest);
        if let Some(next) = period.follow(counted, now)
            && perf_period::set(sampler, next).is_ok()
        {
            *changed = Some(now);
        }
        lost
    }
}

/// What the kernel is asked for.
#[derive(Clone, Copy)]
struct Perf {
    event: CountedEvent,
    thread: libc::pid_t,
    scope: CountedScope,
}

impl Perf {
    fn open(self, frequency: u64) -> io::Result<ThreadCounter> {
        let samples = self.samples(frequency).ok().map(Mutex::new);
        let is_counted = samples.is_none() || self.event.is_of_system();
        let count = if is_counted { Some(CountSource::Counter(self.counter()?)) } else { None };
        Ok(ThreadCounter { count: count.map(Mutex::new), samples, scope: self.scope })
    }

    fn counter(self) -> io::Result<Counter> {
        self.wanted().build()
    }

    fn samples(self, frequency: u64) -> io::Result<SampleSource> {
        let [begin, least] = self.event.periods(frequency);
        let period = CounterPeriod::new(begin, least, frequency);
        let mut wanted = self.wanted();
        wanted.sample_period(period.get());
        let (told, stack) =
            (SampleFlag::TIME | SampleFlag::READ, SampleFlag::REGS_USER | SampleFlag::STACK_USER);
        wanted.sample(told | stack).sample_regs_user(WANTED_REGISTERS).sample_stack_user(STACK);
        wanted.clockid(Clock::MONOTONIC);
        let sampler = wanted.build()?.sampled(ROOM_FOR_STACKS)?;
        Ok(SampleSource { sampler, period, newest: 0, changed: None })
    }

    fn wanted(self) -> perf_event::Builder<'static> {
        let mut wanted = self.event.builder();
        wanted.observe_pid(self.thread).any_cpu().enabled(true);
        wanted.read_format(ReadFormat::TOTAL_TIME_ENABLED | ReadFormat::TOTAL_TIME_RUNNING);
        if self.scope == CountedScope::All {
            wanted.include_kernel();
        }
        wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::needs;

    fn of_own_thread(event: CountedEvent) -> ThreadCounter {
        let tid = rustix::thread::gettid().as_raw_nonzero().get() as u32;
        let opened = ThreadCounter::open(event, [std::process::id(), tid], 100);
        let is_sampled = |opened: &ThreadCounter| opened.sampling() == CounterSampling::Stacks;
        needs::is_met("sampling", opened.as_ref().is_ok_and(is_sampled));
        opened.expect("it is excused by nobody")
    }

    #[test]
    fn a_thread_s_faults_are_counted_and_weighed() {
        let event = CountedEvent::PageFaults;
        let tid = rustix::thread::gettid().as_raw_nonzero().get() as u32;
        let by_system = || event.since_birth(std::process::id(), tid).expect("it lives");
        let counter = of_own_thread(event);
        let read = || counter.read().and_then(CounterReading::scaled).expect("it is open");
        let (before, told_before) = (read(), by_system());
        while by_system() < told_before + 500 {
            // So much goes back to the system each time.
            let memory = std::hint::black_box(vec![1_u8; 40 << 20]);
            drop(memory);
        }
        let (counted, told) = (read() - before, by_system() - told_before);
        assert!(counted.abs_diff(told) <= told / 100, "{counted} and {told}");
        let (mut samples, mut weights) = (0, 0);
        let lost = counter.drain(|stack| {
            samples += 1;
            weights += stack.weight;
        });
        assert!(samples > 0 && weights <= read(), "{samples} of {weights}, {lost} lost");
    }

    #[test]
    fn a_counter_that_took_turns_is_scaled() {
        let reading = CounterReading { count: 100, enabled: 3000, running: 1000 };
        assert_eq!((reading.scaled(), reading.is_exact()), (Some(300), false));
        let whole = CounterReading { running: 3000, ..reading };
        assert_eq!((whole.scaled(), whole.is_exact()), (Some(100), true));
        assert_eq!(CounterReading { running: 0, ..reading }.scaled(), None);
        assert_eq!(CounterReading { count: 7, ..CounterReading::default() }.scaled(), Some(7));
    }
}
