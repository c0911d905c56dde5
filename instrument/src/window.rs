//! Functions that are called too often to stay switched on, or even armed: short windows, between
//! which they have their original bytes.
//!
//! Inside a window the program is slower, for each call costs its event. So a window stands for its length less what the
//! events took: the time that the program would have needed.

use std::sync::atomic::Ordering;

use whyperf_layout::RegionRecord;
use whyperf_model::Nanos;

use crate::interval::FunctionInterval;

/// A function that is on for a part of the time only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Window {
    beginning: WindowsBegan,
    /// Windows in a row in which nothing entered it.
    quiet: u32,
}

/// When a function got its windows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum WindowsBegan {
    /// It was switched off since the pass before.
    Now,
    /// Before that, or it never was on.
    #[default]
    Before,
}

impl Window {
    /// The function was just switched off for being too hot.
    pub(crate) fn new() -> Self {
        Self { beginning: WindowsBegan::Now, ..Self::default() }
    }

    /// Whether it began in the interval that just ended; from now on it did not.
    pub(crate) fn take_beginning(&mut self) -> bool {
        std::mem::take(&mut self.beginning) == WindowsBegan::Now
    }

    /// Takes in what an interval showed. True when the function is not entered any more and needs no windows: it is
    /// on again, until it is called too often.
    pub(crate) fn is_over(&mut self, interval: &FunctionInterval) -> bool {
        if interval.visits > 0 || interval.pace.is_some_and(|pace| pace > 0.0) {
            self.quiet = 0;
        } else if interval.idle > IDLE {
            self.quiet += 1;
        }
        self.quiet >= QUIET
    }
}

/// What a process said of a function apart from its visits; or by how much that grew.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Notes {
    counted: u32,
    counting: u32,
    pub(crate) missed: u64,
    /// Nanoseconds that the process ran, and ticks, in the times in which it was on that have ended.
    worked: u64,
    closed: u64,
}

impl Notes {
    /// By how much it grew since the last time.
    pub(crate) fn renew(&mut self, record: &RegionRecord) -> Self {
        let new = Self {
            counted: record.counted.load(Ordering::Relaxed),
            counting: record.counting.load(Ordering::Relaxed),
            missed: record.missed.load(Ordering::Relaxed),
            worked: record.worked.load(Ordering::Relaxed),
            closed: record.on_time().closed(),
        };
        let old = std::mem::replace(self, new);
        Self {
            counted: new.counted.wrapping_sub(old.counted),
            counting: new.counting.wrapping_sub(old.counting),
            missed: new.missed.saturating_sub(old.missed),
            worked: new.worked.saturating_sub(old.worked),
            closed: new.closed.saturating_sub(old.closed),
        }
    }

    /// How long the process ran while no call was counted.
    pub(crate) fn idle(self) -> Nanos {
        Nanos(if self.counted == 0 { u64::from(self.counting) } else { 0 })
    }

    /// Nanoseconds that all threads together ran in each tick that the function was on, if such a time has ended.
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    pub(crate) fn running(self) -> Option<f64> {
        let is_known = self.worked > 0 && self.closed > 0;
        is_known.then(|| self.worked as f64 / self.closed as f64)
    }

    /// Nanoseconds that a call takes.
    pub(crate) fn each(self) -> Option<f64> {
        let is_known = self.counted > 0 && self.counting > 0;
        is_known.then(|| f64::from(self.counting) / f64::from(self.counted))
    }
}

/// The share of the time that windows make, as long as nothing is known better.
pub(crate) const SHARE: f64 = 0.0025;
/// Windows that show no call, after which there are none.
const QUIET: u32 = 2;
/// A window in which the process ran for less than this shows nothing.
pub(crate) const IDLE: Nanos = Nanos(100_000);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_end_after_two_in_which_the_process_ran_and_nothing_was_called() {
        let mut window = Window::new();
        assert!(window.take_beginning() && !window.take_beginning());
        let quiet = FunctionInterval { idle: IDLE + Nanos(1), ..FunctionInterval::default() };
        let called = FunctionInterval { visits: 1, ..quiet };
        assert!(!window.is_over(&quiet));
        assert!(!window.is_over(&called), "a call begins the count again");
        assert!(!window.is_over(&FunctionInterval { idle: IDLE, ..quiet }), "it did not run");
        assert!(!window.is_over(&quiet) && window.is_over(&quiet));
    }
}
