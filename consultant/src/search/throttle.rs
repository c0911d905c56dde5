//! What is too hot to be measured all the time.

use whyperf_model::Time;

use super::Search;
use crate::node::{NodeId, Throttle};
use crate::request::MeasurementId;
use crate::step::Happening;
use crate::truth::Truth;

impl Search {
    /// A pair is measured in windows from now on, which cover this share of the time. Nothing waits for its verdict.
    pub fn handle_too_hot(&mut self, now: Time, id: MeasurementId, coverage: f64) {
        if self.is_over || !(coverage > 0.0 && coverage <= 1.0) {
            return;
        }
        self.advance(now);
        for user in self.measurements.users(id) {
            self.undecided.remove(&user);
            let node = self.graph.node_mut(user);
            let is_new = node.throttle.is_none();
            let since = node.throttle.map_or(now, |throttle| throttle.since);
            node.throttle = Some(Throttle { since, coverage });
            node.stream.thin(coverage);
            self.graph.watch(user);
            if is_new {
                let subject = self.subject(user);
                self.tell(Happening::TooHot { subject, coverage });
            }
        }
        self.fill();
    }

    /// Gives up what was measured in windows for long enough.
    pub(super) fn lose_patience(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        let is_open = node.truth == Truth::Unknown && !node.is_closed();
        let Some(throttle) = node.throttle.filter(|_| is_open) else { return };
        if self.now.since(throttle.since) >= self.settings.throttle_patience {
            self.close(id);
            self.look_through(id);
            let reason =
                format!("too hot to tell from {:.2} % of the time", throttle.coverage * 100.0);
            self.graph.node_mut(id).explain(reason);
            let (subject, coverage) = (self.subject(id), throttle.coverage);
            self.tell(Happening::TooHotToTell { subject, coverage });
        }
    }
}
