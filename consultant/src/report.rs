//! What a search found: the true nodes as a tree, the leading one first, the most specific ones last in each branch.
//!
//! A branch is a top-level hypothesis; branches follow each other by rank, then by value. Each true node stands below the
//! true parent that was refined last (by code, if it can choose), so a node with several parents is shown once. Processes
//! that are all alike are left out, because together they are the node above them; some that are alike become one finding.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use whyperf_model::{Focus, Hierarchy};

use crate::bottleneck::Bottleneck;
use crate::gather::gathered;
use crate::graph::Graph;
use crate::hypothesis::{Hypotheses, Operator};
use crate::node::{Edge, NodeId};
use crate::refine::{self, Siblings};
use crate::step::Subject;
use crate::truth::Truth;

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The leading finding first; a finding's refinements follow it.
    pub bottlenecks: Vec<Bottleneck>,
    /// What could not be told, and why.
    pub untold: Vec<Untold>,
    /// What directives did.
    pub guided: Guided,
    /// How much was asked.
    pub counts: Counts,
}

/// What became of directives.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Guided {
    /// How many had a say.
    pub used: usize,
    /// Questions to be asked at once that name what never came.
    pub waiting: Vec<Subject>,
    /// Questions that were not asked because a prune forbids them.
    pub pruned: Vec<Subject>,
}

/// A question without an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Untold {
    /// What was asked.
    pub hypothesis: Cow<'static, str>,
    /// Of what.
    pub focus: Focus,
    /// Why there is no answer, in a few words.
    pub reason: String,
}

/// How many questions were asked, and what came of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Nodes that were measured at all.
    pub tested: usize,
    /// Nodes that are true.
    pub found: usize,
    /// Nodes that were measured and could not be concluded.
    pub unknown: usize,
    /// All nodes, also those that still wait.
    pub nodes: usize,
}

impl Counts {
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

pub(crate) fn report(graph: &Graph, hypotheses: &Hypotheses, guided: Guided) -> Report {
    let tree = FindingTree::of(graph, hypotheses);
    let untold = graph.ids().map(|id| graph.node(id)).filter_map(|node| {
        let hypothesis = hypotheses.row(node.hypothesis).name.clone();
        Some(Untold { hypothesis, focus: node.focus.clone(), reason: node.reason()?.to_owned() })
    });
    let (untold, counts) = (untold.collect(), Counts::of(graph));
    Report { bottlenecks: gathered(tree.bottlenecks()), untold, guided, counts }
}

/// The true nodes worth reporting, each below one parent.
struct FindingTree<'a> {
    graph: &'a Graph,
    hypotheses: &'a Hypotheses,
    shown: BTreeSet<NodeId>,
    above: BTreeMap<NodeId, NodeId>,
    below: BTreeMap<Option<NodeId>, Vec<NodeId>>,
}

