//! P(E, m, f): what a metric came to at a focus in a program event.

use whyperf_model::{Focus, Metric};

use super::trials::Trials;

/// An operand of a comparison. The interval that it speaks of, and the trials that it is made of, are its own.
pub trait PerformanceResults {
    /// What a metric came to at a focus, in the unit of the metric, in each trial; none where that is not known of it.
    fn by_trial(&mut self, metric: Metric, focus: &Focus) -> Vec<Option<f64>>;

    /// The same of the trials of which it is known.
    fn results(&mut self, metric: Metric, focus: &Focus) -> Trials {
        self.by_trial(metric, focus).into_iter().flatten().collect()
    }
}
