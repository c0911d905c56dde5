//! What is too hot to be measured all the time.

use whyperf_model::Time;

use super::Search;
use crate::graph::{NodeId, Truth};
use crate::heat::Heat;
use crate::request::MeasurementId;
use crate::step::Happening;

impl Search {
    /// A pair is measured in windows from now on, which cover this share of the time. Nobody waits for its verdict.
    pub fn handle_too_hot(&mut self, now: Time, id: MeasurementId, coverage: f64) {
        if self.is_over || !(coverage > 0.0 && coverage <= 1.0) {
            return;
        }
        self.advance(now);
        for user in self.measurements.users(id) {
            self.undecided.remove(&user);
            let node = self.graph.node_mut(user);
            let is_new = node.heat.is_none();
            let since = node.heat.map_or(now, |heat| heat.since);
            node.heat = Some(Heat { since, coverage });
            node.stream.thin(coverage);
            self.graph.attend(user);
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
        let Some(heat) = node.heat.filter(|_| node.truth == Truth::Unknown && !node.is_closed)
        else {
            return;
        };
        if self.now.since(heat.since) >= self.settings.heat_patience {
            self.close(id);
            self.look_through(id);
            let reason = format!("too hot to tell from {:.2} % of the time", heat.coverage * 100.0);
            self.graph.node_mut(id).untold = Some(reason);
            let (subject, coverage) = (self.subject(id), heat.coverage);
            self.tell(Happening::TooHotToTell { subject, coverage });
        }
    }
}