impl<'a> FindingTree<'a> {
    fn of(graph: &'a Graph, hypotheses: &'a Hypotheses) -> Self {
        let mut known = BTreeMap::new();
        let shown = graph.ids().filter(|id| is_worth_it(graph, *id, &mut known)).collect();
        let (above, below) = (BTreeMap::new(), BTreeMap::new());
        let mut tree = Self { graph, hypotheses, shown, above, below };
        let bare: Vec<_> = tree.shown.iter().copied().filter(|id| tree.is_bare(*id)).collect();
        tree.shown.retain(|id| !bare.contains(id));
        for id in tree.shown.clone() {
            let parent = tree.parent(id);
            tree.above.extend(parent.map(|parent| (id, parent)));
            tree.below.entry(parent).or_default().push(id);
        }
        let mut below = std::mem::take(&mut tree.below);
        for siblings in below.values_mut() {
            siblings.sort_by(|one, other| tree.compare(*one, *other));
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
        Some(Bottleneck {
            hypothesis: row.name.clone(),
            focus: node.focus.clone(),
            value: node.judge.value()?,
            threshold: row.threshold,
            operator: row.operator.symbol(),
            found,
            since: ground.since,
            confidence: ground.confidence,
            coverage: node.coverage(),
            origin: node.origin,
            leaf: !self.has_finer(id),
            depth,
            meaning: row.meaning.clone(),
            advice: row.advice.clone(),
        })
    }

    /// A part of it is true too, by whatever way that was found. A more precise hypothesis at the same place does not make
    /// the place more precise.
    fn has_finer(&self, id: NodeId) -> bool {
        let node = self.graph.node(id);
        let has_part = self.shown.iter().map(|other| self.graph.node(*other)).any(|other| {
            other.hypothesis == node.hypothesis
                && other.focus != node.focus
                && node.focus.contains(&other.focus)
        });
        has_part || self.calls_shown(id)
    }

    /// A function that it calls is true too, and not one that leads back to it.
    fn calls_shown(&self, id: NodeId) -> bool {
        let node = self.graph.node(id);
        let in_general = node.focus.projected(&[Hierarchy::Code]);
        let general = self.graph.find(node.hypothesis, &in_general);
        [Some(id), general].into_iter().flatten().any(|caller| {
            let children = self.graph.node(caller).children.iter();
            let called = children.filter(|(_, edge)| **edge == Edge::Where(Hierarchy::Code));
            called.map(|(child, _)| self.graph.node(*child)).any(|callee| {
                let part = callee.focus.part(Hierarchy::Code).iter().cloned();
                let here = node.focus.with_set(Hierarchy::Code, part);
                let found = self.graph.find(node.hypothesis, &here);
                found.is_some_and(|found| {
                    self.shown.contains(&found) && !self.stands_below(id, found)
                })
            })
        })
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
            self.shown.contains(parent) && leads_on(**parent) && !self.stands_below(**parent, id)
        };
        let shown = node.parents.iter().filter(fits);
        let deepest = shown.copied().min_by_key(|parent| {
            let above = self.graph.node(*parent);
            (usize::MAX - above.focus.depth(), above.children.get(&id).copied(), *parent)
        });
        let whole = self.graph.find(node.hypothesis, &Focus::whole_program());
        let above = whole.filter(|whole| *whole != id && self.shown.contains(whole));
        deepest.or(above)
    }

    /// Whether a node was put below another already, or is the same.
    fn stands_below(&self, id: NodeId, other: NodeId) -> bool {
        std::iter::successors(Some(id), |id| self.above.get(id).copied()).any(|id| id == other)
    }

    fn compare(&self, one: NodeId, other: NodeId) -> Ordering {
        let key = |id: NodeId| {
            let node = self.graph.node(id);
            let row = self.hypotheses.row(node.hypothesis);
            let value = node.judge.value().unwrap_or_default();
            let severity = if row.operator == Operator::Above { value } else { 0.0 };
            (row.rank, row.operator == Operator::Below, severity)
        };
        let ((rank, below, value), (other_rank, other_below, other_value)) = (key(one), key(other));
        let by_rank = (rank, below).cmp(&(other_rank, other_below));
        by_rank.then(other_value.total_cmp(&value)).then(one.cmp(&other))
    }
}

/// True, and not one of many that are all alike and lead no further. What was asked already is in `known`.
fn is_worth_it(graph: &Graph, id: NodeId, known: &mut BTreeMap<NodeId, bool>) -> bool {
    if let Some(answer) = known.get(&id) {
        return *answer;
    }
    // Calls may lead back here.
    known.insert(id, false);
    let node = graph.node(id);
    let is_alike = || match refine::siblings(graph, id) {
        Siblings::Alike(_) => true,
        Siblings::None => is_like_others(graph, id),
        Siblings::Undecided | Siblings::Different => false,
    };
    let answer = node.truth == Truth::True
        && (!is_alike()
            || !stands_above(graph, id)
            || node.children.keys().any(|child| is_worth_it(graph, *child, known)));
    known.insert(id, answer);
    answer
}

/// Whether a process that was taken apart before all of them were has no more, at some place, than the others have there.
fn is_like_others(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let whole = node.focus.projected(&refine::FIRST);
    let all = graph.find(node.hypothesis, &whole).filter(|all| *all != id);
    let mean = all.and_then(|all| graph.node(all).judge.value());
    let (Some(value), Some(mean)) = (node.judge.value(), mean) else { return false };
    let count = graph.single_roots(node.hypothesis).count() as f64;
    let others = (count * mean - value) / (count - 1.0);
    count > 1.0 && value.max(others) <= refine::ALIKE * value.min(others)
}

/// Whether the focus without processes and machines is true of the same: only then do its alike parts say nothing.
fn stands_above(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let whole = node.focus.projected(&refine::FIRST);
    graph.find(node.hypothesis, &whole).is_some_and(|above| graph.node(above).truth == Truth::True)
}
