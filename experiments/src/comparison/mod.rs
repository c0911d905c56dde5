//! Compares runs, or sets of trials: what differs in structure, in time and amounts, and in what the search concluded.
//!
//! ```text
//!   operands ──► structure   who had what                               ⊕            structure.rs
//!            ──► wall        slower, faster, or no difference           dd           wall.rs
//!            ──► differences for each metric perfDiff, down to the most special focus that explains most of the change (descent.rs);
//!                            of work also the parts of each run beside each other (composition.rs);
//!                            causes before what follows from them       ranking.rs
//!            ──► conclusions bottlenecks that are new, gone, grown or moved          conclusions.rs
//!            ──► parts       the same phases, or the same fractions, side by side    parts.rs
//! ```
//! Each value has its spread over the trials. With two trials on each side and more a difference is one where chance is ruled out,
//! with a confidence that is divided among all that is tried, as each may err. With one trial nothing is known of chance, and a
//! difference is one of at least a stated share.

mod composition;
mod conclusions;
mod descent;
mod fields;
mod operand;
mod parts;
mod ranking;
mod sampled_shares;
mod search_answers;
mod shares;
mod shifted_part;
mod siblings;
mod structure;
mod wall;

use serde::Serialize;

pub use conclusions::{ComparedConclusion, Conclusions, MovedConclusion};
pub use fields::{ComparedMetric, MetricRole};
pub use operand::{ComparedRun, Operand, RunPart};
pub use parts::ComparedPart;
pub use ranking::{ExplainedPart, RankedDifference};
pub use structure::{JointStructure, OperandOutline, StructuralDifference};
pub use wall::{ComparedWall, WallVerdict};

use crate::program_event::{Delta, EventGroup, PairedResult, euclidean, weighted_mean};

/// From when on something differs, as a user sets it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparisonSettings {
    /// One less the chance to tell a difference of equals.
    pub confidence: f64,
    /// The smallest change that matters, as a share of the larger value, where trials tell their spread.
    pub least: f64,
    /// The same, where they do not.
    pub least_of_single: f64,
    /// Into how many parts of the same length each run is divided, where the runs have no phases in common.
    pub parts: u32,
}

impl Default for ComparisonSettings {
    fn default() -> Self {
        Self { confidence: 0.99, least: 0.02, least_of_single: 0.05, parts: 4 }
    }
}

impl ComparisonSettings {
    /// The delta for values of these operands, one of `tried`.
    fn delta(&self, a: &Operand, b: &Operand, tried: usize) -> Delta {
        if a.trials() < 2 || b.trials() < 2 {
            return Delta::Relative(self.least_of_single);
        }
        Delta::Statistical { confidence: self.confidence, least: self.least }.divided(tried)
    }
}

/// Two operands side by side. Serialized, it is what `whyperf compare --json` writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// `whyperf-comparison`.
    pub format: &'static str,
    /// 1; members are only ever added.
    pub version: u32,
    /// What was compared, the reference first.
    pub runs: Vec<ComparedRun>,
    /// How long they took; none where one operand are numbers that somebody stated.
    pub wall: Option<ComparedWall>,
    /// What differs, what matters most first.
    pub differences: Vec<RankedDifference>,
    /// What the search concluded.
    pub conclusions: Conclusions,
    /// What only one of them had.
    pub structure: Vec<StructuralDifference>,
    /// The same parts of both.
    pub parts: Vec<ComparedPart>,
    /// By how much they differ, as one number: Euclidean, and the mean by weight; none without a result in common.
    pub distance: [Option<f64>; 2],
    /// What could not be compared, and why.
    pub notes: Vec<String>,
}

impl Comparison {
    /// Whether both sides have trials enough to know their spread.
    #[must_use]
    pub fn is_of_trials(&self) -> bool {
        self.runs.iter().all(|run| run.trials > 1)
    }
}

/// Compares the second operand with the first.
#[must_use]
pub fn compare(a: &mut Operand, b: &mut Operand, settings: &ComparisonSettings) -> Comparison {
    let events = [a.event(), b.event()];
    let group = EventGroup::of_all(&events).unwrap_or_default();
    let usual = [a.usual_event(), b.usual_event()];
    let usual = EventGroup::of_all(&usual).unwrap_or_default();
    let metrics = fields::common(a, b);
    let mut notes = operand::notes(a, b);
    if metrics.is_empty() {
        notes.push("no metric is known of both, so times and amounts are not compared".into());
    }
    if let Some(name) = conclusions::without_search(a, b) {
        notes.push(format!("nothing was searched in {name}, so conclusions are not compared"));
    }
    let tried = fields::uncertain(&metrics, a, b) + composition::families(&metrics);
    let delta = settings.delta(a, b, tried);
    let wall_delta = settings.delta(a, b, 1);
    let wall = wall::compared(a, b, &wall_delta);
    let differences = ranking::ranked(&group, &metrics, (a, b), &delta);
    let results: Vec<PairedResult> = fields::paired(&group, &metrics, a, b);
    Comparison {
        format: "whyperf-comparison",
        version: 1,
        runs: vec![a.described(1), b.described(2)],
        wall,
        differences,
        conclusions: conclusions::compared(a, b, &wall_delta),
        structure: structure::differing(&usual),
        parts: parts::compared(a, b, settings, &metrics),
        distance: [euclidean(&results), weighted_mean(&results)],
        notes,
    }
}
