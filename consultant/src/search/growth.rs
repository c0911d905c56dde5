//! Grows the search history graph: adds and links questions, which wait in the queue until they are measured.

use whyperf_model::{Focus, Hierarchy};

use super::cost_control::CostControl;
use super::directed::DirectedQuestions;
use super::output::Output;
use super::priority;
use super::program::SearchedProgram;
use super::questions::{Novelty, Questions};
use super::single_roots::SingleRoots;
use super::speculation::Speculation;
use crate::directive::{DirectivesInForce, Level, Ruling};
use crate::hypothesis::{Hypotheses, HypothesisId};
use crate::node::{NodeId, RefinementAxis};
use crate::queue::{Eligible, Fit, Idea, Queue};
use crate::settings::Settings;
use crate::step::{Happening, Origin};
use crate::truth::Truth;

/// The questions of a search, and all that decides which are added and which wait to be measured.
#[derive(Debug)]
pub(super) struct Growth {
    pub(super) questions: Questions,
    pub(super) program: SearchedProgram,
    pub(super) directed: DirectedQuestions,
    pub(super) queue: Queue,
    pub(super) costs: CostControl,
    pub(super) speculation: Speculation,
    pub(super) single_roots: SingleRoots,
    pub(super) output: Output,
}

/// What linking a child to its parent came to.
pub(super) enum Linked {
    /// A question that was not asked before.
    News,
    /// One that another node had led to.
    Shadow,
    /// Nothing: it was linked before.
    Known,
    /// Nothing: a directive forbids it.
    Pruned,
}

impl Growth {
    /// Asks the top-level hypotheses about the whole program.
    pub(super) fn new(
        hypotheses: Hypotheses,
        settings: Settings,
        in_force: DirectivesInForce,
    ) -> Self {
        let mut growth = Self {
            program: SearchedProgram::new(settings.assumed_rate),
            directed: DirectedQuestions::new(in_force),
            queue: Queue::new(settings.order),
            costs: CostControl::new(settings.cost_limit, settings.call_cost),
            speculation: Speculation::default(),
            single_roots: SingleRoots::new(&settings),
            output: Output::default(),
            questions: Questions::new(hypotheses, settings),
        };
        for (hypothesis, threshold) in growth.directed.thresholds() {
            growth.questions.hypotheses.set_threshold(hypothesis, threshold);
        }
        let tops: Vec<_> = growth.questions.hypotheses.children(None).collect();
        for hypothesis in tops {
            growth.add_root(hypothesis, Focus::whole_program());
        }
        growth
    }

    /// Adds a step about a node.
    pub(super) fn tell(&mut self, happening: Happening) {
        self.output.tell(happening);
    }

    /// Asks a question whatever its parents say.
    pub(super) fn add_root(&mut self, hypothesis: HypothesisId, focus: Focus) {
        let (id, _) = self.questions.ensure(hypothesis, focus);
        if self.questions.graph.make_root(id) {
            self.enqueue(id, Idea::Why);
        }
    }

    /// Puts a node that is held into the queue, unless it is there, is measured, or cannot be.
    pub(super) fn enqueue(&mut self, id: NodeId, idea: Idea) {
        let node = self.questions.node(id);
        let is_idle = node.is_idle() && !self.queue.contains(id);
        if is_idle && self.is_wanted(id) {
            let likelihood = priority::likelihood(&self.questions, id, idea);
            let cost = self.predicted_cost(id);
            let rank = priority::rank(cost, likelihood, &self.questions.settings);
            self.queue.push(idea, rank, id);
        }
    }

    /// Takes the next node out of the queue that is eligible and that the limit has room for.
    pub(super) fn next(&mut self, eligible: Eligible) -> Option<NodeId> {
        let Self { questions, program, queue, costs, .. } = self;
        let fits = |id| costs.is_affordable(questions.measured_code(id).as_ref(), program);
        queue.pop(eligible, fits).ok()
    }

    /// Whether the cost holds nothing back, and something that waits may fit.
    pub(super) fn may_start(&self) -> bool {
        self.costs.budget().admits() && self.queue.fit() == Fit::Unknown
    }

    /// Whether a node is held, or is measured before any true node leads to it.
    pub(super) fn is_wanted(&self, id: NodeId) -> bool {
        self.questions.node(id).is_held() || self.speculation.is_ahead(id)
    }

    /// Whether a directive forbids a question, which is noted.
    pub(super) fn is_pruned(&mut self, id: NodeId) -> bool {
        let node = self.questions.node(id);
        self.directed.rule(node.hypothesis, &node.focus) == Ruling::Pruned
    }

    /// Asks again what was false for long enough.
    pub(super) fn reconsider(&mut self, id: NodeId) {
        let node = self.questions.node(id);
        let is_due = node.retest.is_some_and(|time| time <= self.output.now());
        if node.truth == Truth::False && is_due {
            self.enqueue(id, Idea::Again);
        }
    }

