//! What measuring a function costs, and what is too hot to be measured all the time.

use whyperf_model::{Resource, Time};

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
            let (subject, coverage) = (self.subject(id), heat.coverage);
            self.tell(Happening::TooHotToTell { subject, coverage });
        }
    }

    /// How often a function is called per second, or is assumed to be.
    pub(super) fn predicted_rate(&self, function: &Resource) -> f64 {
        self.calls.rate(function).unwrap_or(self.settings.assumed_rate)
    }
}
