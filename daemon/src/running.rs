//! What the operating system says of a thread: for how long it ran, as a bound on what it computed, and for how long it could
//! have run and had no processor.

use std::fs::File;
use std::os::unix::fs::FileExt;

use whyperf_inject::Schedstat;
use whyperf_model::Nanos;

use crate::kept::Kept;

/// The meter of one thread.
#[derive(Debug, Default)]
pub(crate) struct Running {
    file: Option<Kept<File>>,
    unreadable: bool,
    /// What the system had counted when it was last read.
    before: Option<Schedstat>,
    /// Computed but not seen to run yet, and run but not yet seen computing: clocks of the
    /// scheduler tick coarsely, so a little of each is carried over.
    debt: u64,
    credit: u64,
    /// Run delay for which no time was seen yet in which it did not run. The system tells of a delay when it is over: the
    /// intervals that lie inside of it are past then, and those of the next delay stand for them.
    delay: u64,
}

/// A thread's time in an interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadInterval {
    /// What it computed, by its events.
    pub(crate) computed: Nanos,
    /// All of it.
    pub(crate) lived: Nanos,
}

impl ThreadInterval {
    /// How much run delay is carried over at most: in one that computed nearly all the time it was no other time's.
    fn most_delay(self) -> u64 {
        let others = self.lived - self.computed;
        if others.0 * 20 <= self.lived.0 { LONGEST_DELAY } else { CARRIED }
    }
}

/// What became of the time that a thread computed by its events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Granted {
    pub(crate) ran: Nanos,
    /// Of the rest, its run delay.
    pub(crate) delayed: Nanos,
}

/// How much is carried over at most: a few ticks of a slow scheduler clock.
const CARRIED: u64 = 10_000_000;
/// A thread waits no longer for a processor, or nearly never.
const LONGEST_DELAY: u64 = 2_000_000_000;

impl Running {
    /// Whether the system was asked, so that the next answer is of the time since then.
    pub(crate) const fn was_asked(&self) -> bool {
        self.before.is_some() || self.unreadable
    }

    /// What became of the time that was computed in the interval just past.
    pub(crate) fn bound(&mut self, pid: u32, tid: u32, interval: ThreadInterval) -> Granted {
        match self.read(pid, tid) {
            None => Granted { ran: interval.computed, delayed: Nanos::ZERO },
            Some(now) => self.bound_by(now, interval),
        }
    }

    /// The same for a given reading of the meter.
    pub(crate) fn bound_by(&mut self, now: Schedstat, interval: ThreadInterval) -> Granted {
        let computed = interval.computed;
        let Some(before) = self.before.replace(now) else {
            // At first it cannot have run for more than in all its life.
            return Granted { ran: computed.min(Nanos(now.ran)), delayed: Nanos::ZERO };
        };
        let wanted = computed.0.saturating_add(self.debt);
        let counted = now.since(before);
        let ran = counted.ran.saturating_add(self.credit);
        let granted = wanted.min(ran);
        self.debt = (wanted - granted).min(CARRIED);
        self.credit = (ran - granted).min(CARRIED);
        let delay = counted.delayed.saturating_add(self.delay);
        let delayed = computed.0.saturating_sub(granted).min(delay);
        self.delay = (delay - delayed).min(interval.most_delay());
        Granted { ran: Nanos(granted), delayed: Nanos(delayed) }
    }

    fn read(&mut self, pid: u32, tid: u32) -> Option<Schedstat> {
        if self.unreadable {
            return None;
        }
        let time = match &self.file {
            Some(kept) => counted(kept.get()),
            None => {
                let file = File::open(format!("/proc/{pid}/task/{tid}/schedstat")).ok();
                let time = file.as_ref().and_then(counted);
                self.file = file.and_then(Kept::new);
                time
            }
        };
        // A thread that is gone, or a kernel without these statistics: the bound is dropped.
        self.unreadable = time.is_none();
        time
    }
}

