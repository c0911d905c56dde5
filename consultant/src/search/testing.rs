//! Tests questions: starts and stops measuring their nodes, and carries out what a verdict leads to.

use super::evidence::{Evidence, Weighed};
use super::growth::Growth;
use crate::directive::{Directive, DirectiveRefusal};
use crate::graph::Consequences;
use crate::judge::VerdictGround;
use crate::node::{NodeId, Root};
use crate::queue::Idea;
use crate::request::MeasurementId;
use crate::settings::Settings;
use crate::step::Happening;
use crate::truth::Truth;
use whyperf_model::{Nanos, Resource, Sample, Time};

/// The growing graph, and the evidence that is gathered for its nodes.
#[derive(Debug)]
pub(super) struct Testing {
    pub(super) growth: Growth,
    pub(super) evidence: Evidence,
}

impl Testing {
    /// Nothing is measured.
    pub(super) fn new(growth: Growth, settings: &Settings) -> Self {
        Self { growth, evidence: Evidence::new(settings) }
    }

    /// Brings a sample to all nodes that use it.
    pub(super) fn observe(&mut self, id: MeasurementId, sample: &Sample) {
        for user in self.evidence.users(id) {
            Evidence::deliver(self.growth.questions.node_mut(user), id, sample);
            while let Some(weighed) = Evidence::weigh(self.growth.questions.node_mut(user)) {
                match weighed {
                    Weighed::Verdict(ground) => self.conclude(user, ground),
                    Weighed::Unchanged => self.look_ahead(user),
                }
            }
        }
    }

    /// A pair cannot be measured. The nodes that need it are given up.
    pub(super) fn refuse(&mut self, id: MeasurementId, reason: &str) {
        for user in self.evidence.users(id) {
            let subject = self.growth.questions.subject(user);
            self.close(user);
            let looked_through = self.growth.look_through(user);
            let reason = reason.to_owned();
            self.growth.questions.node_mut(user).explain(reason.clone());
            self.growth.tell(Happening::Refused { subject, reason, looked_through });
        }
    }

    /// A pair is estimated by stack samples.
    pub(super) fn estimate(&mut self, id: MeasurementId, period: Nanos) {
        for user in self.evidence.users(id) {
            let node = self.growth.questions.node_mut(user);
            if node.sampled.replace(period).is_none() {
                let subject = self.growth.questions.subject(user);
                self.growth.tell(Happening::Sampled { subject });
            }
        }
    }

    /// A resource is gone. What was found there stays found; what was open stays unknown.
    pub(super) fn retire(&mut self, resource: &Resource) {
        self.growth.program.catalogue.retire(resource);
        for id in self.growth.questions.graph.ids() {
            let part = self.growth.questions.node(id).focus.part(resource.hierarchy());
            if part.iter().all(|named| resource.contains(named)) {
                self.close(id);
            }
        }
    }

    /// Follows a priority or a prune from now on. What a prune forbids is given up: it keeps what was found, and is not asked again.
    pub(super) fn direct(&mut self, directive: &Directive) -> Result<(), DirectiveRefusal> {
        self.growth.direct(directive)?;
        let mut given_up = 0;
        if let Directive::Prune { .. } = directive {
            for id in self.growth.questions.graph.ids() {
                given_up += usize::from(self.give_up_pruned(id));
            }
        }
        let directive = directive.to_string();
        self.growth.tell(Happening::Directed { directive, given_up });
        Ok(())
    }

    /// Gives a question up if a directive forbids it; tells whether it was open.
    fn give_up_pruned(&mut self, id: NodeId) -> bool {
        let node = self.growth.questions.node(id);
        if node.is_closed() || !self.growth.is_pruned(id) {
            return false;
        }
        let was_open = self.growth.queue.remove(id) || self.growth.questions.node(id).is_measured();
        self.close(id);
        self.growth.questions.node_mut(id).explain("a prune forbids it".to_owned());
        was_open
    }

    /// The run is over: what is true must hold for all of its life, and what could not be concluded stays unknown.
    pub(super) fn end(&mut self) {
        for id in self.growth.questions.graph.ids() {
            self.look_back(id);
        }
        for id in self.growth.questions.graph.ids() {
            self.stop(id);
        }
        self.growth.queue.clear();
        self.growth.tell(Happening::Ended);
    }

    /// Measures a node that came out of the queue, unless it is not wanted any more.
    pub(super) fn start(&mut self, id: NodeId) {
        let growth = &mut self.growth;
        if !growth.is_wanted(id) || !growth.questions.node(id).is_idle() {
            return;
        }
        let node = growth.questions.node(id);
        let pairs = growth.questions.row(id).pairs(&node.focus);
        let again = node.asked > 0;
        let code = growth.questions.measured_code(id);
        self.evidence.begin(id, growth.questions.node_mut(id), pairs, &mut growth.output);
        let price = growth.costs.switch_on(code, &growth.program);
        let subject = growth.questions.subject(id);
        growth.tell(Happening::Started { subject, again, price });
    }

