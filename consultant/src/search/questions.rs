//! The questions of a search: the graph of them, read by the table of hypotheses and the settings of the search.

use whyperf_model::{Focus, Hierarchy, Nanos, Pair, Resource, Time};

use super::directed::QuestionKey;
use super::program::SearchedProgram;
use crate::graph::Graph;
use crate::hypothesis::{Hypotheses, Hypothesis, HypothesisId, Operator, Refinement};
use crate::judge::{Judge, VerdictGround};
use crate::node::{NodeId, PairNode, RefinementAxis};
use crate::refine::{self, AlikeParts, FIRST, Siblings};
use crate::run_amount::{RunAmount, RunRatio};
use crate::settings::{CodeSearch, Order, Settings};
use crate::split::{Split, Splits};
use crate::step::{Conclusion, Origin, Subject};
use crate::stream::Stream;
use crate::truth::Truth;
use crate::undecided;

/// The edge from a caller to a callee.
pub(super) const CODE: RefinementAxis = RefinementAxis::Where(Hierarchy::Code);

/// All questions so far.
#[derive(Debug)]
pub(super) struct Questions {
    pub(super) graph: Graph,
    pub(super) hypotheses: Hypotheses,
    pub(super) settings: Settings,
}

/// Whether a question is new to the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Novelty {
    New,
    Known,
}

impl Questions {
    /// No question yet.
    pub(super) fn new(hypotheses: Hypotheses, settings: Settings) -> Self {
        Self { graph: Graph::default(), hypotheses, settings }
    }

