//! Whether the search may ask for more: a limit on what measuring costs the slowest process.
//!
//! ```text
//!   cost ──────╱╲────────  limit      held back at the limit,
//!        ─────╱──╲───────  80 % of it    let go on below four fifths of it
//! ```
//!
//! The cost is what was *observed*, as a fraction of the time of the process that paid most: a mean over processes would hide
//! the one that everybody waits for. Between the two lines nothing changes, so the search does not stutter at the limit.

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

const ROOM: f64 = 0.8;

impl Budget {
    /// Nothing spent yet.
    pub(crate) const fn new(limit: f64) -> Self {
        Self { limit, observed: 0.0, held: false }
    }

    /// Takes note of what was observed over the last interval.
    pub(crate) fn observe(&mut self, fraction: f64) -> Admission {
        self.observed = fraction;
        let was_held = self.held;
        self.held = fraction >= if was_held { self.limit * ROOM } else { self.limit };
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

    /// What was observed last.
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

    #[test]
    fn it_holds_at_the_limit_and_lets_go_well_below() {
        let mut budget = Budget::new(0.05);
        assert_eq!(budget.observe(0.049), Admission::Unchanged);
        assert_eq!(budget.observe(0.05), Admission::HeldBack);
        assert!(!budget.admits());
        assert_eq!(budget.observe(0.045), Admission::Unchanged);
        assert!(!budget.admits());
        assert_eq!(budget.observe(0.039), Admission::Resumed);
        assert!(budget.admits());
    }
}
