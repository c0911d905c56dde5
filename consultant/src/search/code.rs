//! The way from the whole program to a function along calls.
//!
//! ```text
//!   (CPUbound, whole program) ── main ── solve ─┬─ sweep      true: the leaf, when nothing it calls is
//!                                     ╲         └─ norm ── sqrt
//!                                      ╲ [refused] ── dot     looked through: its callees take its place
//! ```
//!
//! Time in a function is inclusive: the time of its callees counts for it. So a function is asked about when any caller of
//! it is true; several callers lead to one node. A node **descends** into a function when that function's callees are its
//! children: into its own function when it is refined, into one below it when that
//!
//! * cannot be measured, or is too hot to tell;
//! * was false like all others, while all of them together could hide something: ten callers of ten percent each may call one function
//!   that takes everything.
//!
//! The search descends into a function only once, so recursion and cycles end.

use whyperf_model::{Hierarchy, Resource};

use super::growth::Growth;
use super::questions::CODE;
use crate::node::NodeId;
use crate::step::Origin;
use crate::truth::Truth;

impl Growth {
    /// Makes what a function calls the children of a node.
    pub(super) fn descend(&mut self, id: NodeId, into: &Resource) {
        let calls = &mut self.program.calls;
        if !calls.follow(into, id) {
            return;
        }
        if calls.ask(into, self.output.now()) {
            self.output.ask_callees(into.clone());
        }
        let callees: Vec<_> = calls.of(into).cloned().collect();
        let origin = self.questions.origin_below(id, into);
        self.link_callees(id, &callees, origin);
    }

    /// Makes callees of a function that were learned later children of each node that descended into it.
    pub(super) fn link_callees(&mut self, id: NodeId, callees: &[Resource], origin: Origin) {
        let node = self.questions.node(id);
        let (hypothesis, focus) = (node.hypothesis, node.focus.clone());
        let taken = self.questions.children_along(id, CODE);
        let room = self.questions.settings.breadth.saturating_sub(taken);
        let wanted = self.program.cheapest_first(callees);
        let left_out = wanted.len().saturating_sub(room);
        let (mut linked, mut foci, mut transparent) = (Vec::new(), Vec::new(), Vec::new());
        for callee in wanted.into_iter().take(room) {
            let part = focus.with(Hierarchy::Code, callee.clone());
            if part == focus {
                continue;
            }
            let there = self.questions.graph.find(hypothesis, &part);
            if there.is_some_and(|there| self.questions.node(there).is_transparent) {
                transparent.push(callee);
            }
            linked.push(self.link(id, hypothesis, part.clone(), CODE));
            foci.push(part);
        }
        self.mark(&linked, hypothesis, &foci, origin);
        self.tell_refined(id, Some(Hierarchy::Code), &linked, left_out);
        for function in transparent {
            self.descend(id, &function);
        }
    }

    /// Looks through a node that cannot be told: what it calls is asked about in its place. Tells whether it has callees to ask about.
    pub(super) fn look_through(&mut self, id: NodeId) -> bool {
        let Some(function) = self.questions.function(id, &self.program) else { return false };
        self.questions.node_mut(id).is_transparent = true;
        for caller in self.questions.node(id).parents.clone() {
            if self.questions.node(caller).children.get(&id) == Some(&CODE) {
                self.descend(caller, &function);
            }
        }
        true
    }

    /// Whether it is still to be said what a node's function calls.
    pub(super) fn awaits_callees(&self, id: NodeId) -> bool {
        let (now, patience) = (self.output.now(), self.questions.settings.patience);
        let code = &self.questions.node(id).focus.part(Hierarchy::Code)[0];
        self.follows_calls(id) && self.program.calls.is_open(code, now, patience)
    }

    /// Looks for one thing that many false callees call: tells whether there is anything to wait for.
    pub(super) fn look_below_false(&mut self, id: NodeId) -> bool {
        if !self.follows_calls(id) {
            return false;
        }
        let threshold = self.questions.row(id).threshold;
        let mut neglected = 0.0;
        let mut descended = false;
        for (value, child) in self.questions.false_callees(id) {
            neglected += value;
            if neglected > threshold * NEGLIGIBLE
                && let Some(function) = self.questions.function(child, &self.program)
                && !self.program.calls.is_followed(&function, id)
            {
                self.descend(id, &function);
                descended = true;
            }
        }
        descended
    }

    /// Links what was found through a caller that is not true any more to the true nodes that had led to that caller.
    pub(super) fn reparent(&mut self, id: NodeId) {
        if !self.follows_calls(id) {
            return;
        }
        let questions = &mut self.questions;
        let is_true = |other: &NodeId| questions.node(*other).truth == Truth::True;
        let parents: Vec<_> = questions.node(id).parents.iter().copied().filter(is_true).collect();
        let children: Vec<_> = questions.callees(id).into_iter().filter(is_true).collect();
        for parent in parents {
            for child in &children {
                if parent != *child {
                    questions.graph.link(parent, *child, CODE);
                }
            }
        }
    }

    /// Whether the parts of a node's code are its callees.
    pub(super) fn follows_calls(&self, id: NodeId) -> bool {
        self.questions.follows_calls(id, &self.program)
    }
}

/// Parts that are false and together below this share of the threshold hide nothing worth finding.
const NEGLIGIBLE: f64 = 0.25;