fn counted(file: &File) -> Option<Schedstat> {
    let mut text = [0; 64];
    let length = file.read_at(&mut text, 0).ok()?;
    Schedstat::parse(std::str::from_utf8(&text[..length]).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(ran: u64) -> Schedstat {
        Schedstat { ran, ..Schedstat::default() }
    }

    /// An interval of a thread that computed for so many milliseconds, and did nothing else.
    fn computed(millis: u64) -> ThreadInterval {
        let computed = Nanos::from_millis(millis);
        ThreadInterval { computed, lived: computed }
    }

    #[test]
    fn a_thread_that_did_not_run_did_not_compute() {
        let mut running = Running::default();
        running.bound_by(ran(1_000_000_000), computed(0));
        assert_eq!(running.bound_by(ran(1_050_000_000), computed(50)).ran, Nanos(50_000_000));
        assert_eq!(running.bound_by(ran(1_060_000_000), computed(50)).ran, Nanos(10_000_000));
        let rest = running.bound_by(ran(1_060_000_000), computed(50));
        assert_eq!(rest.ran, Nanos(0));
    }

    #[test]
    fn at_first_it_ran_no_more_than_in_its_life() {
        let bound = |now: u64| Running::default().bound_by(ran(now), computed(50)).ran;
        assert_eq!(bound(10_000_000), Nanos::from_millis(10));
        assert_eq!(bound(1_000_000_000), Nanos::from_millis(50));
    }

    #[test]
    fn what_did_not_run_had_no_processor_or_slept() {
        let mut running = Running::default();
        running.bound_by(ran(0), computed(0));
        let now = Schedstat { delayed: 25_000_000, ..ran(20_000_000) };
        let expected = Granted { ran: Nanos(20_000_000), delayed: Nanos(25_000_000) };
        assert_eq!(running.bound_by(now, computed(50)), expected);
        let later = running.bound_by(Schedstat { delayed: 60_000_000, ..now }, computed(10));
        assert_eq!(later.delayed, Nanos(10_000_000), "no more than it was idle");
    }

    /// Intervals of 50 ms of a thread that runs for 30 ms and then waits for 170 ms, again and again: its run delay, in milliseconds.
    fn told_of_long_delays(lived: u64) -> u64 {
        let mut running = Running::default();
        let intervals = (0..100_u64).map(|at| {
            // Each fourth interval begins with the turn, and with the news of the delay before it.
            let turns = at / 4 + 1;
            let now = Schedstat { delayed: (turns - 1) * 170_000_000, ..ran(turns * 30_000_000) };
            let interval = ThreadInterval { lived: Nanos::from_millis(lived), ..computed(50) };
            running.bound_by(now, interval).delayed.0 / 1_000_000
        });
        intervals.sum()
    }

    #[test]
    fn a_delay_longer_than_an_interval_is_told_in_those_of_the_next() {
        let truth = 24 * 170;
        let told = told_of_long_delays(50);
        assert!((truth - 200..=truth).contains(&told), "{told} of {truth} ms");
        let told = told_of_long_delays(100);
        assert!(told < truth / 2, "{told} ms: it may have been a delay in a call that waits");
    }

    #[test]
    fn coarse_clocks_even_out() {
        let mut running = Running::default();
        running.bound_by(ran(0), computed(0));
        let readings = [46, 100, 148, 204, 250].map(|millis| millis * 1_000_000);
        let sum: u64 =
            readings.iter().map(|now| running.bound_by(ran(*now), computed(50)).ran.0).sum();
        assert_eq!(sum, 250_000_000);
    }

    #[test]
    fn own_thread_has_a_meter_where_the_kernel_keeps_one() {
        let id = std::process::id();
        let mut running = Running::default();
        if running.read(id, id).is_some() {
            assert!(running.bound(id, id, computed(5)).ran <= Nanos::from_millis(5));
        }
    }
}