    /// Measures a node no longer.
    pub(super) fn stop(&mut self, id: NodeId) {
        let growth = &mut self.growth;
        let Some(measuring) = self.evidence.end(id, growth.questions.node_mut(id)) else { return };
        if let Some(code) = growth.questions.measured_code(id) {
            growth.costs.switch_off(&code);
            growth.queue.try_again();
        }
        self.cancel_speculation(id);
        self.evidence.release(id, &measuring, &mut self.growth.output);
    }

    /// Gives a node up: it keeps what was found, and is not measured again unless its resource comes back.
    pub(super) fn close(&mut self, id: NodeId) {
        self.stop(id);
        self.growth.questions.graph.close(id);
    }

    /// A verdict, and all that follows from it.
    fn conclude(&mut self, id: NodeId, ground: VerdictGround) {
        if !self.growth.questions.node(id).is_held() && ground.truth == Truth::True {
            self.keep_for_later(id, ground);
            return;
        }
        let now = self.growth.output.now();
        let node = self.growth.questions.node_mut(id);
        let was = node.truth;
        if ground.truth == Truth::True && was != Truth::True {
            node.found = Some((now, ground));
        }
        let is_measured_on = matches!(node.root, Root::Always | Root::PerProcess);
        self.evidence.decide(id);
        self.change_truth(id, was, ground);
        if ground.truth == Truth::True {
            self.growth.questions.graph.watch(id);
            self.growth.deepen(id);
            self.confirm(id);
        } else if is_measured_on {
            self.cancel_speculation(id);
        } else {
            self.stop(id);
            self.growth.questions.schedule(id, now);
        }
    }

    /// At the end: whether what is true held for its whole life.
    fn look_back(&mut self, id: NodeId) {
        let node = self.growth.questions.node(id);
        if node.truth != Truth::True || node.judge.at_the_end() == Truth::True {
            return;
        }
        let value = node.judge.value().unwrap_or_default();
        let since = Time(self.growth.output.now().0 - node.judge.time());
        let ground = VerdictGround { truth: Truth::False, value, confidence: 1.0, since };
        self.change_truth(id, Truth::True, ground);
    }

    /// Tells a verdict, and lets it go down the graph.
    fn change_truth(&mut self, id: NodeId, was: Truth, ground: VerdictGround) {
        let conclusion = self.growth.questions.conclusion(id, was, ground);
        self.growth.tell(Happening::Concluded(conclusion));
        if was == Truth::True {
            self.growth.reparent(id);
        }
        let consequences = self.growth.questions.graph.set_truth(id, ground.truth);
        self.follow(&consequences);
    }

    fn follow(&mut self, consequences: &Consequences) {
        for id in &consequences.dropped {
            let node = self.growth.questions.node_mut(*id);
            if !node.is_measured() {
                continue;
            }
            node.judge.overrule(node.truth);
            self.stop(*id);
            let subject = self.growth.questions.subject(*id);
            self.growth.tell(Happening::Dropped { subject });
        }
        for id in &consequences.revived {
            let node = self.growth.questions.node(*id);
            if node.truth != Truth::False || node.retest.is_none() {
                self.growth.enqueue(*id, Idea::Where);
            } else {
                self.growth.reconsider(*id);
            }
        }
    }

    /// Has measured what a question leads to that is likely to turn true.
    fn look_ahead(&mut self, id: NodeId) {
        let node = self.growth.questions.node(id);
        let leans = node.throttle.is_none() && node.judge.leans_to_true();
        if leans && !node.root.is_single() {
            self.growth.lead(id);
        }
    }

    /// Keeps a verdict that nothing true leads to yet. A question whose verdict is kept leads as well.
    fn keep_for_later(&mut self, id: NodeId, ground: VerdictGround) {
        self.evidence.decide(id);
        self.growth.questions.node_mut(id).keep_early(ground);
        self.growth.lead(id);
    }

    /// A leading question is true: the verdicts that were reached ahead of it hold.
    fn confirm(&mut self, id: NodeId) {
        self.growth.speculation.follow(id);
        for child in self.growth.questions.ahead_of(id) {
            self.growth.speculation.forget(child);
            if let Some(ground) = self.growth.questions.node_mut(child).take_early() {
                self.conclude(child, ground);
            }
        }
    }

    /// A leading question is not true, or not measured any more: what was measured ahead for it alone is not either.
    fn cancel_speculation(&mut self, id: NodeId) {
        self.growth.speculation.follow(id);
        for child in self.growth.questions.ahead_of(id) {
            let growth = &mut self.growth;
            let node = growth.questions.node_mut(child);
            let is_cancelled = growth.speculation.cancel(child, &node.parents);
            if is_cancelled && !node.is_held() {
                node.take_early();
                node.judge.overrule(Truth::Unknown);
                self.stop(child);
            }
        }
    }
}
