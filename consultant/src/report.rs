//! The result of a search: the true nodes as a tree, the leading one first, the most specific ones last in each branch.
//!
//! A branch is a top-level hypothesis; branches follow each other by rank, then by value, but what costs more leads (`lead.rs`). Each true node stands below the
//! true parent that was refined last (by code, if it can choose), so a node with several parents is shown once. Processes
//! that do not differ from the others (`split.rs`) are left out: the finding is that of all of them together. Processes
//! that differ in the same way become one finding.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use whyperf_model::{Focus, Hierarchy};

use crate::bottleneck::Bottleneck;
use crate::gather::gathered;
use crate::graph::Graph;
use crate::hypothesis::{Hypotheses, Normalizer, Operator};
use crate::lead;
use crate::node::{NodeId, PairNode, RefinementAxis};
use crate::score::Score;
use crate::split::{Split, Splits};
use crate::step::Subject;
use crate::stretch::{Stretch, Timeline, stretches};
use crate::truth::Truth;
use crate::undecided::{Undecided, undecided};

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchResult {
    /// The leading finding first; a finding's refinements follow it.
    pub bottlenecks: Vec<Bottleneck>,
    /// What could not be told, and why.
    pub untold: Vec<UnansweredQuestion>,
    /// What may well be true and stayed undecided, the one furthest beyond its threshold first.
    pub undecided: Vec<Undecided>,
    /// What directives did.
    pub guided: DirectiveOutcome,
    /// How much was asked.
    pub counts: QuestionCounts,
}

/// What became of directives.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DirectiveOutcome {
    /// How many had a say.
    pub used: usize,
    /// Questions to be asked at once that name what never came.
    pub waiting: Vec<Subject>,
    /// Questions that were not asked because a prune forbids them.
    pub pruned: Vec<Subject>,
}

/// A question without an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnansweredQuestion {
    /// What was asked.
    pub hypothesis: Cow<'static, str>,
    /// Of what.
    pub focus: Focus,
    /// Why there is no answer, in a few words.
    pub reason: String,
}

/// How many questions were asked, and what came of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QuestionCounts {
    /// Nodes that were measured at all.
    pub tested: usize,
    /// Nodes that are true.
    pub found: usize,
    /// Nodes that were measured and could not be concluded.
    pub unknown: usize,
    /// All nodes, also those that still wait.
    pub nodes: usize,
}

impl QuestionCounts {
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut counts = Self::default();
        for id in graph.ids() {
            let node = graph.node(id);
            counts.nodes += 1;
            counts.tested += usize::from(node.asked > 0);
            counts.found += usize::from(node.truth == Truth::True);
            counts.unknown += usize::from(node.asked > 0 && node.truth == Truth::Unknown);
        }
        counts
    }
}

/// The chance of an error is that of taking processes for different that are not.
pub(crate) fn report(
    graph: &Graph,
    hypotheses: &Hypotheses,
    guided: DirectiveOutcome,
    error: f64,
) -> SearchResult {
    let tree = FindingTree::of(graph, hypotheses, error);
    let untold = graph.ids().map(|id| graph.node(id)).filter_map(|node| {
        let hypothesis = hypotheses.row(node.hypothesis).name.clone();
        Some(UnansweredQuestion {
            hypothesis,
            focus: node.focus.clone(),
            reason: node.reason()?.to_owned(),
        })
    });
    let (untold, counts) = (untold.collect(), QuestionCounts::of(graph));
    let undecided = undecided(graph, hypotheses);
    SearchResult { bottlenecks: gathered(tree.bottlenecks()), untold, undecided, guided, counts }
}

/// Values that are larger by less are taken for the same.
const NEARLY: f64 = 1.02;

/// A part that is larger than its whole by more is none. Both may be measured in other parts of the run.
const CLEARLY: f64 = 1.25;

/// The true nodes worth reporting, each below one parent.
struct FindingTree<'a> {
    graph: &'a Graph,
    hypotheses: &'a Hypotheses,
    /// With what they say of processes.
    shown: BTreeMap<NodeId, Split>,
    above: BTreeMap<NodeId, NodeId>,
    below: BTreeMap<Option<NodeId>, Vec<NodeId>>,
}

impl<'a> FindingTree<'a> {
    fn of(graph: &'a Graph, hypotheses: &'a Hypotheses, error: f64) -> Self {
        let mut splits = Splits::new(graph, hypotheses, error);
        let found = graph.ids().filter(|id| graph.node(*id).truth == Truth::True);
        let split = found.map(|id| (id, splits.of(id)));
        let shown = split.filter(|(_, split)| *split != Split::Alike).collect();
        let (above, below) = (BTreeMap::new(), BTreeMap::new());
        let mut tree = Self { graph, hypotheses, shown, above, below };
        let bare: BTreeSet<_> = tree.shown.keys().copied().filter(|id| tree.is_bare(*id)).collect();
        tree.shown.retain(|id, _| !bare.contains(id));
        for id in tree.shown.keys().copied().collect::<Vec<_>>() {
            let parent = tree.parent(id);
            tree.above.extend(parent.map(|parent| (id, parent)));
            tree.below.entry(parent).or_default().push(id);
        }
        let mut below = std::mem::take(&mut tree.below);
        for siblings in below.values_mut() {
            siblings.sort_by(|one, other| tree.compare(*one, *other));
        }
        if let Some(branches) = below.get_mut(&None) {
            lead::by_cost(graph, hypotheses, branches);
        }
        tree.below = below;
        tree
    }

