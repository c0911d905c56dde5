//! What differs between two operands, each metric at the most special focus that explains most of its change; causes first.
//!
//! A program that computes longer in one rank lets the others wait, and the waiting of three is more than the computing of one. So a
//! difference counts with the part that it has in the change of the threads' time, and
//!
//! * work, and requests (whose part is the waiting at the same focus), with all of it;
//! * waiting with a tenth, but for waiting where requests changed, too, which tells nothing new and counts with a hundredth.
//!
//! Of what the program computes the parts of each run are compared with each other, too (`composition.rs`): a rank that computes a fifth more is
//! lost in how the time of all of them varies from run to run, and stands out among the ranks of its run. What a process calls more often
//! than the others counts with the time that the calls take.
//!
//! What goes the other way than the threads' time counts with a tenth of that.

use serde::Serialize;
use whyperf_model::{Focus, Metric};

use super::composition::{ShiftedCalls, TellingParts, shifted_calls, telling_parts};
use super::descent::{is_all_there_is, most_special, own_change};
use super::fields::{ComparedMetric, MetricRole};
use super::operand::Operand;
use super::shifted_part::ShiftedPart;
use crate::program_event::{
    Delta, Difference, DifferenceTree, DiscreteDistance, EventGroup, Explanation,
    PerformanceResults as _, Scope, Trials, alike_results, performance_difference,
};

/// A part of a difference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedPart {
    /// Where.
    pub focus: String,
    /// Its share of the difference; more than 1 where others changed in the other direction.
    pub share: f64,
}

/// A metric that differs, where most of that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedDifference {
    /// Which metric.
    pub metric: &'static str,
    /// Its unit: values are amounts of it, added up over threads.
    pub unit: &'static str,
    /// Where: the most special focus that explains most of it.
    pub focus: String,
    /// What the first operand had there, as the mean of its trials.
    pub a: f64,
    /// What the second had.
    pub b: f64,
    /// What the second has more, as a share of the first; none where that had nothing.
    pub change: Option<f64>,
    /// What it grew by beside other parts of the same run, as a share: a process beside the others, a function as a part of the whole. None where that
    /// was not compared, or it came from nothing.
    pub beside: Option<f64>,
    /// Its part of what the time of all threads changed by; of requests, that of the waiting for them. None where the time of the threads
    /// does not differ.
    pub share_of_change: Option<f64>,
    /// Standard deviation over the trials of each; none of a single trial.
    pub spread: [Option<f64>; 2],
    /// Whether it is a cause, or more likely follows from one.
    pub is_cause: bool,
    /// Which parts of this focus explain it further, those with the largest share first.
    pub parts: Vec<ExplainedPart>,
    /// The differences from the whole program down to this focus.
    pub path: Vec<ExplainedPart>,
    #[serde(skip)]
    priority: f64,
}

/// All that differs.
pub(super) fn ranked(
    group: &EventGroup,
    metrics: &[ComparedMetric],
    (a, b): (&mut Operand, &mut Operand),
    delta: &Delta,
) -> Vec<RankedDifference> {
    let mut found: Vec<RankedDifference> = Vec::new();
    let of_threads = ThreadTime::of(a, b, delta);
    for row in metrics {
        let tree = performance_difference(group, row.metric, (a, b), delta, SCOPE);
        let places = match row.role {
            MetricRole::Work => {
                let parts = telling_parts(group, row.metric, (a, b), delta);
                with_parts(group, tree, parts)
            }
            MetricRole::Requests(_) | MetricRole::Waiting => vec![Place::of(group, tree)],
        };
        let of_row = places.iter().filter_map(|place| {
            let last = place.last()?;
            let time = time_of(row, last, (a, b));
            Some(named(group, row, place, time, of_threads))
        });
        found.extend(of_row.collect::<Vec<_>>().into_iter().flatten());
    }
    if let Some(ShiftedCalls { part, time }) = shifted_calls(group, (a, b), delta) {
        let row = ComparedMetric { metric: part.metric, role: MetricRole::Requests(Metric::Cpu) };
        found.extend(named(group, &row, &Place::alone(part), Some(time), of_threads));
    }
    let causes: Vec<String> =
        found.iter().filter(|one| one.is_cause).map(|one| one.focus.clone()).collect();
    for one in found.iter_mut().filter(|one| !one.is_cause && causes.contains(&one.focus)) {
        one.priority *= 0.1;
    }
    found.sort_by(|one, other| other.priority.total_cmp(&one.priority));
    found
}

