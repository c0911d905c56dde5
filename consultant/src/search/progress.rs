//! How the search moves on: what is started, what verdicts lead to, and what time alone brings.

use whyperf_model::{Nanos, Time};

use super::Search;
use crate::graph::Consequences;
use crate::judge::Ground;
use crate::node::{Measuring, NodeId, Root};
use crate::queue::{Idea, Nothing, Queue};
use crate::refine;
use crate::step::{Conclusion, Happening};
use crate::stream::Stream;
use crate::truth::Truth;

impl Search {
    /// Time goes on, once per moment: what waited for it happens.
    pub(super) fn advance(&mut self, now: Time) {
        if now <= self.now {
            return;
        }
        self.now = now;
        if self.is_paused {
            return;
        }
        self.make_room();
        let mut changing = self.graph.watched();
        changing.extend(self.graph.due(now));
        changing.sort_unstable();
        for id in changing {
            match self.graph.node(id).truth {
                Truth::True => self.deepen(id),
                Truth::False => self.reconsider(id),
                Truth::Unknown => self.lose_patience(id),
            }
        }
    }

    /// When all places are taken and others wait, those that could not be told for long enough give up theirs, the oldest first. They
    /// come again when half of the places are free.
    fn make_room(&mut self) {
        let waiting = self.queue.fresh();
        if self.undecided.len() < self.settings.active_limit || waiting == 0 {
            return;
        }
        let due = self.now.0.0.saturating_sub(self.settings.long_enough().0);
        let old = self
            .undecided
            .iter()
            .filter_map(|id| Some((self.graph.node(*id).measuring()?.since, *id)));
        let mut old: Vec<(Time, NodeId)> = old
            .filter(|(since, id)| since.0.0 <= due && !self.graph.node(*id).root.is_root())
            .collect();
        old.sort_unstable();
        for (_, id) in old.into_iter().take(waiting) {
            self.stop(id);
            let subject = self.subject(id);
            self.tell(Happening::Yields { subject });
            self.enqueue(id, Idea::Again);
        }
    }

    /// Starts what waits, as far as cost and number allow. Old questions take at most half of the room.
    pub(super) fn fill(&mut self) {
        let is_open =
            |search: &Self| search.budget.admits() && !search.is_blocked && !search.is_paused;
        while is_open(self) && self.undecided.len() < self.settings.active_limit {
            let has_room = self.undecided.len() < self.settings.active_limit / 2;
            let mut queue = std::mem::replace(&mut self.queue, Queue::new(self.settings.order));
            let next = queue.pop(has_room, |id| self.is_affordable(id));
            self.queue = queue;
            self.is_blocked = next == Err(Nothing::Fits);
            let Ok(id) = next else { return };
            self.start(id);
        }
    }

    /// A verdict, and all that follows from it.
    pub(super) fn conclude(&mut self, id: NodeId, ground: Ground) {
        if !self.graph.node(id).is_held() && ground.truth == Truth::True {
            self.keep_for_later(id, ground);
            return;
        }
        let node = self.graph.node_mut(id);
        let was = node.truth;
        if ground.truth == Truth::True && was != Truth::True {
            node.found = Some((self.now, ground));
        }
        let is_measured_on = matches!(node.root, Root::Always | Root::PerProcess);
        self.undecided.remove(&id);
        self.tell_concluded(id, was, ground);
        if was == Truth::True {
            self.reparent(id);
        }
        let consequences = self.graph.set_truth(id, ground.truth);
        self.follow(&consequences);
        if ground.truth == Truth::True {
            self.graph.watch(id);
            self.deepen(id);
            self.confirm(id);
        } else if !is_measured_on {
            self.stop(id);
            self.schedule(id);
        }
    }

    /// At the end: whether what is true held for its whole life.
    pub(super) fn look_back(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        if node.truth != Truth::True || node.judge.at_the_end() == Truth::True {
            return;
        }
        let value = node.judge.value().unwrap_or_default();
        let life = node.judge.time();
        let since = Time(self.now.0 - life);
        let ground = Ground { truth: Truth::False, value, confidence: 1.0, since };
        self.tell_concluded(id, Truth::True, ground);
        self.reparent(id);
        let consequences = self.graph.set_truth(id, Truth::False);
        self.follow(&consequences);
    }

