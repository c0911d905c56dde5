//! How the graph grows: from its roots, by refinement, and by what is discovered late.

use whyperf_model::{Focus, Hierarchy, Nanos, Resource};

use super::Search;
use crate::directive::{Level, Verdict};
use crate::graph::Graph;
use crate::hypothesis::HypothesisId;
use crate::hypothesis::Refinement::{
    self, WhereAndWhy, WhereBeforeWhy, WhereOnly, WhyAndWhere, WhyBeforeWhere, WhyOnly,
};
use crate::judge::Judge;
use crate::node::{Edge, NodeId};
use crate::queue::Idea;
use crate::refine::{self, FIRST, LAST, Siblings};
use crate::settings::Order;
use crate::step::{Happening, Origin};
use crate::stream::Stream;
use crate::truth::Truth;

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

impl Search {
    /// Asks the top-level hypotheses about the whole program.
    pub(super) fn plant(&mut self) {
        for (hypothesis, threshold) in self.in_force.thresholds().collect::<Vec<_>>() {
            self.hypotheses.set_threshold(hypothesis, threshold);
        }
        self.awaited = self.in_force.high().cloned().collect();
        let tops: Vec<_> = self.hypotheses.children(None).collect();
        for hypothesis in tops {
            self.add_root(hypothesis, Focus::whole_program());
        }
    }

    /// Starts the questions that directives want answered at once, as soon as all that they name is there.
    pub(super) fn awaken(&mut self) {
        let awaited = std::mem::take(&mut self.awaited);
        let (here, later) = awaited.into_iter().partition::<Vec<_>, _>(|(hypothesis, focus)| {
            let computes = self.hypotheses.row(*hypothesis).asks_for_computing();
            Hierarchy::ALL.into_iter().all(|hierarchy| {
                let is_here = |resource: &Resource| {
                    // Functions are not announced one by one: they are there when the program is.
                    let is_function = computes && hierarchy == Hierarchy::Code;
                    self.knows(resource)
                        || (is_function && self.catalogue.count(Hierarchy::Process) > 0)
                };
                focus.part(hierarchy).iter().all(is_here)
            })
        });
        self.awaited = later;
        for (hypothesis, focus) in here {
            let (id, is_new) = self.ensure(hypothesis, focus.clone());
            if is_new {
                self.graph.node_mut(id).origin = Origin::Priority;
            }
            self.add_root(hypothesis, focus);
        }
    }

    fn knows(&self, resource: &Resource) -> bool {
        resource.is_root() || self.catalogue.is_known(resource) || self.calls.is_known(resource)
    }

    /// Lets a new resource join what was refined before it was known. One that comes back opens its nodes again.
    pub(super) fn discover(&mut self, news: &Resource) {
        let Some(parent) = news.parent() else { return };
        let hierarchy = news.hierarchy();
        if LAST.contains(&hierarchy) && parent.is_root() {
            self.add_single_roots(news);
        }
        if hierarchy == Hierarchy::Process && self.catalogue.count(hierarchy) == 2 {
            self.compare_late();
        }
        // Processes join late ones alone: nothing is to be done for the first hundred thousand.
        if LAST.contains(&hierarchy) && !self.graph.awaits_late() {
            return;
        }
        for id in self.graph.ids() {
            let node = self.graph.node(id);
            if node.is_closed() && node.focus.part(hierarchy).iter().all(|part| part == news) {
                self.reopen(id);
            } else if node.focus.part(hierarchy) == [parent.clone()] {
                self.join(id, news);
            }
        }
    }

    /// Refines a true node: its more precise hypotheses, and the first stage of its parts.
    pub(super) fn refine_first(&mut self, id: NodeId) {
        if self.graph.node(id).refined.first.is_some() {
            return;
        }
        self.graph.node_mut(id).refined.first = Some(self.now);
        let order = self.refinement(id);
        if matches!(order, WhyAndWhere | WhyOnly | WhyBeforeWhere) {
            self.refine_why(id);
        }
        if matches!(order, WhyAndWhere | WhereAndWhy | WhereOnly | WhereBeforeWhy) {
            self.refine_where(id);
        }
        if order == WhereAndWhy {
            self.refine_why(id);
        }
        // What is like its neighbours is not worth being taken apart by machines and processes again.
        let is_alike = matches!(refine::siblings(&self.graph, id), Siblings::Alike { .. });
        if is_alike && self.settings.order == Order::Information {
            self.graph.note_last(id);
        }
    }

