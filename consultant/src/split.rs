//! Finds whether processes differ from the others beside them: only then is one of them a finding of its own, and not all
//! of them together.
//!
//! ```text
//!   waiting   rank 2  ▒▒▒▒▒▒▒▒▒▒       values in descending order; each is compared with the mean of all
//!             rank 0  ▒▒▒▒▒▒▒▒▒        that are lower. The last one that lies above it by the margin
//!             rank 3  ▒▒▒▒▒▒▒▒▒    ◄── is where they split:
//!             rank 1  ▒▒▒              (rank 2, rank 0, rank 3) wait more than the others
//! ```
//!
//! * The amount of the lower processes is that of the node of all processes, less that of the higher ones. So the
//!   comparison needs no measurement of its own, and a process that was found false, or has no verdict yet, takes part in
//!   it.
//! * The difference of two values is taken bin by bin of the time that both were measured, and tested by [`Margin`]. A
//!   change that all processes have at once cancels out.
//! * The margin is a twentieth of the time, or a quarter of the threshold where that is less; for a value that is no share
//!   it is 0.125 of a score. Values count by their scores, as `score.rs` defines them.
//! * A difference as large as the threshold needs no test: whatever its reason, this run had it. In the first two seconds
//!   only such a difference counts, and only if it is there all the time.
//! * A process with less than a hundredth of what comes to one on average, as one that is idle but for a moment, differs from nobody: what it does
//!   most is nothing that the program does.
//! * A hypothesis whose metric compares processes is true only of those that differ.
//! * Where the node of all processes was not measured at the same time, nothing can be tested: then only a difference
//!   counts that is as large as the threshold.
//! * Where the same question was not asked of all processes, or not for two seconds, the node has the split of the question
//!   about the same process in all its code, or of a more general hypothesis about it; unless the others have next to
//!   nothing of it.
//!
//! Machines and threads are split in the same way, each among the parts of one resource.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use whyperf_model::Hierarchy;

use crate::graph::Graph;
use crate::hypothesis::{Hypotheses, Hypothesis};
use crate::margin::{Beside, Margin};
use crate::node::{NodeId, PairNode, PartsKey, divided};
use crate::refine::{FIRST, LAST};
use crate::score::Score;
use crate::series::SeriesBin;

/// What a finding says of processes and machines.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// It is about all of them.
    #[default]
    All,
    /// It names some, and there is nothing to compare them with.
    Uncompared,
    /// It names some, which do not differ from the others. Such a node is no finding.
    Alike,
    /// It names some, whose value is beyond that of others by a tested margin.
    Differing,
}

impl Split {
    /// The word that stores, reports and exports hold.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Uncompared => "uncompared",
            Self::Alike => "alike",
            Self::Differing => "differing",
        }
    }
}

/// The splits of a graph as it stands, each found once.
#[derive(Debug)]
pub(crate) struct Splits<'a> {
    graph: &'a Graph,
    hypotheses: &'a Hypotheses,
    /// The chance of an error in one comparison of all parts of a focus; none where only large differences count.
    error: Option<f64>,
    /// For each parts that were compared those that are beyond the others; none where nothing could be compared.
    known: BTreeMap<PartsKey, Option<Compared>>,
}

/// What took part in a comparison, and what became of it.
type Compared = BTreeMap<NodeId, PartOutcome>;

/// What a comparison says of one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartOutcome {
    /// It is beyond others.
    Beyond,
    /// It is not.
    Within,
    /// It was not measured for long enough: it is as the finding about its process.
    TooShort,
}

impl<'a> Splits<'a> {
    /// Nothing is compared yet. The chance of an error is that of one comparison of all parts of a focus.
    pub(crate) const fn new(graph: &'a Graph, hypotheses: &'a Hypotheses, error: f64) -> Self {
        Self { graph, hypotheses, error: Some(error), known: BTreeMap::new() }
    }

    /// The same for what is said at once, and not taken back when the run has shown more: a difference counts when it is as large as the threshold.
    pub(crate) fn at_once(self) -> Self {
        Self { error: None, ..self }
    }

    /// What a node says of processes and machines.
    pub(crate) fn of(&mut self, id: NodeId) -> Split {
        let (mut next, mut otherwise) = (Some(id), Split::Uncompared);
        while let Some(id) = next {
            let node = self.graph.node(id);
            if divided(&node.focus).is_none() {
                return Split::All;
            }
            if self.hypotheses.row(node.hypothesis).compares() {
                return Split::Differing;
            }
            let compared = node.parts_key().and_then(|key| self.compared(key));
            match compared.and_then(|compared| compared.get(&id)) {
                Some(PartOutcome::Beyond) => return Split::Differing,
                Some(PartOutcome::Within) => return Split::Alike,
                Some(PartOutcome::TooShort) => otherwise = Split::Alike,
                None => {}
            }
            next = self.more_general(node);
        }
        otherwise
    }