    pub(super) fn node(&self, id: NodeId) -> &PairNode {
        self.graph.node(id)
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut PairNode {
        self.graph.node_mut(id)
    }

    /// The hypothesis of a node.
    pub(super) fn row(&self, id: NodeId) -> &Hypothesis {
        self.hypotheses.row(self.node(id).hypothesis)
    }

    /// The node of a question, which is added to the graph if it is not there.
    pub(super) fn ensure(&mut self, hypothesis: HypothesisId, focus: Focus) -> (NodeId, Novelty) {
        if let Some(id) = self.graph.find(hypothesis, &focus) {
            return (id, Novelty::Known);
        }
        let judge = Judge::new(self.hypotheses.row(hypothesis), &self.settings);
        let stream = Stream::new(self.settings.grain);
        (self.graph.add((hypothesis, focus), judge, stream), Novelty::New)
    }

    /// A node as it is printed.
    pub(super) fn subject(&self, id: NodeId) -> Subject {
        let node = self.node(id);
        Subject { hypothesis: self.row(id).name.clone(), focus: node.focus.clone() }
    }

    /// A question as it is printed, whether it was asked or not.
    pub(super) fn subject_of(&self, (hypothesis, focus): &QuestionKey) -> Subject {
        let hypothesis = self.hypotheses.row(*hypothesis).name.clone();
        Subject { hypothesis, focus: focus.clone() }
    }

    /// A verdict as it is printed.
    pub(super) fn conclusion(&self, id: NodeId, was: Truth, ground: VerdictGround) -> Conclusion {
        let (node, row) = (self.node(id), self.row(id));
        let says_yes = ground.truth == Truth::True || was == Truth::True;
        Conclusion {
            subject: self.subject(id),
            is_duplicate: says_yes && self.splits().at_once().of(id) == Split::Alike,
            truth: ground.truth,
            was,
            value: ground.value,
            threshold: row.threshold,
            unit: row.unit(),
            operator: row.operator.symbol(),
            confidence: ground.confidence,
            since: ground.since,
            coverage: node.coverage(),
            origin: node.origin,
        }
    }

    /// True nodes get the ratio of their amounts over all of the run, where both are known.
    pub(super) fn take_run_amounts(&mut self, mut amount: impl FnMut(Pair) -> Option<RunAmount>) {
        for id in self.graph.ids() {
            let is_candidate = undecided::is_candidate(self.node(id));
            if self.node(id).truth != Truth::True && !is_candidate {
                continue;
            }
            let (above, below) = self.row(id).pairs(&self.node(id).focus);
            // What cannot be told of the numerator needs no denominator.
            let ratio = amount(above).zip(amount(below));
            let ratio = ratio.and_then(|(above, below)| RunRatio::of(above, below));
            if is_candidate {
                self.node_mut(id).candidate = ratio;
            } else {
                self.node_mut(id).over_run = ratio;
            }
        }
    }

    /// In which order a node is refined.
    pub(super) fn refinement(&self, id: NodeId) -> Refinement {
        self.row(id).refinement
    }

    /// Whether a true node may be refined now. A node that names a process or a machine waits for the ones beside it; and while the whole
    /// program is true of the same, its own refinement tells more.
    pub(super) fn may_refine(&self, id: NodeId, now: Time) -> bool {
        if self.settings.order == Order::Classic {
            return true;
        }
        let node = self.node(id);
        let found = node.found.as_ref().map_or(now, |(found, _)| *found);
        let is_old = now.since(found) >= self.patience(id);
        if node.root.is_single() && node.true_parents == 0 {
            match self.truth_of(node.hypothesis, &Focus::whole_program()) {
                Truth::True => return false,
                Truth::Unknown if !is_old => return false,
                Truth::Unknown | Truth::False => {}
            }
        }
        match refine::siblings(&self.graph, id) {
            Siblings::None | Siblings::Different | Siblings::Alike(AlikeParts::Few) => true,
            Siblings::Alike(AlikeParts::Many) => false,
            Siblings::Undecided => is_old,
        }
    }

    /// Whether nothing has to be switched on for a node, nor for its parts: waits are seen at their calls, wherever those are.
    pub(super) fn is_free(&self, id: NodeId) -> bool {
        !self.row(id).asks_for_own_code()
    }

    /// Whether what a node will be refined into may be measured before its verdict. The classic order asks one thing after the other.
    pub(super) fn may_lead(&self, id: NodeId, now: Time) -> bool {
        self.settings.order == Order::Information && self.is_free(id) && self.may_refine(id, now)
    }

    /// How long an undecided part of a node holds up what comes after it.
    pub(super) fn patience(&self, id: NodeId) -> Nanos {
        let Settings { patience, free_patience, .. } = self.settings;
        if self.is_free(id) { patience.min(free_patience) } else { patience }
    }

    /// The code that has to be switched on for a node. Waits are seen at their calls, wherever those are.
    pub(super) fn measured_code(&self, id: NodeId) -> Option<Resource> {
        let [code] = self.node(id).focus.part(Hierarchy::Code) else { return None };
        (self.row(id).asks_for_own_code() && !code.is_root()).then(|| code.clone())
    }

    /// Whether the parts of a node's code are its callees, and not the functions of a module.
    pub(super) fn follows_calls(&self, id: NodeId, program: &SearchedProgram) -> bool {
        let [code] = self.node(id).focus.part(Hierarchy::Code) else { return false };
        self.settings.code_search == CodeSearch::CallGraph
            && self.row(id).asks_for_own_code()
            && self.row(id).refines(Hierarchy::Code)
            && code.depth() != 1
            && program.may_have_calls()
    }

    /// The function that a node asks about, if its parts are callees.
    pub(super) fn function(&self, id: NodeId, program: &SearchedProgram) -> Option<Resource> {
        let [code] = self.node(id).focus.part(Hierarchy::Code) else { return None };
        (self.follows_calls(id, program) && !code.is_root()).then(|| code.clone())
    }

    /// The children of a node along calls.
    pub(super) fn callees(&self, id: NodeId) -> Vec<NodeId> {
        let called = self.node(id).children.iter().filter(|(_, edge)| **edge == CODE);
        called.map(|(child, _)| *child).collect()
    }

    /// The children of a node that are measured ahead when it leads: the callees of a function, and of what costs nothing more precise hypotheses and
    /// parts.
    pub(super) fn ahead_of(&self, id: NodeId) -> Vec<NodeId> {
        let is_free = self.is_free(id);
        let is_ahead = |edge: RefinementAxis| match edge {
            CODE => true,
            RefinementAxis::Why => is_free,
            RefinementAxis::Where(_) => is_free,
        };
        let ahead = self.node(id).children.iter().filter(|(_, edge)| is_ahead(**edge));
        ahead.map(|(child, _)| *child).collect()
    }

    /// Whether neither code nor objects nor files take a node apart.
    pub(super) fn is_indivisible(&self, id: NodeId) -> bool {
        FIRST
            .into_iter()
            .all(|hierarchy| self.children_along(id, RefinementAxis::Where(hierarchy)) == 0)
    }

    /// How many children a node has along an edge.
    pub(super) fn children_along(&self, id: NodeId, edge: RefinementAxis) -> usize {
        self.node(id).children.values().filter(|other| **other == edge).count()
    }

    /// False callees of a node that together pass its threshold, the smallest value first; none when they do not.
    pub(super) fn false_callees(&self, id: NodeId) -> Vec<(f64, NodeId)> {
        let row = self.row(id);
        if row.operator != Operator::Above {
            return Vec::new();
        }
        let is_false = |child: &NodeId| self.node(*child).truth == Truth::False;
        let value = |child| (self.node(child).judge.value().unwrap_or_default(), child);
        let mut below: Vec<_> = self.callees(id).into_iter().filter(is_false).map(value).collect();
        if below.iter().map(|(value, _)| value).sum::<f64>() <= row.threshold {
            return Vec::new();
        }
        below.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        below
    }

    /// Where the idea comes from to ask a node about the callees of a function: below a false node, others like it gave a hint.
    pub(super) fn origin_below(&self, id: NodeId, function: &Resource) -> Origin {
        let node = self.node(id);
        let there = node.focus.with(Hierarchy::Code, function.clone());
        let there = self.graph.find(node.hypothesis, &there).filter(|there| *there != id);
        let there = there.map(|there| self.node(there));
        let is_false = there.is_some_and(|node| node.truth == Truth::False && !node.is_transparent);
        if is_false { Origin::Hint } else { Origin::Search }
    }

    /// Asks a false node again after a while, which doubles each time.
    pub(super) fn schedule(&mut self, id: NodeId, now: Time) {
        let asked = self.node(id).asked.clamp(1, 20);
        let wait = Nanos(self.settings.retest.0.saturating_mul(1 << (asked - 1)));
        self.graph.ask_again_at(id, now + wait);
    }

    /// What the nodes say of processes and machines.
    pub(super) const fn splits(&self) -> Splits<'_> {
        Splits::new(&self.graph, &self.hypotheses, self.settings.error_true)
    }

