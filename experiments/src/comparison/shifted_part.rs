//! A part of the program that changed beside others of the same run, whatever the run as a whole came to.

use whyperf_model::{Focus, Metric};

use crate::program_event::{Difference, Trials};

/// Such a part.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ShiftedPart {
    /// What changed.
    pub(super) metric: Metric,
    /// Where, and what it came to, in the trials of which all that it was compared with is known.
    pub(super) difference: Difference,
    /// By how much it grew beside them, as a logarithm.
    pub(super) growth: f64,
}

impl ShiftedPart {
    /// One that grew so much beside others, by which the machine did not make it slower or faster; what it changed by is that.
    pub(super) fn beside(metric: Metric, focus: &Focus, [a, b]: [Trials; 2], growth: f64) -> Self {
        let change = a.mean().unwrap_or_default() * growth.exp_m1();
        Self { metric, difference: Difference { focus: focus.clone(), a, b, change }, growth }
    }

    /// One whose share of the whole grew so much.
    pub(super) fn of_whole(
        metric: Metric,
        focus: &Focus,
        [a, b]: [Trials; 2],
        growth: f64,
    ) -> Self {
        let change = b.mean().unwrap_or_default() - a.mean().unwrap_or_default();
        Self { metric, difference: Difference { focus: focus.clone(), a, b, change }, growth }
    }
}
