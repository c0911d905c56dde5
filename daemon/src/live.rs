//! The live data source: turns the daemon's sampling passes into the consultant's events.

use std::borrow::BorrowMut;
use std::collections::{BTreeMap, VecDeque};

use whyperf_consultant::{DataSource, Event, MeasurementId, RunAmount};
use whyperf_model::matching::PairId;
use whyperf_model::{Histogram, Interval, Pair, Resource, Time};

use crate::clock::Moment;
use crate::daemon::Daemon;
use crate::run_amount::Amount;
use crate::sampling_pass::SamplingPass;

/// When the daemon samples, and who else wants to see what it sampled.
pub trait Pace {
    /// Waits until a sample is due and says when that is; `None` when the run is over.
    fn wait(&mut self, daemon: &mut Daemon) -> Option<Moment>;

    /// Sees what a sampling pass brought before the search does. It may take what the search does not need.
    fn see(&mut self, daemon: &mut Daemon, pass: &mut SamplingPass);

    /// The moment of the last sampling pass, after `wait` said that the run is over.
    fn end(&mut self) -> Moment;
}

/// The running program. It owns its daemon, or borrows it.
#[derive(Debug)]
pub struct Live<D, P> {
    daemon: D,
    pace: P,
    pairs: Pairs,
    events: VecDeque<Event>,
    is_over: bool,
}

impl<D: BorrowMut<Daemon>, P: Pace> Live<D, P> {
    /// A data source that samples the daemon's processes at this pace.
    #[must_use]
    pub fn new(daemon: D, pace: P) -> Self {
        Self { daemon, pace, pairs: Pairs::default(), events: VecDeque::new(), is_over: false }
    }

    /// What samples.
    pub fn daemon(&self) -> &Daemon {
        self.daemon.borrow()
    }

    /// What samples, to ask more of it than a search does.
    pub fn daemon_mut(&mut self) -> &mut Daemon {
        self.daemon.borrow_mut()
    }

    /// What keeps the pace.
    pub const fn pace(&self) -> &P {
        &self.pace
    }

    /// What keeps the pace, to change it.
    pub const fn pace_mut(&mut self) -> &mut P {
        &mut self.pace
    }

    /// Whether the last sampling pass was made.
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Begins a phase now, as if the program had announced it.
    pub fn announce(&mut self, name: String) {
        let now = self.daemon().now();
        self.events.push_back(Event::Phase(now, name));
    }

    /// From now on the histograms of pairs that are stopped are kept for [`Live::histograms`].
    pub fn keep_stopped(&mut self) {
        self.pairs.stopped.get_or_insert_default();
    }

    /// What is measured now, with what was measured of it so far.
    pub fn measured(&self) -> impl Iterator<Item = (MeasurementId, &Pair, &Histogram)> {
        let daemon = self.daemon();
        self.pairs
            .pairs
            .iter()
            .filter_map(|(id, pair)| Some((*id, daemon.pair(*pair)?, daemon.histogram(*pair)?)))
    }

    /// What was measured so far, and of what was stopped since the last call.
    pub fn histograms(&mut self) -> Vec<(MeasurementId, Pair, Histogram)> {
        self.pairs.histograms(self.daemon.borrow())
    }
}

impl<D: BorrowMut<Daemon>, P: Pace> DataSource for Live<D, P> {
    fn start(&mut self, id: MeasurementId, pair: &Pair) {
        self.pairs.start(id, pair, self.daemon.borrow_mut());
    }

    fn stop(&mut self, id: MeasurementId) {
        self.pairs.stop(id, self.daemon.borrow_mut());
    }

    fn callees(&mut self, of: &Resource) {
        self.daemon.borrow_mut().ask_callees(of);
    }

    fn over_run(&mut self, pair: &Pair) -> Option<RunAmount> {
        let daemon = self.daemon.borrow_mut();
        let Amount { amount, error } = daemon.over_run(pair)?;
        Some(RunAmount { amount, error, interval: Interval::new(Time::ZERO, daemon.now()) })
    }

    fn poll(&mut self) -> Option<Event> {
        loop {
            match self.events.pop_front()? {
                // It came in for a measurement that was stopped before it was told.
                Event::Sample(id, _) if !self.pairs.is_measured(id) => {}
                event => return Some(event),
            }
        }
    }

