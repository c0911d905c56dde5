//! The values of many processes as one, which says how many are in it.
//!
//! Waiting for the slowest reporter would stall a metric for everybody, so nothing here waits: a value is whatever has come in,
//! together with "n of m". Two partial values of different processes merge in any order to the same whole.

use std::fmt;

use crate::metric::Aggregation;
use crate::sample::Sample;
use crate::time::Interval;

/// Values of one interval, as they come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregate {
    aggregation: Aggregation,
    amount: Option<i64>,
    reported: u32,
    expected: u32,
}

impl Aggregate {
    /// Nothing yet from `expected` reporters.
    #[must_use]
    pub const fn new(aggregation: Aggregation, expected: u32) -> Self {
        Self { aggregation, amount: None, reported: 0, expected }
    }

    /// One more reporter's value.
    pub fn add(&mut self, amount: i64) {
        self.combine(Some(amount));
        self.reported += 1;
    }

    /// Takes in what was gathered elsewhere, from other reporters.
    pub fn merge(&mut self, other: &Self) {
        self.combine(other.amount);
        self.reported += other.reported;
        self.expected += other.expected;
    }

    /// The value of the processes that reported; `None` while none did.
    #[must_use]
    pub const fn amount(&self) -> Option<i64> {
        self.amount
    }

    /// How many reported.
    #[must_use]
    pub const fn reported(&self) -> u32 {
        self.reported
    }

    /// How many were asked.
    #[must_use]
    pub const fn expected(&self) -> u32 {
        self.expected
    }

    /// Whether everybody reported.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.reported >= self.expected
    }

    /// The sample it makes for an interval; `None` while no process reported.
    #[must_use]
    pub fn sample(&self, interval: Interval) -> Option<Sample> {
        let (reported, expected) = (self.reported, self.expected);
        self.amount.map(|amount| Sample { interval, amount, reported, expected })
    }

    fn combine(&mut self, other: Option<i64>) {
        self.amount = match (self.amount, other) {
            (Some(ours), Some(theirs)) => Some(match self.aggregation {
                // Processes were set side by side before, wherever each was known: see `Comparison`.
                Aggregation::Sum
                | Aggregation::AboveLeast
                | Aggregation::AboveMean
                | Aggregation::AboveSecond => ours.saturating_add(theirs),
                Aggregation::Max => ours.max(theirs),
            }),
            (ours, theirs) => ours.or(theirs),
        };
    }
}

impl fmt::Display for Aggregate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.amount {
            None => write!(out, "nothing yet (0 of {})", self.expected),
            Some(amount) if self.is_complete() => write!(out, "{amount}"),
            Some(amount) => write!(out, "{amount} ({} of {})", self.reported, self.expected),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partial_sum_says_so() {
        let mut sum = Aggregate::new(Aggregation::Sum, 3);
        assert_eq!(sum.to_string(), "nothing yet (0 of 3)");
        sum.add(4);
        sum.add(5);
        assert_eq!(sum.to_string(), "9 (2 of 3)");
        sum.add(0);
        assert!(sum.is_complete());
        assert_eq!(sum.to_string(), "9");
    }

    #[test]
    fn silence_is_not_zero() {
        let mut highest = Aggregate::new(Aggregation::Max, 2);
        assert_eq!(highest.sample(Interval::default()), None);
        highest.add(-3);
        assert_eq!(highest.amount(), Some(-3));
    }

    #[test]
    fn merging_is_adding_what_was_added_there() {
        let mut here = Aggregate::new(Aggregation::Sum, 2);
        here.add(1);
        let mut there = Aggregate::new(Aggregation::Sum, 3);
        there.add(10);
        there.add(20);
        let mut both = here;
        both.merge(&there);
        let mut swapped = there;
        swapped.merge(&here);
        assert_eq!(both, swapped);
        assert_eq!(both.to_string(), "31 (3 of 5)");
    }
}
