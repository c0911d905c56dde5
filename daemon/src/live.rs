//! The world of a search that is alive: the daemon's rounds as the consultant's events.

use std::collections::{BTreeMap, VecDeque};

use whyperf_consultant::{Event, MeasurementId, Request, World};
use whyperf_model::matching::PairId;
use whyperf_model::{Histogram, Pair, Resource};

use crate::clock::Moment;
use crate::daemon::Daemon;
use crate::round::Round;

/// Which of the daemon's pairs answers which of the search's measurements.
#[derive(Debug, Default)]
pub struct Correspondence {
    pairs: BTreeMap<MeasurementId, PairId>,
    names: BTreeMap<PairId, MeasurementId>,
    /// Histograms of pairs that are not measured any more, if anybody wants them.
    stopped: Option<Vec<(MeasurementId, Pair, Histogram)>>,
}

impl Correspondence {
    /// Does what the search asked for.
    pub fn carry_out(&mut self, request: &Request, daemon: &mut Daemon) {
        match request {
            Request::Start { id, pair } => self.start(*id, pair, daemon),
            Request::Stop { id } => self.stop(*id, daemon),
            Request::Callees { of } => daemon.ask_callees(of),
        }
    }

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

    /// From now on the histograms of pairs that are stopped are kept for [`Correspondence::histograms`].
    pub fn keep_stopped(&mut self) {
        self.stopped.get_or_insert_default();
    }

    /// What was measured so far, and of what was stopped since the last call.
    pub fn histograms(&mut self, daemon: &Daemon) -> Vec<(MeasurementId, Pair, Histogram)> {
        let mut all = self.stopped.as_mut().map(std::mem::take).unwrap_or_default();
        let now = self.pairs.iter().filter_map(|(id, pair)| {
            Some((*id, daemon.pair(*pair)?.clone(), daemon.histogram(*pair)?.clone()))
        });
        all.extend(now);
        all
    }

    /// A round as events. Where processes run and what is new comes first, then what it did, then what is gone: a process
    /// that just ended counts in the interval it ended in. A phase is of what comes after.
    pub fn events(&mut self, round: Round, daemon: &Daemon) -> impl Iterator<Item = Event> {
        let end = round.interval.end;
        let placed = round.placed.into_iter();
        let placed = placed.map(move |(process, machine)| Event::Placed(end, process, machine));
        let new = round.appeared.into_iter().map(move |new| Event::Resource(end, new));
        let cost = (!round.interval.is_empty()).then(|| Event::Cost(end, daemon.cost().answering));
        let callees = round.callees.into_iter();
        let callees = callees.map(move |(of, callees)| Event::Callees(end, of, callees));
        let refused = round.refused.into_iter();
        let refused = refused
            .filter_map(|(pair, why)| Some(Event::Refusal(end, *self.names.get(&pair)?, why)))
            .collect::<Vec<_>>();
        let hot = round.too_hot.into_iter();
        let hot = hot
            .filter_map(|(pair, share)| Some(Event::TooHot(end, *self.names.get(&pair)?, share)))
            .collect::<Vec<_>>();
        let prices = round.prices.into_iter();
        let prices = prices.map(move |(of, rate)| Event::Price(end, of, rate));
        let told = |(pair, sample)| Some(Event::Sample(*self.names.get(&pair)?, sample));
        let samples = round.samples.into_iter().filter_map(told);
        let gone = round.retired.into_iter().map(move |gone| Event::Retired(end, gone));
        let phase = round.phase.map(|name| Event::Phase(end, name));
        placed
            .chain(new)
            .chain(callees)
            .chain(refused)
            .chain(hot)
            .chain(prices)
            .chain(cost)
            .chain(samples)
            .chain(gone)
            .chain(phase)
    }
}

/// When the rounds are, and what else is to be done with them.
pub trait Pace {
    /// Sleeps until the next round is due and says when that is; `None` when the run is over.
    fn wait(&mut self, daemon: &mut Daemon) -> Option<Moment>;

    /// Sees a round before the search does.
    fn see(&mut self, daemon: &mut Daemon, round: &Round);

    /// The moment of the last round, after `wait` said that the run is over.
    fn end(&mut self) -> Moment;
}

/// The running program, for a search.
#[derive(Debug)]
pub struct Live<'run, P> {
    daemon: &'run mut Daemon,
    pace: P,
    correspondence: Correspondence,
    events: VecDeque<Event>,
    over: bool,
}

impl<'run, P: Pace> Live<'run, P> {
    /// A world that looks at the daemon's processes at this pace.
    #[must_use]
    pub fn new(daemon: &'run mut Daemon, pace: P) -> Self {
        let (correspondence, events) = (Correspondence::default(), VecDeque::new());
        Self { daemon, pace, correspondence, events, over: false }
    }

    /// The daemon, when the search is done with it; and what kept the pace.
    #[must_use]
    pub fn into_pace(self) -> P {
        self.pace
    }

    fn play(&mut self) {
        let round = match self.pace.wait(self.daemon) {
            Some(now) => self.daemon.sample(now),
            None => {
                self.over = true;
                let end = self.pace.end();
                self.daemon.finish(end)
            }
        };
        self.pace.see(self.daemon, &round);
        self.tell(round);
    }

    fn tell(&mut self, round: Round) {
        let end = round.interval.end;
        self.events.extend(self.correspondence.events(round, self.daemon));
        if self.over {
            self.events.push_back(Event::End(end));
        }
    }
}

impl<P: Pace> World for Live<'_, P> {
    fn start(&mut self, id: MeasurementId, pair: &Pair) {
        self.correspondence.start(id, pair, self.daemon);
    }

    fn stop(&mut self, id: MeasurementId) {
        self.correspondence.stop(id, self.daemon);
        // What came in for it and was not told yet is not told any more.
        self.events.retain(|event| !matches!(event, Event::Sample(of, _) if *of == id));
    }

    fn callees(&mut self, of: &Resource) {
        self.daemon.ask_callees(of);
    }

    fn next(&mut self) -> Option<Event> {
        while self.events.is_empty() && !self.over {
            self.play();
        }
        self.events.pop_front()
    }
}
