//! A metric at a focus: the thing that is asked for and answered with samples.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::focus::Focus;
use crate::metric::Metric;

/// What to measure and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pair {
    /// What to measure.
    pub metric: Metric,
    /// Where.
    pub focus: Focus,
}

impl Pair {
    /// This metric at this focus.
    #[must_use]
    pub const fn new(metric: Metric, focus: Focus) -> Self {
        Self { metric, focus }
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.metric, self.focus)
    }
}