    /// Links a question to the node that led to it, and asks it unless a directive forbids that.
    pub(super) fn link(
        &mut self,
        parent: NodeId,
        hypothesis: HypothesisId,
        focus: Focus,
        edge: RefinementAxis,
    ) -> Linked {
        let ruling = self.directed.rule(hypothesis, &focus);
        if ruling == Ruling::Pruned {
            return Linked::Pruned;
        }
        let (child, novelty) = self.questions.ensure(hypothesis, focus);
        if !self.questions.graph.link(parent, child, edge) {
            return Linked::Known;
        }
        if self.questions.node(child).truth != Truth::False {
            let idea = match edge {
                _ if ruling == Ruling::Asked(Level::Low) => Idea::Low,
                RefinementAxis::Why => Idea::Why,
                RefinementAxis::Where(_) => Idea::Where,
            };
            self.enqueue(child, idea);
        }
        self.reconsider(child);
        if novelty == Novelty::New { Linked::News } else { Linked::Shadow }
    }

    /// Notes where the idea of questions came from that were new.
    pub(super) fn mark(
        &mut self,
        linked: &[Linked],
        hypothesis: HypothesisId,
        foci: &[Focus],
        origin: Origin,
    ) {
        for (linked, focus) in linked.iter().zip(foci) {
            if let (Linked::News, Some(id)) = (linked, self.questions.graph.find(hypothesis, focus))
            {
                self.questions.node_mut(id).origin = origin;
            }
        }
    }

    /// Tells what a node was refined into.
    pub(super) fn tell_refined(
        &mut self,
        id: NodeId,
        along: Option<Hierarchy>,
        linked: &[Linked],
        left_out: usize,
    ) {
        let news = linked.iter().filter(|one| matches!(one, Linked::News)).count();
        let shadows = linked.iter().filter(|one| matches!(one, Linked::Shadow)).count();
        if news + shadows > 0 {
            let (subject, along) = (self.questions.subject(id), Happening::axis(along));
            self.tell(Happening::Refined { subject, along, news, shadows, left_out });
        }
    }

    /// The share of the time that a node costs as far as its calls were counted, to four places.
    pub(super) fn observed_cost(&self, id: NodeId) -> f64 {
        let coverage = self.questions.node(id).coverage();
        let code = self.questions.measured_code(id);
        self.costs.observed(code.as_ref(), coverage, &self.program)
    }

    fn predicted_cost(&self, id: NodeId) -> f64 {
        self.costs.predicted(self.questions.measured_code(id).as_ref(), &self.program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directives;

    fn growth(directives: &str) -> Growth {
        let table = Hypotheses::built_in();
        let text = format!("whyperf directives 1\n{directives}");
        let directives = Directives::parse("d", &text, &table).expect("well formed");
        let in_force = DirectivesInForce::new(&directives, &table).expect("no contradiction");
        Growth::new(table, Settings::default(), in_force)
    }

    fn root(growth: &Growth, name: &str) -> (NodeId, HypothesisId) {
        let hypothesis = growth.questions.hypotheses.named(name).expect("it is in the table");
        let whole = Focus::whole_program();
        (growth.questions.graph.find(hypothesis, &whole).expect("it is a root"), hypothesis)
    }

    #[test]
    fn it_begins_with_the_top_level_hypotheses_at_the_whole_program() {
        let mut growth = growth("threshold CPUbound 0.75");
        let tops = growth.questions.hypotheses.children(None).count();
        assert_eq!(growth.queue.len(), tops);
        let next: Vec<_> = std::iter::from_fn(|| growth.next(Eligible::All)).collect();
        assert_eq!(next, growth.questions.graph.ids().collect::<Vec<_>>());
        let (id, _) = root(&growth, "CPUbound");
        assert!((growth.questions.row(id).threshold - 0.75).abs() < 1e-12);
    }

    #[test]
    fn a_child_waits_only_while_a_true_parent_holds_it() {
        let mut growth = growth("");
        while growth.next(Eligible::All).is_some() {}
        let (parent, hypothesis) = root(&growth, "ExcessiveSyncWaitingTime");
        let (early, late) = ("</SyncObject/Barrier>", "</File/data>");
        let edge = RefinementAxis::Where(Hierarchy::SyncObject);
        let focus = |text: &str| text.parse::<Focus>().expect("well formed");
        assert!(matches!(growth.link(parent, hypothesis, focus(early), edge), Linked::News));
        assert_eq!(growth.queue.len(), 0, "its parent is not true");
        growth.questions.graph.set_truth(parent, Truth::True);
        assert!(matches!(growth.link(parent, hypothesis, focus(late), edge), Linked::News));
        assert_eq!(growth.queue.len(), 1);
        assert!(matches!(growth.link(parent, hypothesis, focus(late), edge), Linked::Known));
        assert_eq!(growth.queue.len(), 1);
    }

    #[test]
    fn what_a_directive_forbids_is_not_in_the_graph() {
        let mut growth = growth("prune ExcessiveSyncWaitingTime /Machine");
        let (parent, hypothesis) = root(&growth, "ExcessiveSyncWaitingTime");
        let before = growth.questions.graph.ids().count();
        let focus: Focus = "</Machine/n0>".parse().expect("well formed");
        let edge = RefinementAxis::Where(Hierarchy::Machine);
        assert!(matches!(growth.link(parent, hypothesis, focus, edge), Linked::Pruned));
        assert_eq!(growth.questions.graph.ids().count(), before);
        assert_eq!(growth.directed.pruned().count(), 1);
    }
}