    /// Measures a node no longer.
    pub(super) fn stop(&mut self, id: NodeId) {
        self.undecided.remove(&id);
        let node = self.graph.node_mut(id);
        let Some(measuring) = node.stop() else { return };
        // A verdict that waited for a caller's is not kept without its evidence.
        if measuring.early.is_some() {
            node.judge.overrule(Truth::Unknown);
        }
        self.switch_off(id);
        self.cancel_speculation(id);
        self.measurements.release(measuring.numerator, id);
        self.measurements.release(measuring.denominator, id);
    }

    /// Gives a node up: it keeps what was found, and is not measured again unless its resource comes back.
    pub(super) fn close(&mut self, id: NodeId) {
        self.stop(id);
        self.graph.close(id);
    }

    fn start(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        let is_wanted = node.is_held() || self.speculation.is_ahead(id);
        if !is_wanted || !node.is_idle() {
            return;
        }
        let (above, below) = self.hypotheses.row(node.hypothesis).pairs(&node.focus);
        let again = node.asked > 0;
        let numerator = self.measurements.acquire(above, id);
        let denominator = self.measurements.acquire(below, id);
        let stream = Stream::new(self.settings.grain);
        let node = self.graph.node_mut(id);
        node.start(Measuring { numerator, denominator, since: self.now, early: None }, stream);
        if again && node.truth != Truth::True {
            node.judge.ask_again();
        }
        if node.truth != Truth::True {
            self.undecided.insert(id);
        }
        let price = self.switch_on(id);
        let subject = self.subject(id);
        self.tell(Happening::Started { subject, again, price });
    }

    /// Refines a true node as far as it is time to.
    fn deepen(&mut self, id: NodeId) {
        let refined = self.graph.node(id).refined;
        match refined.first {
            None => {
                if self.may_refine(id) {
                    self.refine_first(id);
                }
            }
            Some(_) if refined.last || !refined.wheres => self.refine_second(id),
            Some(_) => {
                let row = self.hypotheses.row(self.graph.node(id).hypothesis);
                let left = refine::first_stage(&self.graph, id, self.settings.patience, row);
                if left == Truth::False && !self.awaits_callees(id) && !self.look_below_false(id) {
                    self.refine_last(id);
                }
            }
        }
    }

    /// Asks again what was false for long enough.
    pub(super) fn reconsider(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        if node.truth == Truth::False && node.retest.is_some_and(|time| time <= self.now) {
            self.enqueue(id, Idea::Again);
        }
    }

    fn schedule(&mut self, id: NodeId) {
        let asked = self.graph.node(id).asked.clamp(1, 20);
        let wait = Nanos(self.settings.retest.0.saturating_mul(1 << (asked - 1)));
        self.graph.ask_again_at(id, self.now + wait);
    }

    fn follow(&mut self, consequences: &Consequences) {
        for id in &consequences.dropped {
            let node = self.graph.node_mut(*id);
            if !node.is_measured() {
                continue;
            }
            node.judge.overrule(node.truth);
            self.stop(*id);
            let subject = self.subject(*id);
            self.tell(Happening::Dropped { subject });
        }
        for id in &consequences.revived {
            if self.graph.node(*id).truth != Truth::False || self.graph.node(*id).retest.is_none() {
                self.enqueue(*id, Idea::Where);
            } else {
                self.reconsider(*id);
            }
        }
    }

    fn tell_concluded(&mut self, id: NodeId, was: Truth, ground: Ground) {
        let subject = self.subject(id);
        let row = self.hypotheses.row(self.graph.node(id).hypothesis);
        let conclusion = Conclusion {
            subject,
            is_duplicate: self.is_duplicate(id),
            truth: ground.truth,
            was,
            value: ground.value,
            threshold: row.threshold,
            operator: row.operator.symbol(),
            confidence: ground.confidence,
            since: ground.since,
            coverage: self.graph.node(id).coverage(),
            origin: self.graph.node(id).origin,
        };
        self.tell(Happening::Concluded(conclusion));
    }
}