    /// Refines by what comes second, when the first gave nothing.
    pub(super) fn refine_second(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        let (refined, patience) = (node.refined, self.settings.patience);
        let gave_nothing = |stage: fn(&Graph, NodeId, Nanos) -> Truth| {
            stage(&self.graph, id, patience) == Truth::False
        };
        match self.refinement(id) {
            WhyBeforeWhere if !refined.wheres && gave_nothing(refine::why_stage) => {
                self.refine_where(id);
            }
            WhereBeforeWhy
                if !refined.whys && refined.last && gave_nothing(refine::where_stages) =>
            {
                self.refine_why(id);
            }
            _ => {}
        }
    }

    /// The first stage of its parts.
    fn refine_where(&mut self, id: NodeId) {
        self.graph.node_mut(id).refined.wheres = true;
        for hierarchy in FIRST {
            self.refine_along(id, hierarchy);
        }
        if self.settings.order == Order::Classic {
            self.refine_last(id);
        }
    }

    fn refinement(&self, id: NodeId) -> Refinement {
        self.hypotheses.row(self.graph.node(id).hypothesis).refinement
    }

    /// The last stage of its parts.
    pub(super) fn refine_last(&mut self, id: NodeId) {
        self.graph.note_last(id);
        for hierarchy in LAST {
            self.refine_along(id, hierarchy);
        }
    }

    /// Whether a true node may be refined now. What names a process or a machine waits for the ones beside it; and while the whole
    /// program is true of the same, its own refinement tells more.
    pub(super) fn may_refine(&self, id: NodeId) -> bool {
        if self.settings.order == Order::Classic {
            return true;
        }
        let node = self.graph.node(id);
        let found = node.found.as_ref().map_or(self.now, |(found, _)| *found);
        let is_old = self.now.since(found) >= self.settings.patience;
        if node.root.is_single() && node.true_parents == 0 {
            match self.truth_of(node.hypothesis, &Focus::whole_program()) {
                Truth::True => return false,
                Truth::Unknown if !is_old => return false,
                Truth::Unknown | Truth::False => {}
            }
        }
        match refine::siblings(&self.graph, id) {
            Siblings::None | Siblings::Different | Siblings::Alike { few: true } => true,
            Siblings::Alike { few: false } => false,
            Siblings::Undecided => is_old,
        }
    }

    /// Whether it says of one process what is true of the whole program.
    pub(super) fn is_duplicate(&self, id: NodeId) -> bool {
        let node = self.graph.node(id);
        let whole = Focus::whole_program();
        node.root.is_single() && self.truth_of(node.hypothesis, &whole) == Truth::True
    }

    /// Puts a node that is held into the queue, unless it is there, is measured, or cannot be.
    pub(super) fn enqueue(&mut self, id: NodeId, idea: Idea) {
        let node = self.graph.node(id);
        let is_idle = node.is_idle() && !self.queue.contains(id);
        if is_idle && (node.is_held() || self.speculation.is_ahead(id)) {
            let rank = self.rank(id, idea);
            self.queue.push(idea, rank, id);
            self.is_blocked = false;
        }
    }

    pub(super) fn add_root(&mut self, hypothesis: HypothesisId, focus: Focus) {
        let (id, _) = self.ensure(hypothesis, focus);
        if self.graph.make_root(id) {
            self.enqueue(id, Idea::Why);
        }
    }

    fn refine_why(&mut self, id: NodeId) {
        self.graph.node_mut(id).refined.whys = true;
        let node = self.graph.node(id);
        let (hypothesis, focus) = (node.hypothesis, node.focus.clone());
        let is_alone = self.catalogue.count(Hierarchy::Process) < 2;
        let is_asked = |finer: &HypothesisId| {
            let finer = self.hypotheses.row(*finer);
            finer.is_asked_at(&focus) && !(is_alone && finer.compares())
        };
        let below: Vec<_> = self.hypotheses.children(Some(hypothesis)).filter(is_asked).collect();
        let linked: Vec<_> =
            below.into_iter().map(|finer| self.link(id, finer, focus.clone(), Edge::Why)).collect();
        self.tell_refined(id, None, &linked, 0);
    }

