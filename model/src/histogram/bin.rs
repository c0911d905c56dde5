//! One bin: amount, covered time, lowest and highest rate.

use serde::{Deserialize, Serialize};

use crate::time::Nanos;

/// What was measured during one width of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// How much.
    pub amount: i128,
    /// How much of the width was measured; zero says that the bin knows nothing.
    pub covered: Nanos,
    /// Between which rates the samples lay; `None` when none of them covered any time.
    pub extremes: Option<Extremes>,
}

impl Bin {
    /// Amount per covered nanosecond; `None` where nothing was measured.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a rate is a ratio, not a count")]
    pub fn rate(&self) -> Option<f64> {
        (!self.covered.is_zero()).then(|| self.amount as f64 / self.covered.0 as f64)
    }

    /// Both bins as one.
    pub(super) fn merged(self, other: Self) -> Self {
        Self {
            amount: self.amount + other.amount,
            covered: self.covered + other.covered,
            extremes: Extremes::merged(self.extremes, other.extremes),
        }
    }
}

/// The lowest and the highest rate of several samples, in amount per nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extremes {
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

impl Extremes {
    pub(super) const fn of(rate: f64) -> Self {
        Self { low: rate, high: rate }
    }

    pub(super) fn merged(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) => {
                Some(Self { low: one.low.min(other.low), high: one.high.max(other.high) })
            }
            (one, other) => one.or(other),
        }
    }
}
