//! Stops measurements to make room: functions of true nodes rest, costly undecided ones are put back, and old undecided
//! questions yield to new ones.

use whyperf_model::{Resource, Time};

use super::evidence::Evidence;
use super::testing::Testing;
use crate::cost::Admission;
use crate::node::NodeId;
use crate::queue::Idea;
use crate::step::Happening;

impl Testing {
    /// Measuring took this fraction of the time of the process that paid most, over the last interval.
    pub(super) fn charge(&mut self, now: Time, fraction: f64) {
        let admission = self.growth.costs.observe(now, fraction);
        let budget = self.growth.costs.budget();
        let (cost, limit) = (budget.observed(), budget.limit());
        match admission {
            Admission::Unchanged => {}
            Admission::Resumed => self.growth.tell(Happening::Resumed { cost }),
            Admission::HeldBack => {
                let waiting = self.growth.queue.len();
                self.growth.tell(Happening::HeldBack { cost, limit, waiting });
            }
        }
        self.put_back();
        self.rest();
        self.growth.queue.try_again();
    }

    /// When all places are taken and others wait, those that could not be told for long enough give up theirs, the oldest first. They
    /// come again when half of the places are free.
    pub(super) fn make_room(&mut self) {
        let waiting = self.growth.queue.fresh();
        if self.evidence.has_place() || waiting == 0 {
            return;
        }
        let questions = &self.growth.questions;
        let long_enough = questions.settings.long_enough();
        let due = self.growth.output.now().0.0.saturating_sub(long_enough.0);
        let began = |id| Some((Evidence::since(questions.node(id))?, id));
        let mut old: Vec<(Time, NodeId)> = self.evidence.undecided().filter_map(began).collect();
        old.retain(|(since, id)| since.0.0 <= due && !questions.node(*id).root.is_root());
        old.sort_unstable();
        for (_, id) in old.into_iter().take(waiting) {
            self.stop(id);
            let subject = self.growth.questions.subject(id);
            self.growth.tell(Happening::Yields { subject });
            self.growth.enqueue(id, Idea::Again);
        }
    }

    /// While cost holds the search back, or leaves no room for what waits, functions that are known to be true rest, the costliest callers first: what is known may cost
    /// less than what is still to be found.
    fn rest(&mut self) {
        let growth = &self.growth;
        if !growth.costs.must_rest(growth.output.now(), growth.queue.fit()) {
            return;
        }
        let Some((cost, function)) = growth.costs.costliest(&growth.questions, &growth.program)
        else {
            return;
        };
        self.leave(&function, cost);
    }

    /// Stops all that measures a function that is known to be true.
    fn leave(&mut self, function: &Resource, cost: f64) {
        self.growth.costs.note_rest(self.growth.output.now());
        for id in self.growth.questions.graph.ids() {
            let questions = &self.growth.questions;
            let is_measured = questions.node(id).is_measured();
            if is_measured && questions.measured_code(id).as_ref() == Some(function) {
                self.stop(id);
                let subject = self.growth.questions.subject(id);
                self.growth.tell(Happening::Rests { subject, cost });
            }
        }
    }

    /// Puts back what is undecided and costs more than there is room for, the costliest first; when that does not suffice, true ones rest.
    fn put_back(&mut self) {
        let mut excess = self.growth.costs.budget().excess();
        if excess <= 0.0 {
            return;
        }
        let growth = &self.growth;
        for measured in growth.costs.undecided_code(&growth.questions, &growth.program) {
            if excess <= 0.0 {
                return;
            }
            let cost = measured.cost;
            excess -= cost;
            self.growth.costs.note_rest(self.growth.output.now());
            for id in measured.nodes {
                self.stop(id);
                let subject = self.growth.questions.subject(id);
                self.growth.tell(Happening::PutBack { subject, cost });
                self.growth.enqueue(id, Idea::Where);
            }
            debug_assert!(!self.growth.costs.is_on(&measured.code), "no other node measures it");
        }
        while excess > 0.0 {
            let growth = &self.growth;
            let costliest = growth.costs.costliest(&growth.questions, &growth.program);
            let Some((cost, function)) = costliest else { return };
            excess -= cost;
            self.leave(&function, cost);
        }
    }
}
