//! A data source that records the cost of measuring in each interval.

use whyperf_consultant::{DataSource, Event, MeasurementId, RunAmount};
use whyperf_model::{Pair, Resource};

/// A data source, and the costs that it reports.
#[derive(Debug)]
pub struct CostRecorder<W> {
    /// The data source.
    pub source: W,
    /// What measuring cost, interval by interval.
    pub costs: Vec<f64>,
}

impl<W> CostRecorder<W> {
    /// Records them from the beginning.
    pub const fn new(source: W) -> Self {
        Self { source, costs: Vec::new() }
    }

    /// The most that measuring cost on average over so many intervals in a row.
    #[must_use]
    pub fn worst(&self, intervals: usize) -> f64 {
        let of = self.costs.windows(intervals);
        of.map(|of| of.iter().sum::<f64>() / intervals as f64).fold(0.0, f64::max)
    }
}

impl<W: DataSource> DataSource for CostRecorder<W> {
    fn start(&mut self, id: MeasurementId, pair: &Pair) {
        self.source.start(id, pair);
    }

    fn stop(&mut self, id: MeasurementId) {
        self.source.stop(id);
    }

    fn callees(&mut self, of: &Resource) {
        self.source.callees(of);
    }

    fn over_run(&mut self, pair: &Pair) -> Option<RunAmount> {
        self.source.over_run(pair)
    }

    fn poll(&mut self) -> Option<Event> {
        let event = self.source.poll();
        if let Some(Event::Cost(_, fraction)) = &event {
            self.costs.push(*fraction);
        }
        event
    }

    fn advance(&mut self) -> bool {
        self.source.advance()
    }
}
