//! What measuring a function costs: switched on, put back, left to rest.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Hierarchy, Nanos, Resource, Time};

use super::Search;
use crate::node::NodeId;
use crate::queue::Idea;
use crate::step::Happening;
use crate::truth::Truth;

impl Search {
    /// While cost holds the search back, or leaves no room for what waits, functions that are known to be true rest, the costliest callers first: what is known may cost
    /// less than what is still to be found.
    pub(super) fn rest(&mut self) {
        let is_soon = self.now.since(self.rested) < REST && self.rested > Time::ZERO;
        let has_no_room = !self.budget.admits() || (self.is_blocked && self.budget.is_taken());
        if is_soon || !has_no_room {
            return;
        }
        let Some((cost, function)) = self.costliest() else { return };
        self.leave(&function, cost);
    }

    /// What measures a function for true nodes rests.
    fn leave(&mut self, function: &Resource, cost: f64) {
        self.rested = self.now;
        for id in self.graph.ids() {
            if self.graph.node(id).is_measured() && self.priced(id).as_ref() == Some(function) {
                self.stop(id);
                let subject = self.subject(id);
                self.tell(Happening::Rests { subject, cost });
            }
        }
    }

    /// Puts back what is undecided and costs more than there is room for, the costliest first; when that does not suffice, true ones rest.
    pub(super) fn put_back(&mut self) {
        let mut excess = self.budget.excess();
        if excess <= 0.0 {
            return;
        }
        for (cost, function, nodes) in self.undecided_functions() {
            if excess <= 0.0 {
                return;
            }
            excess -= cost;
            self.rested = self.now;
            for id in nodes {
                self.stop(id);
                let subject = self.subject(id);
                self.tell(Happening::PutBack { subject, cost });
                self.enqueue(id, Idea::Where);
            }
            debug_assert!(!self.switched.contains_key(&function), "nobody else measures it");
        }
        while excess > 0.0
            && let Some((cost, function)) = self.costliest()
        {
            excess -= cost;
            self.leave(&function, cost);
        }
    }

    /// The functions that are measured for undecided nodes alone, and what each costs; the costliest first.
    fn undecided_functions(&self) -> Vec<(f64, Resource, Vec<NodeId>)> {
        let mut functions: BTreeMap<Resource, Vec<NodeId>> = BTreeMap::new();
        for id in self.graph.ids() {
            let node = self.graph.node(id);
            if node.is_measured()
                && node.truth != Truth::True
                && let Some(function) = self.priced(id)
            {
                functions.entry(function).or_default().push(id);
            }
        }
        let mut all: Vec<_> = functions
            .into_iter()
            .filter(|(function, nodes)| self.switched.get(function) == Some(&nodes.len()))
            .map(|(function, nodes)| {
                let coverage = nodes.iter().map(|id| self.graph.node(*id).coverage());
                (self.price(&function) * coverage.fold(0.0, f64::max), function, nodes)
            })
            .collect();
        all.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        all
    }

    /// The function that costs most of those measured for true nodes alone: one that calls a true one, if there is any.
    fn costliest(&self) -> Option<(f64, Resource)> {
        let mut functions: BTreeMap<Resource, (bool, f64)> = BTreeMap::new();
        let mut needed = BTreeSet::new();
        for id in self.graph.ids().filter(|id| self.graph.node(*id).is_measured()) {
            let Some(code) = self.priced(id) else { continue };
            let node = self.graph.node(id);
            if node.truth != Truth::True || node.root.is_root() {
                needed.insert(code);
                continue;
            }
            let is_true = |child: &NodeId| self.graph.node(*child).truth == Truth::True;
            let leads = node.children.keys().any(is_true);
            let cost = self.calls.rate(&code).unwrap_or_default() * self.settings.call_cost;
            functions.insert(code, (leads, cost * node.coverage()));
        }
        let least = self.settings.cost_limit * WORTHWHILE;
        functions.retain(|code, (_, cost)| !needed.contains(code) && *cost > least);
        let order = |one: &(bool, f64), other: &(bool, f64)| {
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
        };
        let found = functions.into_iter().max_by(|one, other| order(&one.1, &other.1));
        found.map(|(code, (_, cost))| (cost, code))
    }

