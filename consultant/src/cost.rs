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
//!
//! What was just switched on is not in that mean yet, so its **predicted** cost is held against the limit too, less by a quarter with
//! each interval: just as much of it as the mean is still to learn. Switching on a hundred functions at once therefore stops at the
//! limit and not behind it. A prediction is never more than half the limit, because what is hotter is measured in windows.

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
    pending: f64,
    /// What another search under the same limit has pending.
    elsewhere: f64,
    held: bool,
}

/// Held back, the search goes on below this part of the limit.
const ROOM: f64 = 0.8;
/// How much one interval counts.
const WEIGHT: f64 = 0.25;
/// No region takes more than this part of the limit: it is measured in windows then.
const HOTTEST: f64 = 0.5;

impl Budget {
    /// Nothing spent yet.
    pub(crate) const fn new(limit: f64) -> Self {
        Self { limit, observed: 0.0, pending: 0.0, elsewhere: 0.0, held: false }
    }

    /// Takes note of what was observed over the last interval.
    pub(crate) fn observe(&mut self, fraction: f64) -> Admission {
        self.observed += (fraction - self.observed) * WEIGHT;
        self.pending *= 1.0 - WEIGHT;
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

    /// Whether there is room for something of this predicted cost.
    pub(crate) fn affords(&self, predicted: f64) -> bool {
        let expected = self.observed + self.pending + self.elsewhere;
        predicted <= 0.0 || expected + self.bounded(predicted) <= self.limit
    }

    /// Something of this predicted cost is switched on.
    pub(crate) fn spend(&mut self, predicted: f64) {
        self.pending += self.bounded(predicted);
    }

    /// Whether so much is observed that the costliest would not fit, however long it waited.
    pub(crate) fn is_taken(&self) -> bool {
        self.observed > self.limit * (1.0 - HOTTEST)
    }

    /// What was predicted and is not observed yet.
    pub(crate) const fn pending(&self) -> f64 {
        self.pending
    }

    /// Another search has this much pending.
    pub(crate) const fn count_elsewhere(&mut self, pending: f64) {
        self.elsewhere = pending;
    }

    fn bounded(&self, predicted: f64) -> f64 {
        predicted.clamp(0.0, self.limit * HOTTEST)
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

    #[test]
    fn what_is_switched_on_counts_before_it_is_observed() {
        let mut budget = Budget::new(0.05);
        let started = (0..100).take_while(|_| {
            let affords = budget.affords(0.01);
            budget.spend(0.01);
            affords
        });
        assert_eq!(started.count(), 5);
        assert!(budget.affords(0.0), "what is free is always affordable");
        let mut budget = Budget::new(0.05);
        assert!(budget.affords(9.0), "the hottest is measured in windows");
        budget.spend(9.0);
        assert!(budget.affords(9.0));
        budget.spend(9.0);
        assert!(!budget.affords(0.001));
        (0..20).for_each(|_| _ = budget.observe(0.001));
        assert!(budget.affords(0.03), "it was cheaper than predicted");
    }
}
