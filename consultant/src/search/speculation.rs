//! Speculation along calls, so that a deep chain of calls does not take a verdict's time for each of its links.
//!
//! ```text
//!   main   ▒▒▒▒▒▒▒▒▒▒ true
//!   drive     ▒▒▒▒▒▒▒▒▒▒ true            ▒ measured
//!   solve        ▒▒▒▒▒▒▒▒▒▒ true
//! ```
//!
//! A function that leans to true *leads*: its callees are measured *ahead*, while its own verdict is still to come. A verdict that a
//! callee reaches before a caller is true is kept, and told when one is. When a caller turns out false, its speculation is cancelled.

use std::collections::BTreeSet;

use whyperf_model::Hierarchy;

use super::Search;
use crate::judge::Ground;
use crate::node::{Edge, NodeId};
use crate::queue::Idea;
use crate::truth::Truth;

/// Which questions are measured before any true one leads to them, and on account of which.
#[derive(Debug, Default)]
pub(super) struct Speculation {
    /// Likely to turn true: what they call is measured already.
    leading: BTreeSet<NodeId>,
    /// Measured ahead of the verdict of a caller that leads.
    ahead: BTreeSet<NodeId>,
}

impl Speculation {
    pub(super) fn is_leading(&self, id: NodeId) -> bool {
        self.leading.contains(&id)
    }

    pub(super) fn is_ahead(&self, id: NodeId) -> bool {
        self.ahead.contains(&id)
    }

    fn lead(&mut self, id: NodeId) {
        self.leading.insert(id);
    }

    /// It leads no longer.
    fn follow(&mut self, id: NodeId) {
        self.leading.remove(&id);
    }

    fn measure_ahead(&mut self, id: NodeId) {
        self.ahead.insert(id);
    }

    /// It is not measured ahead any more.
    fn forget(&mut self, id: NodeId) {
        self.ahead.remove(&id);
    }
}

impl Search {
    /// Has the callees of a function measured that is likely to turn true.
    pub(super) fn look_ahead(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        let leans = node.throttle.is_none() && node.judge.leans_to_true();
        if leans && !node.root.is_single() {
            self.lead(id);
        }
    }

    /// The callees of a leading function are measured, unless they were found false already.
    pub(super) fn speculate(&mut self, id: NodeId) {
        if !self.speculation.is_leading(id) {
            return;
        }
        for callee in self.callees(id) {
            self.speculation.measure_ahead(callee);
            if self.graph.node(callee).truth == Truth::Unknown {
                self.enqueue(callee, Idea::Where);
            }
        }
    }

    /// A verdict that no true caller leads to yet.
    pub(super) fn keep_for_later(&mut self, id: NodeId, ground: Ground) {
        self.undecided.remove(&id);
        self.graph.node_mut(id).keep_early(ground);
        self.lead(id);
    }

    /// A caller is true: the verdicts that its callees reached meanwhile hold.
    pub(super) fn confirm(&mut self, id: NodeId) {
        self.speculation.follow(id);
        for callee in self.callees(id) {
            self.speculation.forget(callee);
            if let Some(ground) = self.graph.node_mut(callee).take_early() {
                self.conclude(callee, ground);
            }
        }
    }

    /// A caller is not measured any more: what was measured ahead for it alone is not either.
    pub(super) fn cancel_speculation(&mut self, id: NodeId) {
        self.speculation.follow(id);
        for callee in self.callees(id) {
            let node = self.graph.node(callee);
            let leads = |caller: &NodeId| self.speculation.is_leading(*caller);
            if !self.speculation.is_ahead(callee) || node.parents.iter().any(leads) {
                continue;
            }
            let is_held = node.is_held();
            self.speculation.forget(callee);
            if !is_held {
                let node = self.graph.node_mut(callee);
                node.take_early();
                node.judge.overrule(Truth::Unknown);
                self.stop(callee);
            }
        }
    }

    /// A function whose verdict is kept leads as well.
    fn lead(&mut self, id: NodeId) {
        if self.speculation.is_leading(id) || !self.follows_calls(id) {
            return;
        }
        self.speculation.lead(id);
        let code = self.graph.node(id).focus.part(Hierarchy::Code)[0].clone();
        self.descend(id, &code);
        self.speculate(id);
    }

    fn callees(&self, id: NodeId) -> Vec<NodeId> {
        let children = self.graph.node(id).children.iter();
        let called = children.filter(|(_, edge)| **edge == Edge::Where(Hierarchy::Code));
        called.map(|(child, _)| *child).collect()
    }
}
