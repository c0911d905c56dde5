//! The documents of a view: what `/api/v1/` answers and what a report file holds. `docs/viewer.md` describes each member.
//!
//! Members are only ever added; one that changes its meaning raises [`VERSION`].

use serde::Serialize;
use serde_json::Value;
use whyperf_experiments::{Fact, ObjectRow};

use crate::rows::{HypothesisRow, LogRow, MetricRow, PhaseRow, QuestionRow, ResourceRow};

/// Of the documents, and of the addresses that they are had at.
pub const VERSION: u32 = 1;

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// It goes on, and is searched.
    Searching,
    /// It goes on, and the search pauses.
    Paused,
    /// It is over.
    Over,
}

/// What changes all the time while a run goes on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// How far it is.
    pub state: RunState,
    /// How long it took by now.
    pub elapsed_s: f64,
    /// The program's status; none while it runs, and where only its parent is told.
    pub exit_status: Option<i32>,
    /// Pairs that are measured now; none where nobody measures.
    pub measured: Option<usize>,
    /// Questions that wait to be asked.
    pub waiting: Option<usize>,
    /// The share of the time of the process that paid most that measuring took in the last second; none where nobody measures.
    pub cost: Option<f64>,
}

/// A run without its search, its series and its profile.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunDocument {
    /// `whyperf-view`.
    pub format: &'static str,
    /// [`VERSION`].
    pub version: u32,
    /// Which change it is as of: `/api/v1/events?since=` continues from here.
    pub as_of: u64,
    /// Its name in the store; none of one that is not kept, or has none yet.
    pub run: Option<String>,
    /// Of a diagnosis: the run that was gone through.
    pub diagnosis_of: Option<String>,
    /// What program it is.
    pub application: String,
    /// What is being varied.
    pub experiment: String,
    /// What this run is in it.
    pub trial: String,
    /// When it began.
    pub started: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// What the user calls it.
    pub tags: Vec<String>,
    /// Whether it was seen to its end.
    pub is_complete: bool,
    /// How far it is.
    pub progress: Progress,
    /// Whether it takes commands.
    pub takes_commands: bool,
    /// Its report as `--json` writes it, without profile and messages, and with `notes`; none where it is not known.
    pub report: Option<Value>,
    /// Settings and environment.
    pub facts: Vec<Fact>,
    /// Programs and libraries.
    pub objects: Vec<ObjectRow>,
    /// Directives that the search was given.
    pub directives: Vec<String>,
    /// What was there, from when to when.
    pub resources: Vec<ResourceRow>,
    /// Parts that were searched by themselves.
    pub phases: Vec<PhaseRow>,
    /// The log of the search.
    pub log: Vec<LogRow>,
    /// Pairs that are known over time without being asked for: metric and focus.
    pub pairs: Vec<(String, String)>,
    /// The table of hypotheses.
    pub hypotheses: Vec<HypothesisRow>,
    /// The metrics.
    pub metrics: Vec<MetricRow>,
    /// By stream beside it, how many lines of it came.
    pub streams: Vec<u64>,
}

/// The search history graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphDocument {
    /// [`VERSION`].
    pub version: u32,
    /// Which change it is as of.
    pub as_of: u64,
    /// The questions, those of the whole run first.
    pub questions: Vec<QuestionRow>,
}

/// What changed since another change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangeDocument {
    /// Which change it is.
    pub as_of: u64,
    /// How far the run is.
    pub progress: Progress,
    /// Questions that are new or have another answer.
    pub questions: Vec<QuestionRow>,
    /// New lines of the log.
    pub log: Vec<LogRow>,
    /// Phases that began, and the one that goes on.
    pub phases: Vec<PhaseRow>,
    /// What appeared or went away.
    pub resources: Vec<ResourceRow>,
    /// The table of hypotheses, where one of them has another threshold.
    pub hypotheses: Vec<HypothesisRow>,
    /// Directives that were given.
    pub directives: Vec<String>,
    /// Pairs that were not known over time before.
    pub pairs: Vec<(String, String)>,
    /// The report as it stands, where it changed.
    pub report: Option<Value>,
    /// The version of the profile.
    pub profile: u64,
    /// By stream, how many lines of it came.
    pub streams: Vec<u64>,
    /// The name of the run in the store, once it is known.
    pub run: Option<String>,
}