    fn bottlenecks(&self) -> Vec<Bottleneck> {
        let mut found = Vec::new();
        let mut pending = vec![(None, 0)];
        while let Some((parent, depth)) = pending.pop() {
            if let Some(id) = parent {
                found.extend(self.bottleneck(id, depth - 1));
            }
            let children = self.below.get(&parent).into_iter().flatten().rev();
            pending.extend(children.map(|child| (Some(*child), depth + 1)));
        }
        found
    }

    fn bottleneck(&self, id: NodeId, depth: usize) -> Option<Bottleneck> {
        let node = self.graph.node(id);
        let row = self.hypotheses.row(node.hypothesis);
        let (found, ground) = node.found?;
        let (value, interval) = node.value()?;
        Some(Bottleneck {
            hypothesis: row.name.clone(),
            focus: node.focus.clone(),
            value,
            error: node.error(),
            interval,
            happened: self.happened(id),
            threshold: row.threshold,
            operator: row.operator.symbol(),
            found,
            since: ground.since,
            confidence: ground.confidence,
            coverage: node.coverage(),
            origin: node.origin,
            split: self.shown.get(&id).copied()?,
            leaf: !self.has_finer(id),
            depth,
            meaning: row.meaning.clone(),
            advice: row.advice.clone(),
        })
    }

    /// When it happened. A value over the run that is not beyond the threshold was so at least while it was measured.
    fn happened(&self, id: NodeId) -> Vec<Stretch> {
        let node = self.graph.node(id);
        let row = self.hypotheses.row(node.hypothesis);
        let Some((value, _)) = node.value() else { return Vec::new() };
        let found = stretches(&self.timeline(id), Score::of(row));
        if !found.is_empty() || row.operator.holds(value, row.threshold) {
            return found;
        }
        let measured = node.judge.value();
        measured.map(|value| Stretch { interval: node.series.span(), value }).into_iter().collect()
    }

    /// What is known of a value over time: over all of the run, where the sums are known, as the question that led to it was then.
    fn timeline(&self, id: NodeId) -> Timeline {
        let node = self.graph.node(id);
        let Some(run) = node.over_run else { return Timeline::measured(&node.series) };
        // Calls may go in circles, the order of discovery does not.
        let earlier = node.parents.iter().filter(|parent| **parent < id);
        let mut known = earlier.filter(|parent| self.graph.node(**parent).over_run.is_some());
        let like = known.next().map(|parent| self.timeline(*parent));
        Timeline::over_run(&node.series, (run, node.is_closed()), like.as_ref())
    }

    /// A part of it is true too, by whatever way that was found. A more precise hypothesis at the same place does not make
    /// the place more precise.
    fn has_finer(&self, id: NodeId) -> bool {
        let node = self.graph.node(id);
        let has_part = self.shown.keys().map(|other| self.graph.node(*other)).any(|other| {
            other.hypothesis == node.hypothesis
                && other.focus != node.focus
                && node.focus.contains(&other.focus)
        });
        has_part || self.calls_shown(id)
    }

    /// A function that it calls is true too. Where calls go in a circle one of them stands for all.
    fn calls_shown(&self, id: NodeId) -> bool {
        let circle = self.circle(id);
        let is_outside = |callee: &NodeId| !circle.contains(callee);
        self.representative_of(&circle) != Some(id) || self.called(id).iter().any(is_outside)
    }

    /// Of functions that call each other in a circle the one that tells most: each holds the time of nearly all, so among those that
    /// hold least it is one that the search was led to at once, because its own code is hot, or else the last that was found.
    fn representative_of(&self, circle: &BTreeSet<NodeId>) -> Option<NodeId> {
        let value = |id: NodeId| self.graph.node(id).value().map_or(0.0, |(value, _)| value);
        let least = circle.iter().map(|id| value(*id)).fold(f64::INFINITY, f64::min);
        let is_led_to = |id: NodeId| {
            let mut parents = self.graph.node(id).parents.iter();
            parents.any(|parent| self.graph.node(*parent).focus.is_root(Hierarchy::Code))
        };
        let told = circle.iter().copied().filter(|id| value(*id) <= least * NEARLY);
        told.max_by_key(|id| {
            (is_led_to(*id), self.graph.node(*id).found.map(|(time, _)| time), *id)
        })
    }

