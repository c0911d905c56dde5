//! A data source carries out the requests of a search: a live run, a stored one, or a simulated one.

use whyperf_model::{Nanos, Pair, Resource, Sample, Time};

use crate::request::{MeasurementId, Request};
use crate::run_amount::RunAmount;

/// What a data source has to tell.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Something new can be asked about.
    Resource(Time, Resource),
    /// Something is gone: no more will be measured there.
    Retired(Time, Resource),
    /// A process runs on a machine; it comes before the process does.
    Placed(Time, Resource, Resource),
    /// A pair that was asked for grew.
    Sample(MeasurementId, Sample),
    /// Measuring took this fraction of the time of the process that paid most, over the last interval.
    Cost(Time, f64),
    /// A pair that was asked for cannot be measured, for this reason.
    Refusal(Time, MeasurementId, String),
    /// A pair that was asked for passes so often that it is measured in short windows from now on, which cover this share of the
    /// time. Its samples go on: their amounts are scaled up to the whole interval. An interval without a window has a sample in
    /// which no process reported.
    TooHot(Time, MeasurementId, f64),
    /// A pair cannot be counted: from now on its amounts are estimated by stack samples, each of which stands for so much running time.
    Sampled(Time, MeasurementId, Nanos),
    /// Which functions a function calls; of the root `/Code`, those in which threads begin or are most of the time, and regions that no
    /// function leads to. It may come again with more, when indirect calls are learned. An empty list says that none are known.
    Callees(Time, Resource, Vec<Resource>),
    /// How often a function is called per second, in the process that calls it most.
    Price(Time, Resource, f64),
    /// Another phase begins, and this is how it is called.
    Phase(Time, String),
    /// The run is over.
    End(Time),
}

impl Event {
    /// When it is.
    #[must_use]
    pub const fn time(&self) -> Time {
        match self {
            Self::Sample(_, sample) => sample.interval.end,
            Self::Resource(now, _)
            | Self::Retired(now, _)
            | Self::Placed(now, ..)
            | Self::Cost(now, _)
            | Self::Refusal(now, ..)
            | Self::TooHot(now, ..)
            | Self::Sampled(now, ..)
            | Self::Callees(now, ..)
            | Self::Price(now, ..)
            | Self::Phase(now, _)
            | Self::End(now) => *now,
        }
    }
}

/// A program that can be measured, one moment after the other.
///
/// The promises, which `Checked` of the test kit checks of any data source:
/// * a pair that was started is answered with samples whose intervals follow each other, zero amounts included, or refused;
/// * samples of all pairs end at the same moments, and nothing is said about the time before a start;
/// * after a stop no sample of that measurement follows;
/// * a question for callees is answered, and callees that were not asked for are not told;
/// * no more processes report than there are, and no sample is of no time;
/// * a resource that appears is told once, and one that goes was there;
/// * costs and prices are numbers, and none is below zero;
/// * what is too hot or told by stack samples runs; the coverage of the one is a share, and samples of the other stand for some time;
/// * a phase begins between two samples, and not in the midst of those of one moment;
/// * what a pair came to over the run is what its samples add up to when it was started before the first of them;
/// * time never goes back, and `End` is the last event.
pub trait DataSource {
    /// Measures a pair from now on.
    fn start(&mut self, id: MeasurementId, pair: &Pair);

    /// Measures it no longer.
    fn stop(&mut self, id: MeasurementId);

    /// Tells which functions a function calls, and tells it again whenever more of them are learned.
    fn callees(&mut self, of: &Resource);

    /// What a pair came to over all of the run until now, where that was counted whether the pair was measured or not; `None` of what is
    /// known only while it is measured.
    fn over_run(&mut self, _pair: &Pair) -> Option<RunAmount> {
        None
    }

    /// The next event of this moment, if there is one.
    fn poll(&mut self) -> Option<Event>;

    /// Goes on to the next moment; a live data source waits for it. Whether there was one.
    fn advance(&mut self) -> bool;

    /// Does what a search asks for.
    fn carry_out(&mut self, request: Request) {
        match request {
            Request::Start { id, pair } => self.start(id, &pair),
            Request::Stop { id } => self.stop(id),
            Request::Callees { of } => self.callees(&of),
        }
    }

    /// The next event, of whatever moment; `None` after the end.
    fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.poll() {
                return Some(event);
            }
            if !self.advance() {
                return None;
            }
        }
    }
}
