//! Whether the search may ask for more: a limit on what measuring costs the slowest process.
//!
//! ```text
//!   cost ──────╱╲────────  limit      held back at the limit,
//!        ─────╱──╲───────  80 % of it    let go on below four fifths of it
//! ```
//!
//! The cost is what was *observed*, as a fraction of the time of the process that paid most: a mean over processes would hide
//! the one that everybody waits for. Single intervals are noisy (a thread that ran for a moment only pays for all its events at once),
//! so what is compared is a mean in which each interval counts for a quarter: twice the limit holds the search back within three
//! intervals, a single one of three times the limit does not. Between the two lines nothing changes, so the search does not stutter at the limit.

/// What the limit says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// Nothing new.
    Unchanged,
    /// From now on nothing is started.
    HeldBack,
    /// There is room again.
    Resumed,
}

/// The limit, and on which side of it the search is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    limit: f64,
    observed: f64,
    held: bool,
}

/// Held back, the search goes on below this part of the limit.
const ROOM: f64 = 0.8;
/// How much one interval counts.
const WEIGHT: f64 = 0.25;

impl Budget {
    /// Nothing spent yet.
    pub(crate) const fn new(limit: f64) -> Self {
        Self { limit, observed: 0.0, held: false }
    }

    /// Takes note of what was observed over the last interval.
    pub(crate) fn observe(&mut self, fraction: f64) -> Admission {
        self.observed += (fraction - self.observed) * WEIGHT;
        let was_held = self.held;
        self.held = self.observed >= if was_held { self.limit * ROOM } else { self.limit };
        match (was_held, self.held) {
            (false, true) => Admission::HeldBack,
            (true, false) => Admission::Resumed,
            _ => Admission::Unchanged,
        }
    }

    /// Whether something may be started.
    pub(crate) const fn admits(&self) -> bool {
        !self.held
    }

    /// What was observed lately.
    pub(crate) const fn observed(&self) -> f64 {
        self.observed
    }

    /// The limit.
    pub(crate) const fn limit(&self) -> f64 {
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said over so many intervals of one cost.
    fn said(budget: &mut Budget, fraction: f64, intervals: usize) -> Vec<Admission> {
        let all = (0..intervals).map(|_| budget.observe(fraction));
        all.filter(|admission| *admission != Admission::Unchanged).collect()
    }

    #[test]
    fn it_holds_at_the_limit_and_lets_go_well_below() {
        let mut budget = Budget::new(0.05);
        assert_eq!(said(&mut budget, 0.049, 100), []);
        assert_eq!(said(&mut budget, 0.051, 100), [Admission::HeldBack]);
        assert!(!budget.admits());
        assert_eq!(said(&mut budget, 0.045, 100), []);
        assert!(!budget.admits());
        assert_eq!(said(&mut budget, 0.039, 100), [Admission::Resumed]);
        assert!(budget.admits());
    }

    #[test]
    fn a_moment_does_not_hold_it_and_what_lasts_does_at_once() {
        let mut budget = Budget::new(0.05);
        assert_eq!(said(&mut budget, 0.15, 1), []);
        assert_eq!(said(&mut budget, 0.0, 20), []);
        assert_eq!(said(&mut budget, 0.10, 3), [Admission::HeldBack]);
    }
}
