//! P(E, m, f): what a metric came to at a focus in a program event.

use whyperf_model::{Focus, Metric};

use super::trials::Trials;

/// An operand of a comparison. The interval that it speaks of, and the trials that it is made of, are its own.
pub trait PerformanceResults {
    /// What a metric came to at a focus, in the unit of the metric, in each trial; none where that is not known of it.
    fn by_trial(&mut self, metric: Metric, focus: &Focus) -> Vec<Option<f64>>;

    /// The same as far as it was measured, and no estimate from samples stands for it.
    fn measured_by_trial(&mut self, metric: Metric, focus: &Focus) -> Vec<Option<f64>> {
        self.by_trial(metric, focus)
    }

    /// What it came to in the trials of which that is known.
    fn results(&mut self, metric: Metric, focus: &Focus) -> Trials {
        self.by_trial(metric, focus).into_iter().flatten().collect()
    }
}