/// Where a metric differs, with the way there.
struct Place {
    tree: DifferenceTree,
    /// Positions in the tree, from the whole program downwards.
    way: Vec<usize>,
    /// By how much the last of them grew beside other parts of the run, as a logarithm.
    growth: Option<f64>,
}

impl Place {
    fn of(group: &EventGroup, tree: DifferenceTree) -> Self {
        let way = most_special(group, &tree);
        Self { tree, way, growth: None }
    }

    /// One that is found without the whole program.
    fn alone(part: ShiftedPart) -> Self {
        let mut place = Self { tree: DifferenceTree::default(), way: Vec::new(), growth: None };
        place.go_to(part);
        place
    }

    fn go_to(&mut self, part: ShiftedPart) {
        self.way.push(self.tree.found.len());
        self.tree.found.push(part.difference);
        self.growth = Some(part.growth);
    }

    fn last(&self) -> Option<&Difference> {
        self.way.last().map(|last| &self.tree.found[*last])
    }
}

/// Where work differs: as far down as the tree goes, and further where a part of the runs tells more.
fn with_parts(group: &EventGroup, tree: DifferenceTree, parts: TellingParts) -> Vec<Place> {
    let mut place = Place::of(group, tree);
    let Some(last) = place.last() else {
        let parts = match parts {
            TellingParts::Cause(part) => vec![part],
            TellingParts::Moved(parts) => parts,
        };
        return parts.into_iter().map(Place::alone).collect();
    };
    if let TellingParts::Cause(part) = parts
        && part.difference.focus != last.focus
    {
        let is_below = last.focus.contains(&part.difference.focus);
        if !is_below && own_change(&part.difference) < MORE_SPECIAL * own_change(last) {
            return vec![place];
        }
        if !is_below {
            place.way.truncate(1);
        }
        place.go_to(part);
    }
    vec![place]
}

/// What a difference comes to in time; of requests that is the waiting for them.
fn time_of(
    row: &ComparedMetric,
    difference: &Difference,
    (a, b): (&mut Operand, &mut Operand),
) -> Option<f64> {
    match row.role {
        MetricRole::Requests(waiting) => change(a, b, waiting, &difference.focus),
        MetricRole::Work if row.metric == Metric::Instructions => {
            change(a, b, Metric::Cpu, &difference.focus)
        }
        MetricRole::Work | MetricRole::Waiting => Some(difference.change),
    }
}

/// Foci that explain less than a tenth of a metric's change are not looked into.
const SCOPE: Scope = Scope { least_share: 0.1, most: 4000 };

/// What changed by so many times more of its own explains the same change better.
const MORE_SPECIAL: f64 = 1.5;

/// A part that is worth a line.
const WORTH_A_LINE: f64 = 0.1;

/// What the second has more than the first.
fn change(a: &mut Operand, b: &mut Operand, metric: Metric, focus: &Focus) -> Option<f64> {
    let [a, b] = alike_results(metric, focus, (a, b)).map(|of| of.mean());
    Some(b? - a?)
}

