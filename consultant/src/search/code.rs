//! The way from the whole program to a function along calls.
//!
//! ```text
//!   (CPUbound, whole program) ── main ── solve ─┬─ sweep      true: the leaf, when nothing it calls is
//!                                     ╲         └─ norm ── sqrt
//!                                      ╲ [refused] ── dot     looked through: its callees take its place
//! ```
//!
//! Time in a function is inclusive: what it calls counts for it. So a function is asked about when a caller of it is true, by whichever
//! caller; several callers lead to one node. A node **descends** into a function when that function's callees are its
//! children: into its own function when it is refined, into one below it when that
//!
//! * cannot be measured, or is too hot to tell;
//! * was false like all others, while all of them together could hide something: ten callers of ten percent each may call one function
//!   that takes everything.
//!
//! The search descends into a function only once, so recursion and cycles end.

use whyperf_model::{Hierarchy, Resource, Time};

use super::Search;
use crate::hypothesis::Operator;
use crate::node::{Edge, NodeId};
use crate::settings::CodeSearch;
use crate::step::{Happening, Origin};
use crate::truth::Truth;

/// Callees by which an edge of the graph is drawn.
const CODE: Edge = Edge::Where(Hierarchy::Code);

impl Search {
    /// A function calls these. Asked for once, it may be told again with more.
    pub fn handle_callees(&mut self, now: Time, of: &Resource, callees: &[Resource]) {
        if self.is_over || of.hierarchy() != Hierarchy::Code {
            return;
        }
        self.advance(now);
        let is_late = self.calls.is_answered(of);
        let news = self.calls.learn(of, callees);
        self.awaken();
        for id in self.calls.followers(of) {
            let origin = if is_late { Origin::Late } else { self.idea_of(id, of) };
            self.link_callees(id, &news, origin);
            self.speculate(id);
            if of.is_root() && self.calls.has_none(of) {
                self.refine_along(id, Hierarchy::Code);
            }
        }
        self.fill();
    }

    /// A function is called so often per second.
    pub fn handle_price(&mut self, now: Time, of: &Resource, rate: f64) {
        if self.is_over {
            return;
        }
        self.advance(now);
        let assumed = self.predicted_rate(of);
        let is_first = self.calls.rate(of).is_none();
        self.calls.price(of, rate);
        if is_first && self.switched.contains_key(of) {
            let [predicted, observed] =
                [assumed, self.predicted_rate(of)].map(|rate| rate * self.settings.call_cost);
            self.tell(Happening::Priced { function: of.clone(), predicted, observed });
        }
        self.correct(of, assumed);
        // Prices come many at a time, and what measuring costs comes after them: that looks for what fits now.
        self.is_blocked = false;
    }

    /// Whether the parts of a node's code are what it calls, and not what a module holds.
    pub(super) fn follows_calls(&self, id: NodeId) -> bool {
        let node = self.graph.node(id);
        let [code] = node.focus.part(Hierarchy::Code) else { return false };
        self.settings.code_search == CodeSearch::CallGraph
            && self.hypotheses.row(node.hypothesis).asks_for_computing()
            && code.depth() != 1
            && !self.calls.has_none(&Resource::root(Hierarchy::Code))
    }

    /// Makes what a function calls the children of a node.
    pub(super) fn descend(&mut self, id: NodeId, into: &Resource) {
        if !self.calls.follow(into, id) {
            return;
        }
        if self.calls.ask(into, self.now) {
            self.measurements.ask_callees(into.clone());
        }
        let callees: Vec<_> = self.calls.of(into).cloned().collect();
        let origin = self.idea_of(id, into);
        self.link_callees(id, &callees, origin);
    }

    /// Where the idea comes from to ask a node about what a function calls: below one that is false, others like it gave a hint.
    fn idea_of(&self, id: NodeId, function: &Resource) -> Origin {
        let node = self.graph.node(id);
        let there = node.focus.with(Hierarchy::Code, function.clone());
        let there = self.graph.find(node.hypothesis, &there).filter(|there| *there != id);
        let there = there.map(|there| self.graph.node(there));
        let is_false = there.is_some_and(|node| node.truth == Truth::False && !node.is_transparent);
        if is_false { Origin::Hint } else { Origin::Search }
    }

