//! A change of a run that goes on: what whoever watches it hands over, as plain values.

use std::time::Duration;

use serde_json::Value;
use whyperf_experiments::{Edge, Phase, ResourceSpan, StepRow, StoredProfileRow, StoredVerdict};
use whyperf_model::{Bin, MessageTable, Nanos, Pair};

use crate::document::RunState;
use crate::rows::HypothesisRow;

/// What is new since the change before.
#[derive(Clone, Debug)]
pub struct RunChange {
    /// How far the run is.
    pub state: RunState,
    /// How long it took by now, by the clock of its histograms.
    pub elapsed: Duration,
    /// The program's status, once it is known.
    pub exit_status: Option<i32>,
    /// Pairs that are measured, and questions that wait.
    pub counts: [usize; 2],
    /// The share of the slowest process's time that measuring took in the last second.
    pub cost: f64,
    /// By phase (0 is the whole run): questions whose answer changed, and what led to them.
    pub questions: Vec<(u32, Vec<StoredVerdict>, Vec<Edge>)>,
    /// By phase: the numbers of the questions that are measured now, ascending; no others of it are.
    pub measured: Vec<(u32, Vec<u64>)>,
    /// Lines of the log that came.
    pub steps: Vec<StepRow>,
    /// Phases as they stand.
    pub phases: Vec<Phase>,
    /// What appeared or went away.
    pub resources: Vec<ResourceSpan>,
    /// The table of hypotheses, where one of them has another threshold.
    pub hypotheses: Option<Vec<HypothesisRow>>,
    /// Directives that were given meanwhile.
    pub directives: Vec<String>,
    /// Histograms that grew.
    pub series: Vec<SeriesPart>,
    /// The report as it stands, as JSON without profile and messages.
    pub report: Option<Value>,
    /// The callpaths and messages as they stand.
    pub profile: Option<(Vec<StoredProfileRow>, Option<MessageTable>)>,
    /// The name of the run in the store.
    pub run: Option<String>,
}

impl RunChange {
    /// One that says nothing but how far the run is.
    #[must_use]
    pub fn new(state: RunState, elapsed: Duration) -> Self {
        Self {
            state,
            elapsed,
            exit_status: None,
            counts: [0; 2],
            cost: 0.0,
            questions: Vec::new(),
            measured: Vec::new(),
            steps: Vec::new(),
            phases: Vec::new(),
            resources: Vec::new(),
            hypotheses: None,
            directives: Vec::new(),
            series: Vec::new(),
            report: None,
            profile: None,
            run: None,
        }
    }
}

impl SeriesPart {
    /// Parts from here down to [`Self::FIRST_WHOLE`] are of pairs that are measured over the whole run: one of them says all of its pair.
    pub const WHOLE_RUN: u32 = u32::MAX;
    /// The least of these.
    pub const FIRST_WHOLE: u32 = u32::MAX / 2;
}

/// The bins of a measurement from one of them on.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesPart {
    /// What is measured.
    pub pair: Pair,
    /// Which of the run's measurements of it this is.
    pub part: u32,
    /// How wide a bin is; when it doubles, bins that came before are one in pairs.
    pub width: Nanos,
    /// The number of the first of them, in bins of this width.
    pub from: usize,
    /// The bins.
    pub bins: Vec<Bin>,
}
