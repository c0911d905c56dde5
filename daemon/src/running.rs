//! What the operating system says of a thread: for how long it ran, as a bound on what it computed, and for how long it could
//! have run and had no processor.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicUsize, Ordering};

use whyperf_inject::Schedstat;
use whyperf_model::Nanos;

/// The meter of one thread.
#[derive(Debug, Default)]
pub(crate) struct Running {
    file: Option<Kept>,
    unreadable: bool,
    /// What the system had counted when it was last read.
    before: Option<Schedstat>,
    /// Computed but not seen to run yet, and run but not yet seen computing: clocks of the
    /// scheduler tick coarsely, so a little of each is carried over.
    debt: u64,
    credit: u64,
    /// Run delay for which no time was seen yet in which it did not run.
    delay: u64,
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

impl Running {
    /// What became of the `computed` time of the interval just past.
    pub(crate) fn bound(&mut self, pid: u32, tid: u32, computed: Nanos) -> Granted {
        match self.read(pid, tid) {
            None => Granted { ran: computed, delayed: Nanos::ZERO },
            Some(now) => self.bound_by(now, computed),
        }
    }

    /// The same for a given reading of the meter.
    pub(crate) fn bound_by(&mut self, now: Schedstat, computed: Nanos) -> Granted {
        let Some(before) = self.before.replace(now) else {
            // At first it cannot have run for more than in all its life.
            return Granted { ran: computed.min(Nanos(now.ran)), delayed: Nanos::ZERO };
        };
        let wanted = computed.0.saturating_add(self.debt);
        let ran = now.ran.saturating_sub(before.ran).saturating_add(self.credit);
        let granted = wanted.min(ran);
        self.debt = (wanted - granted).min(CARRIED);
        self.credit = (ran - granted).min(CARRIED);
        let delay = now.delayed.saturating_sub(before.delayed).saturating_add(self.delay);
        let delayed = computed.0.saturating_sub(granted).min(delay);
        self.delay = (delay - delayed).min(CARRIED);
        Granted { ran: Nanos(granted), delayed: Nanos(delayed) }
    }

    fn read(&mut self, pid: u32, tid: u32) -> Option<Schedstat> {
        if self.unreadable {
            return None;
        }
        let time = match &self.file {
            Some(kept) => counted(&kept.0),
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

/// A file that stays open: reading it again is cheaper than opening it, but a process with a
/// thousand threads would use up all descriptors.
#[derive(Debug)]
struct Kept(File);

static KEPT: AtomicUsize = AtomicUsize::new(0);
/// Descriptors used at most, a quarter of the usual limit.
const MOST_KEPT: usize = 256;

impl Kept {
    fn new(file: File) -> Option<Self> {
        let before = KEPT.fetch_add(1, Ordering::Relaxed);
        let kept = Self(file);
        // Dropping it counts it out again.
        (before < MOST_KEPT).then_some(kept)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        KEPT.fetch_sub(1, Ordering::Relaxed);
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

    #[test]
    fn a_thread_that_did_not_run_did_not_compute() {
        let mut running = Running::default();
        running.bound_by(ran(1_000_000_000), Nanos(0));
        assert_eq!(running.bound_by(ran(1_050_000_000), Nanos(50_000_000)).ran, Nanos(50_000_000));
        assert_eq!(running.bound_by(ran(1_060_000_000), Nanos(50_000_000)).ran, Nanos(10_000_000));
        let rest = running.bound_by(ran(1_060_000_000), Nanos(50_000_000));
        assert_eq!(rest.ran, Nanos(0));
    }

    #[test]
    fn at_first_it_ran_no_more_than_in_its_life() {
        let computed = Nanos::from_millis(50);
        let bound = |now: u64| Running::default().bound_by(ran(now), computed).ran;
        assert_eq!(bound(10_000_000), Nanos::from_millis(10));
        assert_eq!(bound(1_000_000_000), computed);
    }

    #[test]
    fn what_did_not_run_had_no_processor_or_slept() {
        let mut running = Running::default();
        running.bound_by(ran(0), Nanos(0));
        let now = Schedstat { delayed: 25_000_000, ..ran(20_000_000) };
        let expected = Granted { ran: Nanos(20_000_000), delayed: Nanos(25_000_000) };
        assert_eq!(running.bound_by(now, Nanos(50_000_000)), expected);
        let later = running.bound_by(Schedstat { delayed: 60_000_000, ..now }, Nanos(10_000_000));
        assert_eq!(later.delayed, Nanos(10_000_000), "no more than it was idle");
    }

    #[test]
    fn coarse_clocks_even_out() {
        let mut running = Running::default();
        running.bound_by(ran(0), Nanos(0));
        let readings = [46, 100, 148, 204, 250].map(|millis| millis * 1_000_000);
        let sum: u64 =
            readings.iter().map(|now| running.bound_by(ran(*now), Nanos(50_000_000)).ran.0).sum();
        assert_eq!(sum, 250_000_000);
    }

    #[test]
    fn own_thread_has_a_meter_where_the_kernel_keeps_one() {
        let id = std::process::id();
        let mut running = Running::default();
        if running.read(id, id).is_some() {
            assert!(running.bound(id, id, Nanos(5)).ran <= Nanos(5));
        }
    }
}