    fn advance(&mut self) -> bool {
        if self.is_over {
            return false;
        }
        let daemon = self.daemon.borrow_mut();
        let mut pass = match self.pace.wait(daemon) {
            Some(now) => daemon.sample(now),
            None => {
                self.is_over = true;
                let end = self.pace.end();
                daemon.finish(end)
            }
        };
        self.pace.see(daemon, &mut pass);
        let end = pass.interval.end;
        self.events.extend(self.pairs.events(pass, daemon));
        if self.is_over {
            self.events.push_back(Event::End(end));
        }
        true
    }
}

/// Which of the daemon's pairs answers which of the search's measurements.
#[derive(Debug, Default)]
struct Pairs {
    pairs: BTreeMap<MeasurementId, PairId>,
    names: BTreeMap<PairId, MeasurementId>,
    /// Histograms of pairs that are not measured any more, if they are wanted.
    stopped: Option<Vec<(MeasurementId, Pair, Histogram)>>,
}

impl Pairs {
    fn start(&mut self, id: MeasurementId, pair: &Pair, daemon: &mut Daemon) {
        let started = daemon.start(pair.metric, &pair.focus);
        self.pairs.insert(id, started);
        self.names.insert(started, id);
    }

    fn stop(&mut self, id: MeasurementId, daemon: &mut Daemon) {
        if let Some(pair) = self.pairs.remove(&id) {
            self.names.remove(&pair);
            let asked = daemon.pair(pair).cloned();
            let measured = daemon.stop(pair);
            if let (Some(stopped), Some(pair), Some(last)) = (&mut self.stopped, asked, measured) {
                stopped.push((id, pair, last));
            }
        }
    }

    fn is_measured(&self, id: MeasurementId) -> bool {
        self.pairs.contains_key(&id)
    }

    /// What was measured so far, and of what was stopped since the last call.
    fn histograms(&mut self, daemon: &Daemon) -> Vec<(MeasurementId, Pair, Histogram)> {
        let mut all = self.stopped.as_mut().map(std::mem::take).unwrap_or_default();
        let now = self.pairs.iter().filter_map(|(id, pair)| {
            Some((*id, daemon.pair(*pair)?.clone(), daemon.histogram(*pair)?.clone()))
        });
        all.extend(now);
        all
    }

    /// A sampling pass as events. Where processes run and what is new comes first, then what it did, then what is gone: a process
    /// that just ended counts in the interval it ended in. A phase is of what comes after.
    fn events(&mut self, pass: SamplingPass, daemon: &Daemon) -> impl Iterator<Item = Event> {
        let end = pass.interval.end;
        let placed = pass.placed.into_iter();
        let placed = placed.map(move |(process, machine)| Event::Placed(end, process, machine));
        let new = pass.appeared.into_iter().map(move |new| Event::Resource(end, new));
        let cost = (!pass.interval.is_empty()).then(|| Event::Cost(end, daemon.cost().answering));
        let callees = pass.callees.into_iter();
        let callees = callees.map(move |(of, callees)| Event::Callees(end, of, callees));
        let refused = pass.refused.into_iter();
        let refused = refused
            .filter_map(|(pair, why)| Some(Event::Refusal(end, *self.names.get(&pair)?, why)))
            .collect::<Vec<_>>();
        let hot = pass.too_hot.into_iter();
        let hot = hot
            .filter_map(|(pair, share)| Some(Event::TooHot(end, *self.names.get(&pair)?, share)))
            .collect::<Vec<_>>();
        let sampled = pass.sampled.into_iter();
        let sampled = sampled
            .filter_map(|(pair, period)| Some(Event::Sampled(end, *self.names.get(&pair)?, period)))
            .collect::<Vec<_>>();
        let prices = pass.prices.into_iter();
        let prices = prices.map(move |(of, rate)| Event::Price(end, of, rate));
        let told = |(pair, sample)| Some(Event::Sample(*self.names.get(&pair)?, sample));
        let samples = pass.samples.into_iter().filter_map(told);
        let gone = pass.retired.into_iter().map(move |gone| Event::Retired(end, gone));
        let phase = pass.phase.map(|name| Event::Phase(end, name));
        placed
            .chain(new)
            .chain(callees)
            .chain(refused)
            .chain(hot)
            .chain(sampled)
            .chain(prices)
            .chain(cost)
            .chain(samples)
            .chain(gone)
            .chain(phase)
    }
}