/// The difference of a metric at a place; none where it has none.
fn named(
    group: &EventGroup,
    row: &ComparedMetric,
    place: &Place,
    time: Option<f64>,
    of_threads: ThreadTime,
) -> Option<RankedDifference> {
    let Place { tree, way, growth } = place;
    let last = *way.last()?;
    let difference = &tree.found[last];
    let focus = &difference.focus;
    let share = time.zip(of_threads.change).map(|(time, all)| time / all);
    let is_cause = row.role != MetricRole::Waiting;
    let part = |one: &Explanation| ExplainedPart {
        focus: tree.found[one.part].focus.to_string(),
        share: one.share,
    };
    let whole = tree.found[0].change;
    let step = |position: &usize| ExplainedPart {
        focus: tree.found[*position].focus.to_string(),
        share: tree.found[*position].change / whole,
    };
    let further = tree.children.get(&last).into_iter().flatten();
    let further = further.filter(|one| !is_all_there_is(group, tree, one));
    let mean = |trials: &Trials| trials.mean().unwrap_or_default();
    let (of_a, of_b) = (mean(&difference.a), mean(&difference.b));
    Some(RankedDifference {
        metric: row.metric.name(),
        unit: row.metric.definition().unit.symbol(),
        focus: focus.to_string(),
        a: of_a,
        b: of_b,
        change: (of_a != 0.0).then(|| of_b / of_a - 1.0),
        beside: growth.map(f64::exp_m1).filter(|beside| beside.is_finite()),
        share_of_change: share,
        spread: [difference.a.spread(), difference.b.spread()],
        is_cause,
        parts: further.filter(|one| one.share >= WORTH_A_LINE).map(part).collect(),
        path: way.iter().map(step).collect(),
        priority: of_threads.priority(time.unwrap_or_default(), is_cause),
    })
}

/// The time of all threads of both operands, which is what matters in the end.
#[derive(Clone, Copy)]
struct ThreadTime {
    /// The larger of the two.
    larger: f64,
    /// What the second has more; none where they do not differ.
    change: Option<f64>,
}

impl ThreadTime {
    fn of(a: &mut Operand, b: &mut Operand, delta: &Delta) -> Self {
        let [a, b] = [a, b].map(|of| of.results(Metric::Wall, &Focus::whole_program()));
        let differs = delta.distance(&a, &b) == DiscreteDistance::Differs;
        let [a, b] = [a, b].map(|of| of.mean().unwrap_or_default());
        Self { larger: a.max(b), change: differs.then_some(b - a) }
    }

    /// What a difference counts that comes to so much time.
    fn priority(self, time: f64, is_cause: bool) -> f64 {
        let share = time / self.change.unwrap_or(self.larger);
        let share = if share.is_finite() { share } else { 0.0 };
        let is_opposite = self.change.is_some() && share < 0.0;
        let of_direction = share.abs() * if is_opposite { 0.1 } else { 1.0 };
        // However little it is, a cause that is known stands before nothing.
        (of_direction + f64::MIN_POSITIVE) * if is_cause { 1.0 } else { 0.1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program_event::StatedResults;

    fn of_ranks(cpu: &[u32]) -> Operand {
        let mut lines = vec!["whyperf results 1".to_owned()];
        let sum: u32 = cpu.iter().sum();
        lines.push(format!("cpu <> {sum} s"));
        for (rank, seconds) in cpu.iter().enumerate() {
            lines.push(format!("cpu </Process/{rank}> {seconds} s"));
        }
        let results = StatedResults::parse(&lines.join("\n")).expect("well formed");
        Operand::stated("stated".to_owned(), results)
    }

    fn places(a: &[u32], b: &[u32]) -> Vec<String> {
        let (mut a, mut b) = (of_ranks(a), of_ranks(b));
        let group = EventGroup::of_all(&[a.event(), b.event()]).expect("two");
        let delta = Delta::Relative(0.1);
        let metrics = [ComparedMetric { metric: Metric::Cpu, role: MetricRole::Work }];
        let found = ranked(&group, &metrics, (&mut a, &mut b), &delta);
        found.into_iter().map(|one| one.focus).collect()
    }

    #[test]
    fn shares_of_processes_are_compared_where_they_are_the_same_processes() {
        let [first, second] =
            ["0", "1"].map(|one| format!("</Code,/Machine,/Process/{one},/SyncObject>"));
        assert_eq!(places(&[10, 10], &[13, 7]), [first, second]);
        assert_eq!(places(&[10, 10], &[5, 5, 5, 5]), Vec::<String>::new());
    }
}
