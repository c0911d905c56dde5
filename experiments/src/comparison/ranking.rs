//! What differs between two operands, each metric at the most special focus that explains most of its change; causes first.
//!
//! A program that computes longer in one rank lets the others wait, and the waiting of three is more than the computing of one. So a
//! difference counts with the part that it has in the change of the threads' time, and
//!
//! * work, and requests (whose part is the waiting at the same focus), with all of it;
//! * waiting with a tenth, but for waiting where requests changed, too, which tells nothing new and counts with a hundredth.
//!
//! Of what the program computes, shares are compared, too: a rank that computes a fifth more is lost in how the time of all of them varies from
//! run to run, and stands out among the ranks of its run.
//!
//! What goes the other way than the threads' time counts with a tenth of that.

use serde::Serialize;
use whyperf_model::{Focus, Hierarchy, Metric};

use super::fields::{ComparedMetric, MetricRole};
use super::operand::Operand;
use crate::program_event::{
    Delta, Difference, DifferenceTree, DiscreteDistance, EventGroup, Explanation,
    PerformanceResults as _, Scope, Trials, performance_difference,
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
        let mut tree = performance_difference(group, row.metric, (a, b), delta, SCOPE);
        if tree.found.is_empty() && row.role == MetricRole::Work {
            tree = shares(group, row.metric, (a, b), delta);
        }
        if let Some(one) = named(group, row, &tree, (a, b), of_threads) {
            found.push(one);
        }
    }
    let causes: Vec<String> =
        found.iter().filter(|one| one.is_cause).map(|one| one.focus.clone()).collect();
    for one in found.iter_mut().filter(|one| !one.is_cause && causes.contains(&one.focus)) {
        one.priority *= 0.1;
    }
    found.sort_by(|one, other| other.priority.total_cmp(&one.priority));
    found
}

/// The process whose part of the whole program differs most, as the only difference; nothing where none differs.
fn shares(
    group: &EventGroup,
    metric: Metric,
    (a, b): (&mut Operand, &mut Operand),
    delta: &Delta,
) -> DifferenceTree {
    let whole = Focus::whole_program();
    let foci = group.magnify_in(&whole, Hierarchy::Process);
    let is_of_both = |focus: &Focus| {
        let processes = focus.part(Hierarchy::Process).iter();
        processes.map(|one| group.label(one)).all(|label| label == group.everybody())
    };
    // Among more processes each has a smaller part, which tells nothing.
    if !foci.iter().all(is_of_both) {
        return DifferenceTree::default();
    }
    let delta = delta.divided(foci.len());
    let mut most: Option<(f64, Difference)> = None;
    for focus in foci {
        let of = |operand: &mut Operand| {
            let (part, all) = (operand.results(metric, &focus), operand.results(metric, &whole));
            let pairs = part.values().iter().zip(all.values());
            let shares: Trials = pairs.map(|(part, all)| part / all).collect();
            (part, shares)
        };
        let ((in_a, of_a), (in_b, of_b)) = (of(a), of(b));
        let grown = of_b.mean().unwrap_or_default() - of_a.mean().unwrap_or_default();
        let differs = delta.distance(&of_a, &of_b) == DiscreteDistance::Differs;
        if differs && most.as_ref().is_none_or(|(known, _)| grown.abs() > known.abs()) {
            let change = in_b.mean().unwrap_or_default() - in_a.mean().unwrap_or_default();
            most = Some((grown, Difference { focus, a: in_a, b: in_b, change }));
        }
    }
    let found = most.into_iter().map(|(_, difference)| difference).collect();
    DifferenceTree { found, ..DifferenceTree::default() }
}

/// Foci that explain less than a tenth of a metric's change are not looked into.
const SCOPE: Scope = Scope { least_share: 0.1, most: 4000 };

/// So much of a difference is most of it.
const MOST_OF_IT: f64 = 0.8;

/// A part that is worth a line.
const WORTH_A_LINE: f64 = 0.1;

/// What the second has more than the first.
fn change(a: &mut Operand, b: &mut Operand, metric: Metric, focus: &Focus) -> Option<f64> {
    let [a, b] = [a, b].map(|of| of.results(metric, focus).mean());
    Some(b? - a?)
}

/// The difference of a metric where most of it is; none where the whole program does not differ.
fn named(
    group: &EventGroup,
    row: &ComparedMetric,
    tree: &DifferenceTree,
    (a, b): (&mut Operand, &mut Operand),
    of_threads: ThreadTime,
) -> Option<RankedDifference> {
    let way = most_special(group, tree);
    let last = *way.last()?;
    let difference = &tree.found[last];
    let focus = &difference.focus;
    let time = match row.role {
        MetricRole::Requests(waiting) => change(a, b, waiting, focus),
        MetricRole::Work if row.metric == Metric::Instructions => change(a, b, Metric::Cpu, focus),
        MetricRole::Work | MetricRole::Waiting => Some(difference.change),
    };
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

/// From the whole program down, always to the part that explains its change best, as long as that is nearly all of it.
fn most_special(group: &EventGroup, tree: &DifferenceTree) -> Vec<usize> {
    let mut way: Vec<usize> = tree.found.first().map(|_| 0).into_iter().collect();
    while let Some(last) = way.last() {
        let parts = tree.children.get(last).into_iter().flatten();
        let explains =
            |one: &&Explanation| one.share >= MOST_OF_IT && !is_all_there_is(group, tree, one);
        // With a process its machine is named.
        let has_process = !tree.found[*last].focus.is_root(Hierarchy::Process);
        let is_new = |one: &&Explanation| !(has_process && one.hierarchy == Hierarchy::Machine);
        // All of it rather than more than all, which others made up for.
        let beside = |one: &&Explanation| (one.share - 1.0).abs();
        let is_machine = |one: &&Explanation| one.hierarchy == Hierarchy::Machine;
        let most = parts.filter(explains).filter(is_new).min_by(|one, other| {
            let by_share = beside(one).total_cmp(&beside(other));
            by_share.then(is_machine(one).cmp(&is_machine(other)))
        });
        let Some(next) = most else { break };
        way.push(next.part);
    }
    way
}

/// Whether a part is the only machine, process or thread, and so names nothing.
fn is_all_there_is(group: &EventGroup, tree: &DifferenceTree, one: &Explanation) -> bool {
    let resource = &tree.found[one.part].focus.part(one.hierarchy)[0];
    let siblings = resource.parent().map_or(0, |above| group.union().children(&above).count());
    matches!(one.hierarchy, Hierarchy::Machine | Hierarchy::Process) && siblings < 2
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
        let found = shares(&group, Metric::Cpu, (&mut a, &mut b), &delta).found;
        found.iter().map(|one| one.focus.part(Hierarchy::Process)[0].to_string()).collect()
    }

    #[test]
    fn shares_of_processes_are_compared_where_they_are_the_same_processes() {
        assert_eq!(places(&[10, 10], &[13, 7]), ["/Process/0"]);
        assert_eq!(places(&[10, 10], &[5, 5, 5, 5]), Vec::<String>::new());
    }
}