    /// Looks through a node that cannot be told: what it calls is asked about in its place.
    pub(super) fn look_through(&mut self, id: NodeId) -> bool {
        let Some(function) = self.function(id) else { return false };
        self.graph.node_mut(id).is_transparent = true;
        for caller in self.graph.node(id).parents.clone() {
            if self.graph.node(caller).children.get(&id) == Some(&CODE) {
                self.descend(caller, &function);
            }
        }
        true
    }

    /// Whether it is still to be said what a node's function calls.
    pub(super) fn awaits_callees(&self, id: NodeId) -> bool {
        let code = &self.graph.node(id).focus.part(Hierarchy::Code)[0];
        self.follows_calls(id) && self.calls.is_open(code, self.now, self.settings.patience)
    }

    /// Looks for one thing that many false callees call: tells whether there is anything to wait for.
    pub(super) fn look_below_false(&mut self, id: NodeId) -> bool {
        if !self.follows_calls(id) {
            return false;
        }
        let row = self.hypotheses.row(self.graph.node(id).hypothesis);
        let threshold = row.threshold;
        if row.operator != Operator::Above {
            return false;
        }
        let mut below: Vec<(f64, NodeId)> = Vec::new();
        for (child, edge) in &self.graph.node(id).children {
            let node = self.graph.node(*child);
            if *edge == CODE && node.truth == Truth::False {
                below.push((node.judge.value().unwrap_or_default(), *child));
            }
        }
        if below.iter().map(|(value, _)| value).sum::<f64>() <= threshold {
            return false;
        }
        below.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let mut neglected = 0.0;
        let mut descended = false;
        for (value, child) in below {
            neglected += value;
            if neglected > threshold * NEGLIGIBLE
                && let Some(function) = self.function(child)
                && !self.calls.is_followed(&function, id)
            {
                self.descend(id, &function);
                descended = true;
            }
        }
        descended
    }

    /// What was found through a caller that is not true any more is held by those that had led to it.
    pub(super) fn reparent(&mut self, id: NodeId) {
        if !self.follows_calls(id) {
            return;
        }
        let node = self.graph.node(id);
        let is_true = |other: &NodeId| self.graph.node(*other).truth == Truth::True;
        let parents: Vec<_> = node.parents.iter().copied().filter(is_true).collect();
        let called = node.children.iter().filter(|(_, edge)| **edge == CODE);
        let children: Vec<_> = called.map(|(child, _)| *child).filter(is_true).collect();
        for parent in parents {
            for child in &children {
                if parent != *child {
                    self.graph.link(parent, *child, CODE);
                }
            }
        }
    }

    /// The function that a node asks about, if it asks about one in the way of calls.
    fn function(&self, id: NodeId) -> Option<Resource> {
        let [code] = self.graph.node(id).focus.part(Hierarchy::Code) else { return None };
        (self.follows_calls(id) && !code.is_root()).then(|| code.clone())
    }

    fn link_callees(&mut self, id: NodeId, callees: &[Resource], origin: Origin) {
        let node = self.graph.node(id);
        let (hypothesis, focus) = (node.hypothesis, node.focus.clone());
        let taken = node.children.values().filter(|edge| **edge == CODE).count();
        let room = self.settings.breadth.saturating_sub(taken);
        let gone = |callee: &&Resource| self.catalogue.is_retired(callee);
        let mut wanted: Vec<_> = callees.iter().filter(|callee| !gone(callee)).collect();
        wanted.sort_by(|one, other| {
            let rate = |function| self.predicted_rate(function);
            rate(one).total_cmp(&rate(other)).then(one.cmp(other))
        });
        let left_out = wanted.len().saturating_sub(room);
        let mut linked = Vec::new();
        let mut foci = Vec::new();
        let mut opaque = Vec::new();
        for callee in wanted.into_iter().take(room) {
            let part = focus.with(Hierarchy::Code, callee.clone());
            if part == focus {
                continue;
            }
            if self
                .graph
                .find(hypothesis, &part)
                .is_some_and(|of| self.graph.node(of).is_transparent)
            {
                opaque.push(callee.clone());
            }
            linked.push(self.link(id, hypothesis, part.clone(), CODE));
            foci.push(part);
        }
        self.mark(&linked, hypothesis, &foci, origin);
        self.tell_refined(id, Some(Hierarchy::Code), &linked, left_out);
        for function in opaque {
            self.descend(id, &function);
        }
    }
}

/// Parts that are false and together below this share of the threshold hide nothing worth finding.
const NEGLIGIBLE: f64 = 0.25;
