//! The world of a search that is alive: the daemon's rounds as the consultant's events.

use std::collections::{BTreeMap, VecDeque};

use whyperf_consultant::{Event, MeasurementId, World};
use whyperf_model::Pair;

use crate::clock::Moment;
use crate::daemon::Daemon;
use crate::pairs::PairId;
use crate::round::Round;

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
    pairs: BTreeMap<MeasurementId, PairId>,
    names: BTreeMap<PairId, MeasurementId>,
    events: VecDeque<Event>,
    over: bool,
}

impl<'run, P: Pace> Live<'run, P> {
    /// A world that looks at the daemon's processes at this pace.
    #[must_use]
    pub fn new(daemon: &'run mut Daemon, pace: P) -> Self {
        let (pairs, names) = (BTreeMap::new(), BTreeMap::new());
        Self { daemon, pace, pairs, names, events: VecDeque::new(), over: false }
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

    /// What is new comes first, then what it did, then what is gone.
    fn tell(&mut self, round: Round) {
        let end = round.interval.end;
        self.events.extend(round.appeared.into_iter().map(|new| Event::Resource(end, new)));
        if !round.interval.is_empty() {
            self.events.push_back(Event::Cost(end, self.daemon.cost().now));
        }
        for (pair, sample) in round.samples {
            self.events.extend(self.names.get(&pair).map(|id| Event::Sample(*id, sample)));
        }
        self.events.extend(round.retired.into_iter().map(|gone| Event::Retired(end, gone)));
        if self.over {
            self.events.push_back(Event::End(end));
        }
    }
}

impl<P: Pace> World for Live<'_, P> {
    fn start(&mut self, id: MeasurementId, pair: &Pair) {
        let started = self.daemon.start(pair.metric, &pair.focus);
        self.pairs.insert(id, started);
        self.names.insert(started, id);
    }

    fn stop(&mut self, id: MeasurementId) {
        if let Some(pair) = self.pairs.remove(&id) {
            self.names.remove(&pair);
            self.daemon.stop(pair);
            // What came in for it and was not told yet is not told any more.
            self.events.retain(|event| !matches!(event, Event::Sample(of, _) if *of == id));
        }
    }

    fn next(&mut self) -> Option<Event> {
        while self.events.is_empty() && !self.over {
            self.play();
        }
        self.events.pop_front()
    }
}
