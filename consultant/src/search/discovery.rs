//! Adds what the data source tells late: new resources, calls and prices join the questions that were asked before they
//! were known.

use whyperf_model::{Focus, Hierarchy, Resource};

use super::growth::Growth;
use super::questions::Novelty;
use super::single_roots::SingleRoot;
use crate::directive::{Directive, DirectiveRefusal, Level, Ruling};
use crate::hypothesis::HypothesisId;
use crate::node::{NodeId, RefinementAxis, Root};
use crate::queue::Idea;
use crate::refine::LAST;
use crate::step::{Happening, Origin};
use crate::truth::Truth;

impl Growth {
    /// Something new can be asked about: it and its ancestors join all nodes that were refined there already.
    pub(super) fn add_resource(&mut self, resource: &Resource) {
        for news in self.program.catalogue.add(resource) {
            self.discover(&news);
        }
        self.ask_awaited();
    }

    /// A function calls these. Asked for once, it may be told again with more.
    pub(super) fn learn_callees(&mut self, of: &Resource, callees: &[Resource]) {
        let is_late = self.program.calls.is_answered(of);
        let news = self.program.calls.learn(of, callees);
        self.ask_awaited();
        for id in self.program.calls.followers(of) {
            let early = || self.questions.origin_below(id, of);
            let origin = if is_late { Origin::Late } else { early() };
            self.link_callees(id, &news, origin);
            self.speculate(id);
            if of.is_root() && self.program.calls.has_none(of) {
                self.refine_along(id, Hierarchy::Code);
            }
        }
    }

    /// A function is called so often per second.
    pub(super) fn learn_rate(&mut self, of: &Resource, rate: f64) {
        let assumed = self.program.rate(of);
        let is_first = self.program.calls.rate(of).is_none();
        self.program.calls.price(of, rate);
        let rate = self.program.rate(of);
        if is_first && self.costs.is_on(of) {
            let [predicted, observed] = [assumed, rate].map(|rate| self.costs.cost_of_rate(rate));
            self.tell(Happening::Priced { function: of.clone(), predicted, observed });
        }
        self.costs.correct(of, assumed, rate);
        // Prices come many at a time, and what measuring costs comes after them: that looks for what fits now.
        self.queue.try_again();
    }

    /// Compares with another threshold from now on. What was false, and would be true by all that was seen of it, is asked again.
    pub(super) fn move_threshold(&mut self, hypothesis: HypothesisId, threshold: f64) {
        self.questions.hypotheses.set_threshold(hypothesis, threshold);
        let mut again = 0;
        for id in self.questions.graph.ids() {
            if self.questions.node(id).hypothesis != hypothesis {
                continue;
            }
            self.questions.node_mut(id).judge.move_threshold(threshold);
            let node = self.questions.node(id);
            let is_idle = node.truth == Truth::False && !node.is_measured() && node.is_held();
            if is_idle && node.judge.would_hold() {
                self.enqueue(id, Idea::Where);
                again += 1;
            }
        }
        let hypothesis = self.questions.hypotheses.row(hypothesis).name.clone();
        self.tell(Happening::ThresholdMoved { hypothesis, threshold, again });
    }

    /// Follows a priority or a prune from now on; a question whose priority changed takes its new place among those that wait.
    pub(super) fn direct(&mut self, directive: &Directive) -> Result<(), DirectiveRefusal> {
        self.directed.take(directive, &self.questions.hypotheses)?;
        let Directive::Priority { level, hypothesis, focus } = directive else { return Ok(()) };
        let id = self.questions.hypotheses.named(hypothesis);
        let waiting = id.and_then(|id| self.questions.graph.find(id, focus));
        let waiting = waiting.filter(|id| self.queue.remove(*id));
        self.ask_awaited();
        if let Some(id) = waiting {
            let idea = if *level == Level::High { Idea::Why } else { Idea::Low };
            self.enqueue(id, idea);
        }
        Ok(())
    }

    /// Starts the questions that directives want answered at once, as soon as all that they name is there.
    fn ask_awaited(&mut self) {
        let (program, hypotheses) = (&self.program, &self.questions.hypotheses);
        let arrived = self.directed.take_arrived(|(hypothesis, focus)| {
            program.has_all_of(focus, hypotheses.row(*hypothesis))
        });
        for (hypothesis, focus) in arrived {
            let (id, novelty) = self.questions.ensure(hypothesis, focus.clone());
            if novelty == Novelty::New {
                self.questions.node_mut(id).origin = Origin::Priority;
            }
            self.add_root(hypothesis, focus);
        }
    }