    fn truth_of(&self, hypothesis: HypothesisId, focus: &Focus) -> Truth {
        let found = self.graph.find(hypothesis, focus);
        found.map_or(Truth::Unknown, |id| self.node(id).truth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions(order: Order) -> (Questions, HypothesisId) {
        let settings = Settings { order, ..Settings::default() };
        let questions = Questions::new(Hypotheses::built_in(), settings);
        let id = questions.hypotheses.named("CPUbound").expect("it is in the table");
        (questions, id)
    }

    fn resource(text: &str) -> Resource {
        Resource::parse(text).expect("well formed")
    }

    impl Questions {
        fn ask(&mut self, hypothesis: HypothesisId, focus: &str) -> NodeId {
            self.ensure(hypothesis, focus.parse().expect("well formed")).0
        }
    }

    #[test]
    fn there_is_one_node_for_a_question() {
        let (mut questions, computing) = questions(Order::Information);
        let focus: Focus = "</Code/a.c/f>".parse().expect("well formed");
        let (id, novelty) = questions.ensure(computing, focus.clone());
        assert_eq!(novelty, Novelty::New);
        assert_eq!(questions.ensure(computing, focus.clone()), (id, Novelty::Known));
        assert_eq!(questions.subject(id), questions.subject_of(&(computing, focus)));
    }

    #[test]
    fn code_is_switched_on_for_computing_and_only_below_the_root() {
        let (mut questions, computing) = questions(Order::Information);
        let waiting = questions.hypotheses.named("ExcessiveSyncWaitingTime").expect("shipped");
        let function = questions.ask(computing, "</Code/a.c/f>");
        assert_eq!(questions.measured_code(function), Some(resource("/Code/a.c/f")));
        let whole = questions.ask(computing, "<>");
        assert_eq!(questions.measured_code(whole), None);
        let waits = questions.ask(waiting, "</Code/a.c/f>");
        assert_eq!(questions.measured_code(waits), None, "waits are seen at their calls");
    }

    #[test]
    fn calls_are_followed_until_the_data_source_knows_of_none() {
        let (mut questions, computing) = questions(Order::Information);
        let mut program = SearchedProgram::new(1.0);
        let [whole, module, function] =
            ["<>", "</Code/a.c>", "</Code/a.c/f>"].map(|focus| questions.ask(computing, focus));
        let followed = |program: &SearchedProgram| {
            [whole, module, function].map(|id| questions.follows_calls(id, program))
        };
        assert_eq!(followed(&program), [true, false, true]);
        assert_eq!(questions.function(whole, &program), None, "the root is no function");
        program.calls.learn(&resource("/Code"), &[]);
        assert_eq!(followed(&program), [false; 3]);
    }

    #[test]
    fn one_process_waits_for_the_whole_program_and_in_the_classic_order_for_nothing() {
        for (order, expected) in [(Order::Information, false), (Order::Classic, true)] {
            let (mut questions, computing) = questions(order);
            let whole = questions.ask(computing, "<>");
            let single = questions.ask(computing, "</Process/0>");
            questions.graph.make_root(whole);
            questions.graph.make_single_root(single, crate::node::Root::PerProcess);
            questions.graph.set_truth(single, Truth::True);
            assert_eq!(questions.may_refine(single, Time::ZERO), expected);
            assert!(questions.may_refine(whole, Time::ZERO));
        }
    }

    #[test]
    fn a_false_question_is_asked_again_after_twice_the_time_each_time() {
        let (mut questions, computing) = questions(Order::Information);
        let id = questions.ask(computing, "<>");
        let retest = questions.settings.retest;
        for (asked, factor) in [(1, 1), (2, 2), (5, 16)] {
            questions.node_mut(id).asked = asked;
            questions.schedule(id, Time::ZERO);
            assert_eq!(questions.node(id).retest, Some(Time::ZERO + Nanos(retest.0 * factor)));
        }
    }
}
