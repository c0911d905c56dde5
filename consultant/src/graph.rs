//! The search history graph: every question that was asked so far, and which question led to which.
//!
//! ```text
//!         (Sync, whole program)
//!            │            │
//!     (Sync, exchng1)  (Sync, tag 3)
//!            └─────┬──────┘
//!         (Sync, exchng1 and tag 3)      one node, two parents; drawn a second time it is a *shadow*
//! ```
//!
//! A node is a hypothesis at a focus. Refinement by parts is a partial order: several ways lead to one node, and none is a cycle. Calls
//! form cycles where functions recurse.
//!
//! Invariants:
//! * nodes are never deleted, and there is one per hypothesis and focus;
//! * `true_parents` is the number of parents that are true: **any** true parent keeps a node alive, also the one of a shadow;
//! * a node is true only when true nodes lead to it from a root: a cycle of true nodes that no root reaches becomes false as a whole.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Focus, Time};

use crate::hypothesis::HypothesisId;
use crate::judge::Judge;
use crate::node::{NodeId, PairNode, PartsKey, RefinementAxis, Root};
use crate::stream::Stream;
use crate::truth::Truth;

/// All nodes.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<PairNode>,
    index: BTreeMap<(HypothesisId, Focus), NodeId>,
    /// Nodes that differ in one process or one machine alone.
    parts: BTreeMap<PartsKey, Vec<NodeId>>,
    /// Roots that ask of one process or one host.
    single_roots: BTreeSet<(HypothesisId, NodeId)>,
    /// Nodes that time alone may change: true ones, and those measured in windows.
    watched: BTreeSet<NodeId>,
    again: BTreeSet<(Time, NodeId)>,
    /// Whether anything was closed or refined by what comes last, so that late processes matter.
    awaits_late: bool,
}

/// What changing a truth did to the nodes below.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Consequences {
    /// Nothing holds them any more.
    pub(crate) dropped: Vec<NodeId>,
    /// A true parent holds them again.
    pub(crate) revived: Vec<NodeId>,
}

impl Graph {
    /// A node.
    pub(crate) fn node(&self, id: NodeId) -> &PairNode {
        &self.nodes[id.0]
    }

    /// A node, to change it. Its truth is changed by [`Graph::set_truth`] only.
    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut PairNode {
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

    /// The nodes that ask of the parts of a focus along a hierarchy.
    pub(crate) fn parts(&self, key: &PartsKey) -> &[NodeId] {
        self.parts.get(key).map_or(&[], Vec::as_slice)
    }

    /// Asks a question whatever its parents say; tells whether that was new.
    pub(crate) fn make_root(&mut self, id: NodeId) -> bool {
        let root = &mut self.nodes[id.0].root;
        let is_new = !root.is_root();
        if is_new {
            *root = Root::Always;
        }
        is_new
    }

    /// Asks a question of one process or one host, whatever its parents say.
    pub(crate) fn make_single_root(&mut self, id: NodeId, kind: Root) -> bool {
        let was = std::mem::replace(&mut self.nodes[id.0].root, kind);
        self.single_roots.insert((self.nodes[id.0].hypothesis, id));
        !was.is_root()
    }

    /// Refined by what comes last: later ones join.
    pub(crate) fn note_last(&mut self, id: NodeId) {
        self.nodes[id.0].refined.last = true;
        self.awaits_late = true;
    }

    /// Gives a node up until its resource comes back.
    pub(crate) fn close(&mut self, id: NodeId) {
        self.nodes[id.0].close();
        self.awaits_late = true;
    }

    /// Whether a late process or machine may matter to any node.
    pub(crate) const fn awaits_late(&self) -> bool {
        self.awaits_late
    }

    /// Something about a node may change as time goes on: it is true, or measured in windows.
    pub(crate) fn watch(&mut self, id: NodeId) {
        self.watched.insert(id);
    }

    /// What is watched, in the order of discovery, so far as time alone may still change it.
    pub(crate) fn watched(&mut self) -> Vec<NodeId> {
        let nodes = &self.nodes;
        self.watched.retain(|id| {
            let node = &nodes[id.0];
            let is_windowed =
                node.truth == Truth::Unknown && node.throttle.is_some() && !node.is_closed();
            node.truth == Truth::True || is_windowed
        });
        self.watched.iter().copied().collect()
    }

    /// A node is asked again at this time, if it is still false then.
    pub(crate) fn ask_again_at(&mut self, id: NodeId, time: Time) {
        self.nodes[id.0].retest = Some(time);
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
            if self.nodes[id.0].retest == Some(time) {
                due.push(id);
            }
        }
        due
    }

    /// The nodes that ask a hypothesis of one process or one host each, from the beginning.
    pub(crate) fn single_roots(
        &self,
        hypothesis: HypothesisId,
    ) -> impl Iterator<Item = NodeId> + '_ {
        let range = (hypothesis, NodeId(0))..=(hypothesis, NodeId(usize::MAX));
        self.single_roots.range(range).map(|(_, id)| *id)
    }

    /// Adds a question that was not asked before.
    pub(crate) fn add(
        &mut self,
        (hypothesis, focus): (HypothesisId, Focus),
        judge: Judge,
        stream: Stream,
    ) -> NodeId {
        let id = NodeId(self.nodes.len());
        self.index.insert((hypothesis, focus.clone()), id);
        let node = PairNode::new((hypothesis, focus), judge, stream);
        if let Some(key) = node.parts_key() {
            self.parts.entry(key).or_default().push(id);
        }
        self.nodes.push(node);
        id
    }

    /// Notes that one question led to another; tells whether that was new.
    pub(crate) fn link(&mut self, parent: NodeId, child: NodeId, edge: RefinementAxis) -> bool {
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
            let cycle = self.unreachable_cycle(id);
            let fallen = cycle.into_iter().filter(|id| self.nodes[id.0].truth == Truth::True);
            let fallen = fallen.map(|id| (id, Truth::False)).collect();
            self.cascade(fallen, &mut doubtful, &mut consequences);
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
                    if node.true_parents == 1 && !node.root.is_root() {
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

    /// The true nodes above one, when no root is among them: they hold only each other. Empty when a root leads to it.
    fn unreachable_cycle(&self, id: NodeId) -> BTreeSet<NodeId> {
        let mut seen = BTreeSet::from([id]);
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            if self.nodes[id.0].root.is_root() {
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
        graph.make_root(top);
        for (parent, child) in [(top, left), (top, right), (left, bottom), (right, bottom)] {
            assert!(graph.link(parent, child, RefinementAxis::Why));
            assert!(!graph.link(parent, child, RefinementAxis::Why));
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
        assert!(graph.link(bottom, left, RefinementAxis::Why), "a function below calls one above");
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
