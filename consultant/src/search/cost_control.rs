//! Controls what measuring costs: it predicts the price of code before that is switched on, knows what is switched on, and
//! chooses what may rest.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Nanos, Resource, Time};

use super::program::SearchedProgram;
use super::questions::Questions;
use crate::cost::{Admission, Budget};
use crate::node::NodeId;
use crate::queue::Fit;
use crate::truth::Truth;

/// The limit, and the code that is switched on under it.
#[derive(Debug)]
pub(super) struct CostControl {
    budget: Budget,
    limit: f64,
    /// Seconds that one call of a function takes longer while it is switched on.
    call_cost: f64,
    /// How many nodes each function is measured for: what is switched on costs nothing more.
    switched: BTreeMap<Resource, usize>,
    /// When a function was last left to rest.
    rested: Time,
}

/// Code that is measured, the nodes it is measured for, and the share of the time that it costs.
#[derive(Debug, PartialEq)]
pub(super) struct MeasuredCode {
    pub(super) cost: f64,
    pub(super) code: Resource,
    pub(super) nodes: Vec<NodeId>,
}

/// Code that is measured for true nodes, and whether one of these leads to another true node.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct CodeCost {
    depth: KnownDepth,
    cost: f64,
}

/// A caller of true code goes first when something must rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum KnownDepth {
    Leaf,
    Caller,
}

impl CostControl {
    /// Nothing is switched on.
    pub(super) fn new(limit: f64, call_cost: f64) -> Self {
        let budget = Budget::new(limit);
        Self { budget, limit, call_cost, switched: BTreeMap::new(), rested: Time::ZERO }
    }

    /// Takes note of what was observed over the last interval.
    pub(super) fn observe(&mut self, now: Time, fraction: f64) -> Admission {
        self.budget.observe(now, fraction)
    }

    /// The limit as it stands: what was observed and predicted, and what it admits.
    pub(super) const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Another search under the same limit has this much pending.
    pub(super) const fn count_elsewhere(&mut self, pending: f64) {
        self.budget.count_elsewhere(pending);
    }

    /// The share of the time that switching on code would cost more than what is on already.
    pub(super) fn predicted(&self, code: Option<&Resource>, program: &SearchedProgram) -> f64 {
        let new = code.filter(|code| !self.is_on(code));
        new.map_or(0.0, |code| self.price(code, program))
    }

    /// The share of the time that code costs as far as its calls were counted, to four places.
    pub(super) fn observed(
        &self,
        code: Option<&Resource>,
        coverage: f64,
        program: &SearchedProgram,
    ) -> f64 {
        let rate = code.and_then(|code| program.calls.rate(code)).unwrap_or_default();
        (rate * self.call_cost * coverage * 1e4).round() / 1e4
    }

    /// The share of the time that so many calls per second cost.
    pub(super) fn cost_of_rate(&self, rate: f64) -> f64 {
        rate * self.call_cost
    }

    /// Whether there is room to switch on code.
    pub(super) fn is_affordable(&self, code: Option<&Resource>, program: &SearchedProgram) -> bool {
        self.budget.affords(self.predicted(code, program))
            && (self.budget.dares() || !self.is_uncounted(code, program))
    }

    /// Whether code is switched on.
    pub(super) fn is_on(&self, code: &Resource) -> bool {
        self.switched.contains_key(code)
    }

    /// How often code is switched on, for all nodes together.
    #[cfg(test)]
    pub(super) fn uses(&self) -> usize {
        self.switched.values().sum()
    }

    /// Switches code on for one more node; tells the predicted cost.
    pub(super) fn switch_on(&mut self, code: Option<Resource>, program: &SearchedProgram) -> f64 {
        let price = self.predicted(code.as_ref(), program);
        self.budget.spend(price);
        if self.is_uncounted(code.as_ref(), program) {
            self.budget.dare();
        }
        if let Some(code) = code {
            *self.switched.entry(code).or_default() += 1;
        }
        price
    }

    /// One node needs code no longer.
    pub(super) fn switch_off(&mut self, code: &Resource) {
        if let Some(users) = self.switched.get_mut(code) {
            *users -= 1;
            if *users == 0 {
                self.switched.remove(code);
            }
        }
    }

    /// A function that is switched on is called more often than assumed: the difference is not observed yet.
    pub(super) fn correct(&mut self, function: &Resource, assumed: f64, rate: f64) {
        let more = rate - assumed;
        if more > 0.0 && self.is_on(function) {
            self.budget.spend(self.cost_of_rate(more));
        }
    }

    /// Something was left to rest at this moment.
    pub(super) const fn note_rest(&mut self, now: Time) {
        self.rested = now;
    }

    /// Whether true functions should rest: the cost holds the search back, or leaves no room for what waits, and the last rest is long enough ago
    /// to show what it saved.
    pub(super) fn must_rest(&self, now: Time, fit: Fit) -> bool {
        let is_soon = now.since(self.rested) < REST && self.rested > Time::ZERO;
        let has_no_room = !self.budget.admits() || (fit == Fit::Nothing && self.budget.is_taken());
        !is_soon && has_no_room
    }

    /// The code that is measured for undecided and false nodes alone, the costliest first.
    pub(super) fn undecided_code(
        &self,
        questions: &Questions,
        program: &SearchedProgram,
    ) -> Vec<MeasuredCode> {
        let mut measured: BTreeMap<Resource, Vec<NodeId>> = BTreeMap::new();
        for id in questions.graph.ids() {
            let node = questions.node(id);
            if node.is_measured()
                && node.truth != Truth::True
                && let Some(code) = questions.measured_code(id)
            {
                measured.entry(code).or_default().push(id);
            }
        }
        let mut all: Vec<_> = measured
            .into_iter()
            .filter(|(code, nodes)| self.switched.get(code) == Some(&nodes.len()))
            .map(|(code, nodes)| {
                let coverage = nodes.iter().map(|id| questions.node(*id).coverage());
                let cost = self.price(&code, program) * coverage.fold(0.0, f64::max);
                MeasuredCode { cost, code, nodes }
            })
            .collect();
        all.sort_by(|one, other| other.cost.total_cmp(&one.cost).then(one.code.cmp(&other.code)));
        all
    }

