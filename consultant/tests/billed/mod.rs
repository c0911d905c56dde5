//! A world that keeps the bill: what measuring cost in each interval.

use whyperf_consultant::{Event, MeasurementId, World};
use whyperf_model::{Pair, Resource};

/// A world whose bill is kept.
#[derive(Debug)]
pub(crate) struct Billed<W> {
    pub(crate) world: W,
    pub(crate) costs: Vec<f64>,
}

impl<W: World> World for Billed<W> {
    fn start(&mut self, id: MeasurementId, pair: &Pair) {
        self.world.start(id, pair);
    }

    fn stop(&mut self, id: MeasurementId) {
        self.world.stop(id);
    }

    fn callees(&mut self, of: &Resource) {
        self.world.callees(of);
    }

    fn next(&mut self) -> Option<Event> {
        let event = self.world.next();
        if let Some(Event::Cost(_, fraction)) = &event {
            self.costs.push(*fraction);
        }
        event
    }
}
