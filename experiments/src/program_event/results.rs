//! P(E, m, f): what a metric came to at a focus in a program event.

use whyperf_model::{Focus, Metric};

use super::trials::Trials;

/// An operand of a comparison. The interval that it speaks of, and the trials that it is made of, are its own.
pub trait PerformanceResults {
    /// What a metric came to at a focus, in the unit of the metric, for each trial of which that is known.
    fn results(&mut self, metric: Metric, focus: &Focus) -> Trials;
}
