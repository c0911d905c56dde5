//! The search history graph: every question asked so far, and which question led to which.
//!
//! ```text
//!         (Sync, whole program)
//!            │            │
//!     (Sync, exchng1)  (Sync, tag 3)
//!            └─────┬──────┘
//!         (Sync, exchng1 and tag 3)      one node, two parents; drawn a second time it is a *shadow*
//! ```
//!
//! A node is a hypothesis at a focus. Refinement by parts is a partial order, so there several ways meet and none goes in circles;
//! calls do where functions recurse.
//!
//! Invariants:
//! * nodes are never deleted, and there is one per hypothesis and focus;
//! * `true_parents` is the number of parents that are true: **any** true parent keeps a node alive, the one that a shadow hangs
//!   on too;
//! * a node is true only when true nodes lead to it from a root: some that hold only each other fall together.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use whyperf_model::{Focus, Hierarchy, Time};

use crate::heat::Heat;
use crate::hypothesis::HypothesisId;
use crate::judge::{Ground, Judge};
use crate::request::MeasurementId;
use crate::step::Origin;
use crate::stream::Stream;

/// A node's place in the order of discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub usize);

/// What is known about a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Truth {
    /// Not asked, or the evidence does not suffice.
    #[default]
    Unknown,
    /// It is so.
    True,
    /// It is not so.
    False,
}

impl Truth {
    /// The word that stores, reports and exports hold.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::True => "true",
            Self::False => "false",
        }
    }
}

/// Along which axis one question led to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Edge {
    /// A more precise hypothesis.
    Why,
    /// A part of the focus.
    Where(Hierarchy),
}

/// A question, its answer, and what is being done about it.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) hypothesis: HypothesisId,
    pub(crate) focus: Focus,
    /// Asked whatever its parents say, and measured on when false.
    pub(crate) is_root: bool,
    /// Asked of one process from the beginning.
    pub(crate) is_scout: bool,
    /// A scout that a no stops.
    pub(crate) is_patrol: bool,
    /// Where the idea came from.
    pub(crate) origin: Origin,
    pub(crate) truth: Truth,
    pub(crate) judge: Judge,
    pub(crate) stream: Stream,
    /// Numerator and denominator, while they are measured.
    pub(crate) measured: Option<(MeasurementId, MeasurementId)>,
    /// Since when, this time.
    pub(crate) measured_since: Time,
    pub(crate) is_waiting: bool,
    /// When it became true, and on which ground.
    pub(crate) found: Option<(Time, Ground)>,
    pub(crate) refined: Refined,
    /// How often it was asked, and when it is to be asked again.
    pub(crate) asked: u32,
    pub(crate) again: Option<Time>,
    /// The world cannot measure it, or its resource is gone.
    pub(crate) is_closed: bool,
    /// A caller that is likely to turn true has it measured ahead of its own verdict.
    pub(crate) is_foreseen: bool,
    /// It is likely to turn true itself: what it calls is measured already.
    pub(crate) is_leading: bool,
    /// A verdict that came before any of its callers'.
    pub(crate) ahead: Option<Ground>,
    /// It is measured in windows, and how.
    pub(crate) heat: Option<Heat>,
    /// Why it has no answer, if that is sure.
    pub(crate) untold: Option<String>,
    /// It cannot be told: what it calls is asked about in its place.
    pub(crate) is_transparent: bool,
    pub(crate) parents: BTreeSet<NodeId>,
    pub(crate) children: BTreeMap<NodeId, Edge>,
    pub(crate) true_parents: usize,
}

/// How far a node's refinement got: hierarchies of the first round, and those that come last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Refined {
    pub(crate) first: Option<Time>,
    pub(crate) last: bool,
    /// What of it was done: more precise hypotheses, parts.
    pub(crate) whys: bool,
    pub(crate) wheres: bool,
}

impl Node {
    /// Whether a verdict is worth waiting for: windows take their time, and what is closed has none.
    pub(crate) const fn is_awaited(&self) -> bool {
        !self.is_closed && self.heat.is_none()
    }

    /// The share of the time that is measured.
    pub(crate) fn coverage(&self) -> f64 {
        self.heat.map_or(1.0, |heat| heat.coverage)
    }

    /// Whether anything holds it alive.
    pub(crate) const fn is_held(&self) -> bool {
        self.is_root || self.true_parents > 0
    }
}

/// All nodes.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    index: BTreeMap<(HypothesisId, Focus), NodeId>,
    scouts: BTreeSet<(HypothesisId, NodeId)>,
    /// Nodes that time alone may change: true ones, and those that are asked again.
    open: BTreeSet<NodeId>,
    again: BTreeSet<(Time, NodeId)>,
    /// Whether anything was closed or refined by what comes last, so that late processes matter.
    awaits_late: bool,
}

/// What changing a truth did to the nodes below.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Consequences {
    /// Nobody holds them any more.
    pub(crate) dropped: Vec<NodeId>,
    /// Somebody does again.
    pub(crate) revived: Vec<NodeId>,
}

