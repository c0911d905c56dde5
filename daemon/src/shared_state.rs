//! What all processes share: names, classes and pairs.

use whyperf_model::Jobs;
use whyperf_model::matching::{Classes, IntervalRecorder, Matcher, Resources, RunTotals};

use crate::processors::Processors;

/// What all processes share: names, classes and pairs.
#[derive(Debug, Default)]
pub(crate) struct SharedState {
    pub(crate) classes: Classes,
    pub(crate) resources: Resources,
    pub(crate) matcher: Matcher,
    /// What grew since the beginning, also in what ended.
    pub(crate) run_totals: RunTotals,
    /// Who has the processors of this machine.
    pub(crate) processors: Processors,
    /// Threads that may still be looked at in this pass: for what they wait.
    pub(crate) looks_left: u32,
    /// Which ranks work together.
    pub(crate) jobs: Jobs,
    /// Writes interval records, where a record of the run is wanted.
    pub(crate) recorder: Option<IntervalRecorder>,
}