    /// Lets a new resource join what was refined before it was known. One that comes back opens its nodes again.
    fn discover(&mut self, news: &Resource) {
        let Some(parent) = news.parent() else { return };
        let hierarchy = news.hierarchy();
        if LAST.contains(&hierarchy) && parent.is_root() {
            self.add_single_roots(news);
        }
        if hierarchy == Hierarchy::Process && self.program.catalogue.count(hierarchy) == 2 {
            self.compare_late();
        }
        // Processes join late ones alone: nothing is to be done for the first hundred thousand.
        if LAST.contains(&hierarchy) && !self.questions.graph.awaits_late() {
            return;
        }
        for id in self.questions.graph.ids() {
            let node = self.questions.node(id);
            if node.is_closed() && node.focus.part(hierarchy).iter().all(|part| part == news) {
                self.reopen(id);
            } else if node.focus.part(hierarchy) == [parent.clone()] {
                self.join(id, news);
            }
        }
    }

    /// There is a second process: what compares them is asked now where it had been left out.
    fn compare_late(&mut self) {
        for id in self.questions.graph.ids() {
            if self.questions.node(id).refined.whys {
                self.refine_why(id);
            }
        }
    }

    /// One resource joins a node that was refined along its hierarchy already.
    fn join(&mut self, id: NodeId, news: &Resource) {
        let hierarchy = news.hierarchy();
        let breadth = self.questions.settings.breadth;
        let node = self.questions.node(id);
        let edge = RefinementAxis::Where(hierarchy);
        let is_last = LAST.contains(&hierarchy);
        if is_last && node.refined.last && self.questions.children_along(id, edge) < breadth {
            // The second of two is what makes the first worth asking about.
            self.refine_along(id, hierarchy);
        }
        let node = self.questions.node(id);
        let hypothesis = node.hypothesis;
        let is_left_out = is_last
            || !node.refined.wheres
            || !self.questions.row(id).refines(hierarchy)
            || (hierarchy == Hierarchy::Code && self.follows_calls(id));
        if is_left_out || self.questions.children_along(id, edge) >= breadth {
            return;
        }
        let focus = node.focus.with(hierarchy, news.clone());
        let linked = [self.link(id, hypothesis, focus.clone(), edge)];
        self.mark(&linked, hypothesis, &[focus], Origin::Late);
        self.tell_refined(id, Some(hierarchy), &linked, 0);
    }

    fn reopen(&mut self, id: NodeId) {
        if self.is_pruned(id) {
            return;
        }
        self.questions.node_mut(id).reopen();
        if self.questions.node(id).truth != Truth::False {
            self.enqueue(id, Idea::Where);
        }
        self.reconsider(id);
    }

    /// Asks the top-level hypotheses about each process or each machine.
    fn add_single_roots(&mut self, news: &Resource) {
        let catalogue = &self.program.catalogue;
        let processes = catalogue.count(Hierarchy::Process);
        let machines = catalogue.count(Hierarchy::Machine);
        let Some(root) = self.single_roots.next(news.hierarchy(), processes, machines) else {
            return;
        };
        let (SingleRoot::All(kind) | SingleRoot::New(kind)) = root;
        let is_host = kind == Root::PerHost;
        let hierarchy = if is_host { Hierarchy::Machine } else { Hierarchy::Process };
        let all = match root {
            SingleRoot::All(_) => catalogue.children(&Resource::root(hierarchy)),
            SingleRoot::New(_) => vec![news.clone()],
        };
        let tops: Vec<_> = self.questions.hypotheses.children(None).collect();
        for one in all {
            let focus = Focus::whole_program().with(hierarchy, one);
            for hypothesis in &tops {
                if self.questions.hypotheses.row(*hypothesis).refines(hierarchy) {
                    self.add_single_root(*hypothesis, focus.clone(), kind);
                }
            }
        }
    }

    fn add_single_root(&mut self, hypothesis: HypothesisId, focus: Focus, kind: Root) {
        if self.directed.rule(hypothesis, &focus) == Ruling::Pruned {
            return;
        }
        let (id, _) = self.questions.ensure(hypothesis, focus);
        if self.questions.graph.make_single_root(id, kind) {
            self.enqueue(id, Idea::Where);
        }
    }
}
