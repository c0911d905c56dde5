//! What all processes share: names, classes and pairs.

use whyperf_model::Jobs;
use whyperf_model::matching::{
    ClassId, Classes, IntervalRecorder, Matcher, Resources, RunTotals, Totals, WaitCauses,
    WaitingRank,
};

use crate::processors::Processors;
use crate::standing::Looks;

/// What all processes share: names, classes and pairs.
#[derive(Debug, Default)]
pub(crate) struct SharedState {
    pub(crate) classes: Classes,
    pub(crate) resources: Resources,
    pub(crate) matcher: Matcher,
    /// What grew since the beginning, also in what ended.
    pub(crate) run_totals: RunTotals,
    /// Because of whom ranks waited since the beginning.
    pub(crate) wait_causes: WaitCauses,
    /// Who has the processors of this machine.
    pub(crate) processors: Processors,
    /// Threads that may still be looked at in this pass: for what they wait.
    pub(crate) looks: Looks,
    /// Which ranks work together.
    pub(crate) jobs: Jobs,
    /// Writes interval records, where a record of the run is wanted.
    pub(crate) recorder: Option<IntervalRecorder>,
}

impl SharedState {
    /// The first thread of a rank at work did this in the interval just past.
    pub(crate) fn took(&mut self, rank: WaitingRank, nodes: &[(ClassId, Totals)]) {
        self.wait_causes.took(rank, nodes, &self.classes, &self.resources);
    }
}