    /// The code that costs most of that measured for true nodes alone: one that calls true code, if there is any.
    pub(super) fn costliest(
        &self,
        questions: &Questions,
        program: &SearchedProgram,
    ) -> Option<(f64, Resource)> {
        let mut known: BTreeMap<Resource, CodeCost> = BTreeMap::new();
        let mut needed = BTreeSet::new();
        for id in questions.graph.ids().filter(|id| questions.node(*id).is_measured()) {
            let Some(code) = questions.measured_code(id) else { continue };
            let node = questions.node(id);
            if node.truth != Truth::True || node.root.is_root() {
                needed.insert(code);
                continue;
            }
            let is_true = |child: &NodeId| questions.node(*child).truth == Truth::True;
            let leads = node.children.keys().any(is_true);
            let depth = if leads { KnownDepth::Caller } else { KnownDepth::Leaf };
            let rate = program.calls.rate(&code).unwrap_or_default();
            let cost = rate * self.call_cost * node.coverage();
            known.insert(code, CodeCost { depth, cost });
        }
        let least = self.limit * WORTHWHILE;
        known.retain(|code, one| !needed.contains(code) && one.cost > least);
        let order = |one: &CodeCost, other: &CodeCost| {
            one.depth.cmp(&other.depth).then(one.cost.total_cmp(&other.cost))
        };
        let found = known.into_iter().max_by(|one, other| order(&one.1, &other.1));
        found.map(|(code, one)| (one.cost, code))
    }

    /// Whether it switches on code with uncounted calls.
    fn is_uncounted(&self, code: Option<&Resource>, program: &SearchedProgram) -> bool {
        code.is_some_and(|code| !self.is_on(code) && program.calls.rate(code).is_none())
    }

    /// The share of the time that code takes longer while it is switched on.
    fn price(&self, code: &Resource, program: &SearchedProgram) -> f64 {
        self.cost_of_rate(program.rate_of_code(code))
    }
}

/// So long it takes to see what resting saves.
const REST: Nanos = Nanos::from_millis(250);
/// Resting must save this part of the limit, or it would only lose what is known.
const WORTHWHILE: f64 = 0.02;

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: f64 = 0.05;

    fn resource(text: &str) -> Resource {
        Resource::parse(text).expect("well formed")
    }

    /// A function of a hundred nanoseconds a call and so many calls per second.
    fn control(rate: f64) -> (CostControl, SearchedProgram, Resource) {
        let mut program = SearchedProgram::new(1000.0);
        let function = resource("/Code/a.c/f");
        program.calls.price(&function, rate);
        (CostControl::new(LIMIT, 100e-9), program, function)
    }

    #[test]
    fn code_is_paid_for_once_however_many_nodes_need_it() {
        let (mut control, program, function) = control(1e5);
        assert!((control.switch_on(Some(function.clone()), &program) - 0.01).abs() < 1e-12);
        assert!(control.switch_on(Some(function.clone()), &program).abs() < 1e-12);
        assert!((control.budget().pending() - 0.01).abs() < 1e-12);
        control.switch_off(&function);
        assert!(control.is_on(&function) && control.uses() == 1);
        control.switch_off(&function);
        assert!(!control.is_on(&function) && control.uses() == 0);
        assert!((control.predicted(Some(&function), &program) - 0.01).abs() < 1e-12);
    }

    #[test]
    fn what_is_counted_later_is_spent_later_and_only_while_it_is_on() {
        let (mut control, program, function) = control(1e5);
        control.correct(&function, 1e5, 2e5);
        assert!(control.budget().pending().abs() < 1e-12, "it is off");
        control.switch_on(Some(function.clone()), &program);
        control.correct(&function, 1e5, 5e4);
        assert!((control.budget().pending() - 0.01).abs() < 1e-12, "less is not given back");
        control.correct(&function, 1e5, 2e5);
        assert!((control.budget().pending() - 0.02).abs() < 1e-12);
    }

    #[test]
    fn code_fits_as_long_as_the_limit_is_not_reached_and_no_code_always_fits() {
        let (mut control, mut program, function) = control(2e5);
        assert!(control.is_affordable(Some(&function), &program));
        control.switch_on(Some(function), &program);
        let other = resource("/Code/a.c/g");
        program.calls.price(&other, 2e5);
        assert!(control.is_affordable(Some(&other), &program));
        control.switch_on(Some(other), &program);
        let third = resource("/Code/a.c/h");
        program.calls.price(&third, 2e5);
        assert!(!control.is_affordable(Some(&third), &program));
        assert!(control.is_affordable(None, &program));
    }

    #[test]
    fn a_rest_needs_time_to_show_what_it_saved() {
        let mut control = CostControl::new(LIMIT, 100e-9);
        let at = Time::from_millis;
        assert!(!control.must_rest(at(50), Fit::Nothing), "nothing is taken");
        (1..=20).for_each(|n| _ = control.observe(at(n * 50), 0.2));
        assert!(control.must_rest(at(1000), Fit::Unknown));
        control.note_rest(at(1000));
        assert!(!control.must_rest(at(1249), Fit::Unknown));
        assert!(control.must_rest(at(1250), Fit::Unknown));
    }
}