    /// What is shown of the functions that it calls.
    fn called(&self, id: NodeId) -> BTreeSet<NodeId> {
        let node = self.graph.node(id);
        let in_general = node.focus.projected(&[Hierarchy::Code]);
        let general = self.graph.find(node.hypothesis, &in_general);
        let callers = [Some(id), general].into_iter().flatten();
        let children = callers.flat_map(|caller| &self.graph.node(caller).children);
        let callees = children.filter(|(_, edge)| **edge == RefinementAxis::Where(Hierarchy::Code));
        let here = callees.filter_map(|(callee, _)| {
            let part = self.graph.node(*callee).focus.part(Hierarchy::Code).iter().cloned();
            self.graph.find(node.hypothesis, &node.focus.with_set(Hierarchy::Code, part))
        });
        here.filter(|found| self.shown.contains_key(found) && self.has_room(id, *found)).collect()
    }

    /// What it calls, however indirectly, and what calls it again; with itself.
    fn circle(&self, id: NodeId) -> BTreeSet<NodeId> {
        let mut callers: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        let (mut seen, mut pending) = (BTreeSet::from([id]), vec![id]);
        while let Some(caller) = pending.pop() {
            for callee in self.called(caller) {
                callers.entry(callee).or_default().push(caller);
                if seen.insert(callee) {
                    pending.push(callee);
                }
            }
        }
        let (mut circle, mut pending) = (BTreeSet::from([id]), vec![id]);
        while let Some(callee) = pending.pop() {
            let callers = callers.get(&callee).into_iter().flatten();
            pending.extend(callers.filter(|caller| circle.insert(**caller)));
        }
        circle
    }

    /// A process that was asked from the beginning and led no further, while something more precise is known of it.
    fn is_bare(&self, id: NodeId) -> bool {
        let node = self.graph.node(id);
        node.root.is_single() && node.refined.first.is_none() && self.has_finer(id)
    }

    /// The deepest shown parent; of several the first found. A root process stands below the whole program, if that is true.
    fn parent(&self, id: NodeId) -> Option<NodeId> {
        let node = self.graph.node(id);
        // Calls may go in circles, the order of discovery does not.
        let leads_on = |parent: NodeId| {
            parent < id || self.graph.node(parent).focus.depth() < node.focus.depth()
        };
        let fits = |parent: &&NodeId| {
            leads_on(**parent) && !self.stands_below(**parent, id) && self.may_hold(**parent, id)
        };
        let shown = self.shown_above(id);
        let deepest = shown.iter().filter(fits).copied().min_by_key(|parent| {
            let above = self.graph.node(*parent);
            (usize::MAX - above.focus.depth(), above.children.get(&id).copied(), *parent)
        });
        let whole = self.graph.find(node.hypothesis, &Focus::whole_program());
        let above = whole.filter(|whole| *whole != id && self.shown.contains_key(whole));
        deepest.or(above)
    }

    /// Whether a function may hold what it is said to call. The code names calls that never happen: a set-up that takes the address of a
    /// solver does not call it. What has clearly more than a function is called by others.
    fn may_hold(&self, caller: NodeId, callee: NodeId) -> bool {
        let above = self.graph.node(caller);
        let is_call = above.children.get(&callee) == Some(&RefinementAxis::Where(Hierarchy::Code));
        !is_call || above.focus.is_root(Hierarchy::Code) || self.has_room(caller, callee)
    }

    /// Whether the value of a function is no larger than that of another one.
    fn has_room(&self, caller: NodeId, callee: NodeId) -> bool {
        let [above, below] = [caller, callee].map(|id| self.graph.node(id));
        let row = self.hypotheses.row(below.hypothesis);
        let is_part = row.operator == Operator::Above && row.normalizer == Normalizer::Processes;
        let ([Some(whole), Some(part)], true) = ([above, below].map(PairNode::value), is_part)
        else {
            return true;
        };
        let errors = [above, below].map(|node| node.error().unwrap_or(0.0));
        part.0 <= CLEARLY * whole.0 + errors[0] + errors[1]
    }

    /// What is shown of the parents of a node, and of theirs in the place of those that are not.
    fn shown_above(&self, id: NodeId) -> BTreeSet<NodeId> {
        let (mut seen, mut pending) = (BTreeSet::new(), vec![id]);
        while let Some(id) = pending.pop() {
            for parent in &self.graph.node(id).parents {
                let is_true = self.graph.node(*parent).truth == Truth::True;
                if is_true && seen.insert(*parent) && !self.shown.contains_key(parent) {
                    pending.push(*parent);
                }
            }
        }
        seen.retain(|id| self.shown.contains_key(id));
        seen
    }

    /// Whether a node was put below another already, or is the same.
    fn stands_below(&self, id: NodeId, other: NodeId) -> bool {
        std::iter::successors(Some(id), |id| self.above.get(id).copied()).any(|id| id == other)
    }

    fn compare(&self, one: NodeId, other: NodeId) -> Ordering {
        let key = |id: NodeId| {
            let node = self.graph.node(id);
            let row = self.hypotheses.row(node.hypothesis);
            let value = node.value().map_or(0.0, |(value, _)| value);
            let severity = if row.operator == Operator::Above { value } else { 0.0 };
            (row.rank, row.operator == Operator::Below, severity)
        };
        let ((rank, below, value), (other_rank, other_below, other_value)) = (key(one), key(other));
        let by_rank = (rank, below).cmp(&(other_rank, other_below));
        by_rank.then(other_value.total_cmp(&value)).then(one.cmp(&other))
    }
}