    /// The same process in all its code, or a more general hypothesis about it.
    fn more_general(&self, node: &PairNode) -> Option<NodeId> {
        let places = [node.focus.projected(&LAST), node.focus.projected(&[Hierarchy::Process])];
        let divided = places.iter().filter(|place| divided(place) == divided(&node.focus));
        let here = divided.clone().filter(|place| place.depth() < node.focus.depth());
        let here = here.map(|place| (node.hypothesis, place));
        let row = self.hypotheses.row(node.hypothesis);
        let above = std::iter::successors(row.parent, |of| self.hypotheses.row(*of).parent);
        let above = above.flat_map(|of| divided.clone().map(move |place| (of, place)));
        here.chain(above).find_map(|(of, place)| self.graph.find(of, place))
    }

    fn compared(&mut self, key: PartsKey) -> Option<&Compared> {
        let (graph, row, error) = (self.graph, self.hypotheses.row(key.0), self.error);
        self.known.entry(key).or_insert_with_key(|key| compare(graph, key, row, error)).as_ref()
    }
}

/// Compares the parts of a focus with each other; none when all of them together were not measured.
fn compare(
    graph: &Graph,
    key: &PartsKey,
    row: &Hypothesis,
    error: Option<f64>,
) -> Option<Compared> {
    let (hypothesis, _, focus) = key;
    let whole = { graph.find(*hypothesis, focus) }
        .or_else(|| graph.find(*hypothesis, &focus.projected(&FIRST)))?;
    let parts = graph.parts(key);
    let nodes = parts.iter().chain([&whole]).map(|id| &graph.node(*id).series);
    let width = nodes.map(|series| series.width()).max()?;
    let mut lower = graph.node(whole).series.bins(width);
    let scale = ComparisonScale::of(row);
    let all = SeriesBin::sum(&lower);
    // Of the whole program the first seconds count: nothing more general can be asked.
    let least = if focus.depth() == 0 { 0.0 } else { LONG };
    let (mut ordered, mut outcomes) = (Vec::new(), Compared::new());
    for id in parts {
        let part = SplitPart::new(*id, graph.node(*id).series.bins(width), &lower, scale);
        if is_hardly_there(&part.bins, all, parts.len()) {
            outcomes.insert(*id, PartOutcome::Within);
            continue;
        }
        let seconds = |bins: f64| bins * width.as_secs_f64();
        if part.common > 0 && seconds(part.common as f64) >= least {
            ordered.push(part);
        } else if seconds(SeriesBin::sum(&part.bins).covered.into()) >= LONG {
            outcomes.extend(untested(&part.bins, all, scale).map(|outcome| (*id, outcome)));
        } else {
            outcomes.insert(*id, at_first(&part.bins, all, scale));
        }
    }
    ordered.sort_by(|one, other| other.surplus.total_cmp(&one.surplus).then(one.id.cmp(&other.id)));
    let values: Vec<f64> = ordered.iter().map(|part| part.surplus).collect();
    let margin = error
        .map(|error| Margin { least: scale.margin(), error: error / values.len().max(1) as f64 });
    let mut last = 0;
    for (at, part) in ordered.iter().enumerate() {
        part.take_from(&mut lower);
        let differences = part.above(&lower, scale);
        let (above, below) = values.split_at(at + 1);
        let beside = Beside { differences: &differences, above, below };
        let length = differences.len() as f64 * width.as_secs_f64();
        let is_tested = length >= LONG && margin.is_some_and(|margin| margin.is_passed(beside));
        if is_tested || is_large(&differences, length, scale) {
            last = at + 1;
        }
    }
    for (at, part) in ordered.iter().enumerate() {
        outcomes.insert(part.id, if at < last { PartOutcome::Beyond } else { PartOutcome::Within });
    }
    Some(outcomes)
}

/// Whether a part has next to nothing beside what comes to one of so many on average.
#[expect(clippy::cast_precision_loss, reason = "of so many parts nothing depends on the last")]
fn is_hardly_there(bins: &[SeriesBin], whole: SeriesBin, parts: usize) -> bool {
    let part = SeriesBin::sum(bins);
    part.denominator < HARDLY * whole.in_time_of(part).denominator / parts as f32
}

