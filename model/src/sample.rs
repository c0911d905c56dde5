//! A sample: the amount by which a pair grew over an interval.

use serde::{Deserialize, Serialize};

use crate::time::Interval;

/// One answer to a pair: an amount, the interval it belongs to, and whose silence it does not speak for.
///
/// An amount of zero says *measured, and nothing happened*; that nothing was measured is said by there being no sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// When.
    pub interval: Interval,
    /// How much, in the metric's unit, over all processes that reported.
    pub amount: i64,
    /// How many of the processes that match the focus are in the amount.
    pub reported: u32,
    /// How many match it.
    pub expected: u32,
}

impl Sample {
    /// A sample in which everybody asked has answered.
    #[must_use]
    pub const fn complete(interval: Interval, amount: i64, processes: u32) -> Self {
        Self { interval, amount, reported: processes, expected: processes }
    }

    /// Whether no process is missing.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.reported >= self.expected
    }
}
