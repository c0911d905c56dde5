//! Looking ahead along calls, so that a deep chain of calls does not take a verdict's time for each of its links.
//!
//! ```text
//!   main   ▒▒▒▒▒▒▒▒▒▒ true
//!   drive     ▒▒▒▒▒▒▒▒▒▒ true            ▒ measured
//!   solve        ▒▒▒▒▒▒▒▒▒▒ true
//! ```
//!
//! A function that leans to true leads already: its callees are measured while its own verdict is still to come. What they come to before
//! a caller of theirs is true is kept, and said when one is. A caller that turns out false takes them back.

use whyperf_model::Hierarchy;

use super::Search;
use crate::graph::{Edge, NodeId, Truth};
use crate::judge::Ground;
use crate::queue::Idea;

impl Search {
    /// Has the callees of a function measured that is likely to turn true.
    pub(super) fn look_ahead(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        let leans = !node.is_leading && node.heat.is_none() && node.judge.leans_to_true();
        if leans && !node.is_scout {
            self.lead(id);
        }
    }

    /// The callees of a leading function are measured, unless they were found false already.
    pub(super) fn foresee(&mut self, id: NodeId) {
        if !self.graph.node(id).is_leading {
            return;
        }
        for callee in self.callees(id) {
            self.graph.node_mut(callee).is_foreseen = true;
            if self.graph.node(callee).truth == Truth::Unknown {
                self.enqueue(callee, Idea::Where);
            }
        }
    }

    /// A verdict that no caller holds yet.
    pub(super) fn keep_for_later(&mut self, id: NodeId, ground: Ground) {
        self.undecided.remove(&id);
        self.graph.node_mut(id).ahead = Some(ground);
        self.lead(id);
    }

    /// A caller is true: what its callees came to meanwhile holds.
    pub(super) fn confirm(&mut self, id: NodeId) {
        self.graph.node_mut(id).is_leading = false;
        for callee in self.callees(id) {
            self.graph.node_mut(callee).is_foreseen = false;
            if let Some(ground) = self.graph.node_mut(callee).ahead.take() {
                self.conclude(callee, ground);
            }
        }
    }

    /// A caller is not measured any more: what was measured on its account alone is not either.
    pub(super) fn overlook(&mut self, id: NodeId) {
        self.graph.node_mut(id).is_leading = false;
        for callee in self.callees(id) {
            let node = self.graph.node(callee);
            let leads = |caller: &NodeId| self.graph.node(*caller).is_leading;
            if !node.is_foreseen || node.parents.iter().any(leads) {
                continue;
            }
            let is_held = node.is_held();
            let node = self.graph.node_mut(callee);
            node.is_foreseen = false;
            if !is_held {
                node.ahead = None;
                node.judge.overrule(Truth::Unknown);
                self.stop(callee);
            }
        }
    }

    /// A function whose verdict is kept leads as well.
    fn lead(&mut self, id: NodeId) {
        if self.graph.node(id).is_leading || !self.follows_calls(id) {
            return;
        }
        self.graph.node_mut(id).is_leading = true;
        let code = self.graph.node(id).focus.part(Hierarchy::Code)[0].clone();
        self.descend(id, &code);
        self.foresee(id);
    }

    fn callees(&self, id: NodeId) -> Vec<NodeId> {
        let children = self.graph.node(id).children.iter();
        let called = children.filter(|(_, edge)| **edge == Edge::Where(Hierarchy::Code));
        called.map(|(child, _)| *child).collect()
    }
}