/// Whether differences over so many seconds are as large as the threshold: at first all the time, later on average.
fn is_large(differences: &[f64], length: f64, scale: ComparisonScale) -> bool {
    let mean = differences.iter().sum::<f64>() / differences.len() as f64;
    let is_steady = differences.iter().all(|one| *one > 0.0);
    mean >= scale.0.large() && (length >= LONG || is_steady && differences.len() >= MANY)
}

/// What a part is that was not measured when all of them were: beyond the others if it is by as much as the threshold. None when there
/// are no others.
fn untested(bins: &[SeriesBin], whole: SeriesBin, scale: ComparisonScale) -> Option<PartOutcome> {
    let (part, others) = scale.beside(bins, whole)?;
    Some(if part - others >= scale.0.large() { PartOutcome::Beyond } else { PartOutcome::Within })
}

/// What a part is that was hardly measured: beyond the others if those have next to nothing.
fn at_first(bins: &[SeriesBin], whole: SeriesBin, scale: ComparisonScale) -> PartOutcome {
    let is_alone =
        |(part, others): (f64, f64)| part - others >= scale.0.large() && others <= part / 10.0;
    let is_beyond = scale.beside(bins, whole).is_some_and(is_alone);
    if is_beyond { PartOutcome::Beyond } else { PartOutcome::TooShort }
}

/// One part, over the time in which all of them together were measured, too.
struct SplitPart {
    id: NodeId,
    bins: Vec<SeriesBin>,
    /// How much larger it is than all together, on average.
    surplus: f64,
    /// In how many bins both were measured.
    common: usize,
}

impl SplitPart {
    fn new(id: NodeId, bins: Vec<SeriesBin>, whole: &[SeriesBin], scale: ComparisonScale) -> Self {
        let part = Self { id, bins, surplus: 0.0, common: 0 };
        let differences = part.above(whole, scale);
        let common = differences.len();
        let surplus = differences.iter().sum::<f64>() / common.max(1) as f64;
        Self { surplus, common, ..part }
    }

    /// Takes what it has from what all together have.
    fn take_from(&self, whole: &mut [SeriesBin]) {
        for (bin, whole) in self.bins.iter().zip(whole) {
            if is_common(bin, whole) {
                *whole = whole.less(*bin);
            }
        }
    }

    /// By how much it lies above the others, in each bin in which there are others.
    fn above(&self, others: &[SeriesBin], scale: ComparisonScale) -> Vec<f64> {
        let common = self.bins.iter().zip(others).filter(|(bin, others)| is_common(bin, others));
        common
            .filter(|(bin, others)| others.denominator > NOTHING * bin.denominator)
            .map(|(bin, others)| scale.score(bin) - scale.score(others))
            .collect()
    }
}

/// Whether both were measured for most of a bin, and for the same part of it.
fn is_common(one: &SeriesBin, other: &SeriesBin) -> bool {
    one.covered > 0.5 && (one.covered - other.covered).abs() < 0.05 && one.denominator > 0.0
}

/// How values of a hypothesis are compared.
#[derive(Clone, Copy, Debug)]
struct ComparisonScale(Score);

impl ComparisonScale {
    fn of(row: &Hypothesis) -> Self {
        Self(Score::of(row))
    }

    fn score(self, bin: &SeriesBin) -> f64 {
        self.0.score(f64::from(bin.numerator) / f64::from(bin.denominator) * self.0.factor())
    }

    /// The scores of a part and of all others, each over the time in which it was measured; none when there are no others.
    fn beside(self, bins: &[SeriesBin], whole: SeriesBin) -> Option<(f64, f64)> {
        let part = SeriesBin::sum(bins);
        let others = whole.in_time_of(part).less(part);
        let is_there = part.denominator > 0.0 && others.denominator > NOTHING * part.denominator;
        is_there.then(|| (self.score(&part), self.score(&others)))
    }

    fn margin(self) -> f64 {
        if self.0.is_share() { (self.0.threshold / 4.0).min(MARGIN) } else { 0.125 }
    }
}

/// A difference of less than this share of the time is not worth a change of the program, however sure it is.
const MARGIN: f64 = 0.05;
/// So many seconds show whether a difference lasts.
const LONG: f64 = 2.0;
/// So many bins are enough for a difference that is large in each of them.
const MANY: usize = 8;
/// Of so small a share of what comes to one part on average nothing is said.
const HARDLY: f32 = 0.01;
/// What is left of others when there are none, as a share of one part: an error of rounding.
const NOTHING: f32 = 1e-3;
