//! Who carries out the requests of a search: live processes, a stored run, or a simulation.

use whyperf_model::{Pair, Resource, Sample, Time};

use crate::request::{MeasurementId, Request};
use crate::search::Search;
use crate::step::Step;

/// What a world has to tell.
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
    /// which nobody reported.
    TooHot(Time, MeasurementId, f64),
    /// Which functions a function calls; of the root `/Code`, those in which threads begin and regions that no function leads to. It may
    /// come again with more, when indirect calls are learned. An empty list says that none are known.
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
            | Self::Callees(now, ..)
            | Self::Price(now, ..)
            | Self::Phase(now, _)
            | Self::End(now) => *now,
        }
    }
}

/// A program that can be measured.
///
/// The promises, which `Checked` of the test kit checks of any world:
/// * a pair that was started is answered with samples whose intervals follow each other, zero amounts included, or refused;
/// * samples of all pairs end at the same moments, and nothing is said about the time before a start;
/// * after a stop no sample of that measurement follows;
/// * a question for callees is answered, and nobody's callees are told unasked;
/// * no more processes report than there are, and no sample is of no time;
/// * what comes is told once, and what goes was there;
/// * costs and prices are numbers, and none is below zero;
/// * what is too hot runs, and its coverage is a share;
/// * a phase begins between two samples, and not in the midst of those of one moment;
/// * time never goes back, and `End` is the last event.
pub trait World {
    /// Measure a pair from now on.
    fn start(&mut self, id: MeasurementId, pair: &Pair);

    /// Measure it no longer.
    fn stop(&mut self, id: MeasurementId);

    /// Say which functions a function calls, and say it again whenever more of them are learned.
    fn callees(&mut self, of: &Resource);

    /// Does what a search asks for.
    fn carry_out(&mut self, request: Request) {
        match request {
            Request::Start { id, pair } => self.start(id, &pair),
            Request::Stop { id } => self.stop(id),
            Request::Callees { of } => self.callees(&of),
        }
    }

    /// What happens next; `None` after the end.
    fn next(&mut self) -> Option<Event>;
}

/// Searches until the world ends, telling each step as it is taken.
pub fn run(search: &mut Search, world: &mut dyn World, tell: impl FnMut(&Step)) {
    run_with(search, world, |_, _| {}, tell);
}

/// The same, with somebody who may step in before each event.
pub fn run_with(
    search: &mut Search,
    world: &mut dyn World,
    mut step_in: impl FnMut(&mut Search, Time),
    mut tell: impl FnMut(&Step),
) {
    loop {
        while let Some(request) = search.poll_request() {
            world.carry_out(request);
        }
        while let Some(step) = search.poll_step() {
            tell(&step);
        }
        let Some(event) = world.next() else { return };
        step_in(search, event.time());
        search.handle(event);
    }
}
