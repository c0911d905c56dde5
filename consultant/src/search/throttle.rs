//! Handles pairs that are too hot to be measured all the time: they are measured in windows, and given up if that does not
//! suffice.

use super::testing::Testing;
use crate::node::{NodeId, Throttle};
use crate::request::MeasurementId;
use crate::step::Happening;
use crate::truth::Truth;

impl Testing {
    /// A pair is measured in windows from now on, which cover this share of the time. Nothing waits for its verdict.
    pub(super) fn throttle(&mut self, id: MeasurementId, coverage: f64) {
        let now = self.growth.output.now();
        for user in self.evidence.users(id) {
            self.evidence.decide(user);
            let node = self.growth.questions.node_mut(user);
            let is_new = node.throttle.is_none();
            let since = node.throttle.map_or(now, |throttle| throttle.since);
            node.throttle = Some(Throttle { since, coverage });
            node.stream.thin(coverage);
            self.growth.questions.graph.watch(user);
            if is_new {
                let subject = self.growth.questions.subject(user);
                self.growth.tell(Happening::TooHot { subject, coverage });
            }
        }
    }

    /// Gives up what was measured in windows for long enough.
    pub(super) fn lose_patience(&mut self, id: NodeId) {
        let (now, patience) =
            (self.growth.output.now(), self.growth.questions.settings.throttle_patience);
        let node = self.growth.questions.node(id);
        let is_open = node.truth == Truth::Unknown && !node.is_closed();
        let Some(throttle) = node.throttle.filter(|_| is_open) else { return };
        if now.since(throttle.since) >= patience {
            self.close(id);
            self.growth.look_through(id);
            let coverage = throttle.coverage;
            let reason = format!("too hot to tell from {:.2} % of the time", coverage * 100.0);
            self.growth.questions.node_mut(id).explain(reason);
            let subject = self.growth.questions.subject(id);
            self.growth.tell(Happening::TooHotToTell { subject, coverage });
        }
    }
}