impl Graph {
    /// A node.
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// A node, to change it. Its truth is changed by [`Graph::set_truth`] only.
    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0]
    }

    /// All of them, in the order of discovery.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId)
    }

    /// The node of a hypothesis at a focus.
    pub(crate) fn find(&self, hypothesis: HypothesisId, focus: &Focus) -> Option<NodeId> {
        self.index.get(&(hypothesis, focus.clone())).copied()
    }

    /// Asks a question whatever its parents say; tells whether that was new.
    pub(crate) fn make_root(&mut self, id: NodeId) -> bool {
        !std::mem::replace(&mut self.nodes[id.0].is_root, true)
    }

    /// Asks a question of one process, whatever its parents say.
    pub(crate) fn make_scout(&mut self, id: NodeId) -> bool {
        self.nodes[id.0].is_scout = true;
        self.scouts.insert((self.nodes[id.0].hypothesis, id));
        self.make_root(id)
    }

    /// Refined by what comes last: later ones join.
    pub(crate) fn note_last(&mut self, id: NodeId) {
        self.nodes[id.0].refined.last = true;
        self.awaits_late = true;
    }

    /// Gives a node up until its resource comes back.
    pub(crate) fn close(&mut self, id: NodeId) {
        self.nodes[id.0].is_closed = true;
        self.awaits_late = true;
    }

    /// Whether a late process or machine may matter to any node.
    pub(crate) const fn awaits_late(&self) -> bool {
        self.awaits_late
    }

    /// Something about a node may change as time goes on: it is true, or measured in windows.
    pub(crate) fn attend(&mut self, id: NodeId) {
        self.open.insert(id);
    }

    /// What was attended to, in the order of discovery, so far as time alone may still change it.
    pub(crate) fn attended(&mut self) -> Vec<NodeId> {
        let nodes = &self.nodes;
        self.open.retain(|id| {
            let node = &nodes[id.0];
            let is_windowed =
                node.truth == Truth::Unknown && node.heat.is_some() && !node.is_closed;
            node.truth == Truth::True || is_windowed
        });
        self.open.iter().copied().collect()
    }

    /// A node is asked again at this time, if it is still false then.
    pub(crate) fn ask_again_at(&mut self, id: NodeId, time: Time) {
        self.nodes[id.0].again = Some(time);
        self.again.insert((time, id));
    }

    /// What is to be asked again by now.
    pub(crate) fn due(&mut self, now: Time) -> Vec<NodeId> {
        let mut due = Vec::new();
        while let Some((time, id)) = self.again.pop_first() {
            if time > now {
                self.again.insert((time, id));
                break;
            }
            if self.nodes[id.0].again == Some(time) {
                due.push(id);
            }
        }
        due
    }

    /// The nodes that ask a hypothesis of one process each, from the beginning.
    pub(crate) fn scouts(&self, hypothesis: HypothesisId) -> impl Iterator<Item = NodeId> + '_ {
        let range = (hypothesis, NodeId(0))..=(hypothesis, NodeId(usize::MAX));
        self.scouts.range(range).map(|(_, id)| *id)
    }

    /// Adds a question nobody asked before.
    pub(crate) fn add(
        &mut self,
        (hypothesis, focus): (HypothesisId, Focus),
        judge: Judge,
        stream: Stream,
    ) -> NodeId {
        let id = NodeId(self.nodes.len());
        self.index.insert((hypothesis, focus.clone()), id);
        self.nodes.push(Node {
            hypothesis,
            focus,
            is_root: false,
            is_scout: false,
            is_patrol: false,
            origin: Origin::Search,
            truth: Truth::Unknown,
            judge,
            stream,
            measured: None,
            measured_since: Time::ZERO,
            is_waiting: false,
            found: None,
            refined: Refined::default(),
            asked: 0,
            again: None,
            is_closed: false,
            is_foreseen: false,
            is_leading: false,
            ahead: None,
            heat: None,
            untold: None,
            is_transparent: false,
            parents: BTreeSet::new(),
            children: BTreeMap::new(),
            true_parents: 0,
        });
        id
    }

    /// Notes that one question led to another; tells whether that was new.
    pub(crate) fn link(&mut self, parent: NodeId, child: NodeId, edge: Edge) -> bool {
        if !self.nodes[child.0].parents.insert(parent) {
            return false;
        }
        self.nodes[parent.0].children.insert(child, edge);
        if self.nodes[parent.0].truth == Truth::True {
            self.nodes[child.0].true_parents += 1;
        }
        true
    }

    /// Changes what is known about a question, and lets that go down: children that nothing true leads to any more are not true, nor
    /// are theirs.
    pub(crate) fn set_truth(&mut self, id: NodeId, truth: Truth) -> Consequences {
        let mut consequences = Consequences::default();
        let mut doubtful = BTreeSet::new();
        self.cascade(vec![(id, truth)], &mut doubtful, &mut consequences);
        while let Some(id) = doubtful.pop_first() {
            let island = self.island(id);
            let drowned = island.iter().map(|id| (*id, Truth::False));
            let drowned = drowned.filter(|(id, _)| self.nodes[id.0].truth == Truth::True).collect();
            self.cascade(drowned, &mut doubtful, &mut consequences);
        }
        consequences
    }

    /// Changes truths, and counts true parents anew below. Nodes that lost one and kept another are doubtful.
    fn cascade(
        &mut self,
        mut pending: Vec<(NodeId, Truth)>,
        doubtful: &mut BTreeSet<NodeId>,
        consequences: &mut Consequences,
    ) {
        while let Some((id, truth)) = pending.pop() {
            let was = std::mem::replace(&mut self.nodes[id.0].truth, truth);
            if (was == Truth::True) == (truth == Truth::True) {
                continue;
            }
            let children: Vec<NodeId> = self.nodes[id.0].children.keys().copied().collect();
            for child in children {
                let node = &mut self.nodes[child.0];
                if truth == Truth::True {
                    node.true_parents += 1;
                    if node.true_parents == 1 && !node.is_root {
                        consequences.revived.push(child);
                    }
                    continue;
                }
                node.true_parents -= 1;
                if node.is_held() {
                    doubtful.insert(child);
                    continue;
                }
                doubtful.remove(&child);
                consequences.dropped.push(child);
                if node.truth == Truth::True {
                    pending.push((child, Truth::False));
                }
            }
        }
    }

    /// The true nodes above one, when no root is among them: they only hold each other. Empty when a root holds it.
    fn island(&self, id: NodeId) -> BTreeSet<NodeId> {
        let mut seen = BTreeSet::from([id]);
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            if self.nodes[id.0].is_root {
                return BTreeSet::new();
            }
            for parent in &self.nodes[id.0].parents {
                if self.nodes[parent.0].truth == Truth::True && seen.insert(*parent) {
                    pending.push(*parent);
                }
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::Nanos;

    use super::*;
    use crate::hypothesis::Hypotheses;
    use crate::settings::Settings;

    /// A diamond: 0 above 1 and 2, both above 3.
    fn diamond() -> (Graph, [NodeId; 4]) {
        let table = Hypotheses::built_in();
        let id = HypothesisId(0);
        let mut graph = Graph::default();
        let nodes = ["<>", "</Code/a>", "</Process/1>", "</Code/a,/Process/1>"].map(|text| {
            let focus: Focus = text.parse().expect("well formed");
            let judge = Judge::new(table.row(id), &Settings::default());
            graph.add((id, focus), judge, Stream::new(Nanos::ZERO))
        });
        let [top, left, right, bottom] = nodes;
        graph.node_mut(top).is_root = true;
        for (parent, child) in [(top, left), (top, right), (left, bottom), (right, bottom)] {
            assert!(graph.link(parent, child, Edge::Why));
            assert!(!graph.link(parent, child, Edge::Why));
        }
        (graph, nodes)
    }

    #[test]
    fn the_other_parent_keeps_a_child_alive() {
        let (mut graph, [top, left, right, bottom]) = diamond();
        for id in [top, left, right, bottom] {
            graph.set_truth(id, Truth::True);
        }
        assert_eq!(graph.node(bottom).true_parents, 2);
        assert_eq!(graph.set_truth(left, Truth::False), Consequences::default());
        assert_eq!(graph.node(bottom).truth, Truth::True);
        let consequences = graph.set_truth(right, Truth::False);
        assert_eq!(consequences.dropped, [bottom]);
        assert_eq!(graph.node(bottom).truth, Truth::False);
    }

    #[test]
    fn what_falls_takes_all_below_with_it_and_may_come_back() {
        let (mut graph, [top, left, right, bottom]) = diamond();
        for id in [top, left, right, bottom] {
            graph.set_truth(id, Truth::True);
        }
        let mut dropped = graph.set_truth(top, Truth::False).dropped;
        dropped.sort();
        assert_eq!(dropped, [left, right, bottom]);
        assert!(graph.ids().all(|id| graph.node(id).true_parents == 0));
        assert_eq!(graph.set_truth(top, Truth::True).revived, [left, right]);
    }

    #[test]
    fn nodes_that_hold_only_each_other_fall() {
        let (mut graph, [top, left, right, bottom]) = diamond();
        assert!(graph.link(bottom, left, Edge::Why), "a function below calls one above");
        for id in [top, left, right, bottom] {
            graph.set_truth(id, Truth::True);
        }
        assert_eq!(graph.set_truth(right, Truth::False), Consequences::default());
        assert_eq!(graph.node(bottom).truth, Truth::True, "left still leads to it");
        let mut dropped = graph.set_truth(top, Truth::False).dropped;
        dropped.sort();
        assert_eq!(dropped, [left, right, bottom]);
        assert!(graph.ids().all(|id| graph.node(id).true_parents == 0));
    }
}