    /// There is a second process: what compares them is asked now where it had been left out.
    fn compare_late(&mut self) {
        for id in self.graph.ids() {
            if self.graph.node(id).refined.whys {
                self.refine_why(id);
            }
        }
    }

    pub(super) fn refine_along(&mut self, id: NodeId, hierarchy: Hierarchy) {
        let node = self.graph.node(id);
        let hypothesis = node.hypothesis;
        if !self.hypotheses.row(hypothesis).refines(hierarchy) {
            return;
        }
        if hierarchy == Hierarchy::Code && self.follows_calls(id) {
            let code = self.graph.node(id).focus.part(hierarchy)[0].clone();
            self.descend(id, &code);
            return;
        }
        let node = self.graph.node(id);
        let breadth = self.settings.breadth;
        let parts = refine::parts(&self.catalogue, &node.focus, hierarchy, breadth);
        let edge = Edge::Where(hierarchy);
        let linked: Vec<_> =
            parts.foci.into_iter().map(|focus| self.link(id, hypothesis, focus, edge)).collect();
        self.tell_refined(id, Some(hierarchy), &linked, parts.left_out);
    }

    /// One resource joins a node that was refined along its hierarchy already.
    fn join(&mut self, id: NodeId, news: &Resource) {
        let hierarchy = news.hierarchy();
        let node = self.graph.node(id);
        let is_last = LAST.contains(&hierarchy);
        let parts = node.children.values().filter(|edge| **edge == Edge::Where(hierarchy)).count();
        if is_last && node.refined.last && parts < self.settings.breadth {
            // The second of two is what makes the first worth asking about.
            self.refine_along(id, hierarchy);
        }
        let hypothesis = self.graph.node(id).hypothesis;
        if is_last
            || !self.graph.node(id).refined.wheres
            || !self.hypotheses.row(hypothesis).refines(hierarchy)
            || (hierarchy == Hierarchy::Code && self.follows_calls(id))
        {
            return;
        }
        let node = self.graph.node(id);
        let edge = Edge::Where(hierarchy);
        let siblings = node.children.values().filter(|other| **other == edge).count();
        if siblings >= self.settings.breadth {
            return;
        }
        let focus = node.focus.with(hierarchy, news.clone());
        let linked = [self.link(id, hypothesis, focus.clone(), edge)];
        self.mark(&linked, hypothesis, &[focus], Origin::Late);
        self.tell_refined(id, Some(hierarchy), &linked, 0);
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
            if let (Linked::News, Some(id)) = (linked, self.graph.find(hypothesis, focus)) {
                self.graph.node_mut(id).origin = origin;
            }
        }
    }

    fn reopen(&mut self, id: NodeId) {
        self.graph.node_mut(id).reopen();
        if self.graph.node(id).truth != Truth::False {
            self.enqueue(id, Idea::Where);
        }
        self.reconsider(id);
    }

    pub(super) fn link(
        &mut self,
        parent: NodeId,
        hypothesis: HypothesisId,
        focus: Focus,
        edge: Edge,
    ) -> Linked {
        let verdict = self.in_force.verdict(hypothesis, &focus);
        if verdict == Verdict::Pruned {
            self.pruned.insert((hypothesis, focus));
            return Linked::Pruned;
        }
        let (child, is_new) = self.ensure(hypothesis, focus);
        if !self.graph.link(parent, child, edge) {
            return Linked::Known;
        }
        if self.graph.node(child).truth != Truth::False {
            let idea = match edge {
                _ if verdict == Verdict::Asked(Level::Low) => Idea::Low,
                Edge::Why => Idea::Why,
                Edge::Where(_) => Idea::Where,
            };
            self.enqueue(child, idea);
        }
        self.reconsider(child);
        if is_new { Linked::News } else { Linked::Shadow }
    }

    pub(super) fn ensure(&mut self, hypothesis: HypothesisId, focus: Focus) -> (NodeId, bool) {
        if let Some(id) = self.graph.find(hypothesis, &focus) {
            return (id, false);
        }
        let judge = Judge::new(self.hypotheses.row(hypothesis), &self.settings);
        let stream = Stream::new(self.settings.grain);
        (self.graph.add((hypothesis, focus), judge, stream), true)
    }

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
            let (subject, along) = (self.subject(id), Happening::axis(along));
            self.tell(Happening::Refined { subject, along, news, shadows, left_out });
        }
    }
}