    /// The share of the time that measuring a node would cost more than what is measured already.
    pub(super) fn predicted_cost(&self, id: NodeId) -> f64 {
        let new = self.priced(id).filter(|code| !self.switched.contains_key(code));
        new.map_or(0.0, |code| self.price(&code))
    }

    /// The share of the time that measuring a node costs as far as its calls were counted, to four places.
    pub(super) fn observed_cost(&self, id: NodeId) -> f64 {
        let rate = self.priced(id).and_then(|code| self.calls.rate(&code)).unwrap_or_default();
        let cost = rate * self.settings.call_cost * self.graph.node(id).coverage();
        (cost * 1e4).round() / 1e4
    }

    /// Whether there is room to measure a node.
    pub(super) fn is_affordable(&self, id: NodeId) -> bool {
        self.budget.affords(self.predicted_cost(id))
            && (self.budget.dares() || !self.is_uncounted(id))
    }

    /// Whether measuring it switches on a function with uncounted calls.
    fn is_uncounted(&self, id: NodeId) -> bool {
        let is_new =
            |code: &Resource| !self.switched.contains_key(code) && self.calls.rate(code).is_none();
        self.priced(id).as_ref().is_some_and(is_new)
    }

    /// The share of the time that code takes longer while it is switched on.
    fn price(&self, code: &Resource) -> f64 {
        let rate = if code.depth() == 1 {
            let functions = self.catalogue.children(code);
            functions.iter().map(|function| self.predicted_rate(function)).sum()
        } else {
            self.predicted_rate(code)
        };
        rate * self.settings.call_cost
    }

    /// A node is measured: its functions are switched on. Tells the price.
    pub(super) fn switch_on(&mut self, id: NodeId) -> f64 {
        let price = self.predicted_cost(id);
        self.budget.spend(price);
        if self.is_uncounted(id) {
            self.budget.dare();
        }
        if let Some(code) = self.priced(id) {
            *self.switched.entry(code).or_default() += 1;
        }
        price
    }

    /// A function that is switched on turns out to be called more often than assumed: the difference is not observed yet.
    pub(super) fn correct(&mut self, function: &Resource, assumed: f64) {
        let more = self.predicted_rate(function) - assumed;
        if more > 0.0 && self.switched.contains_key(function) {
            self.budget.spend(more * self.settings.call_cost);
        }
    }

    /// A node is measured no longer.
    pub(super) fn switch_off(&mut self, id: NodeId) {
        let Some(code) = self.priced(id) else { return };
        self.is_blocked = false;
        if let Some(users) = self.switched.get_mut(&code) {
            *users -= 1;
            if *users == 0 {
                self.switched.remove(&code);
            }
        }
    }

    /// What was switched on and is not observed yet.
    pub(crate) const fn pending_cost(&self) -> f64 {
        self.budget.pending()
    }

    /// Another search under the same limit has this much pending.
    pub(crate) const fn count_elsewhere(&mut self, pending: f64) {
        self.budget.count_elsewhere(pending);
    }

    /// The code that has to be switched on for a node. Waits are seen at their calls, wherever those are.
    fn priced(&self, id: NodeId) -> Option<Resource> {
        let node = self.graph.node(id);
        let [code] = node.focus.part(Hierarchy::Code) else { return None };
        let computes = self.hypotheses.row(node.hypothesis).asks_for_computing();
        (computes && !code.is_root()).then(|| code.clone())
    }

    /// How often a function is called per second, or is assumed to be.
    pub(super) fn predicted_rate(&self, function: &Resource) -> f64 {
        self.calls.rate(function).unwrap_or(self.settings.assumed_rate)
    }
}

/// So long it takes to see what resting saves.
const REST: Nanos = Nanos::from_millis(250);
/// Resting must save this part of the limit, or it would only lose what is known.
const WORTHWHILE: f64 = 0.02;
