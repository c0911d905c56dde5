//! The world of a described program: samples at regular moments, and whatever a script lets happen.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use whyperf_model::{Focus, Interval, Nanos, Pair, Resource, Sample, Time};

use super::program::Program;
use crate::request::MeasurementId;
use crate::world::{Event, World};

/// What happens beside the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// How long the run is.
    pub length: Nanos,
    /// How often it is sampled.
    pub step: Nanos,
    /// The cost that is observed from a moment on, in the order of time.
    pub costs: Vec<(Time, f64)>,
    /// Resources that go away.
    pub retired: Vec<(Time, Resource)>,
    /// Foci that cannot be measured, and why.
    pub refused: Vec<(Focus, String)>,
}

/// A world made of a program and a script.
#[derive(Clone, Debug)]
pub struct Simulated {
    program: Program,
    script: Script,
    now: Time,
    is_over: bool,
    known: BTreeSet<Resource>,
    gone: BTreeSet<Resource>,
    measured: BTreeMap<MeasurementId, Pair>,
    events: VecDeque<Event>,
}

impl Simulated {
    /// At time zero, with nothing known.
    #[must_use]
    pub fn new(program: Program, script: Script) -> Self {
        Self {
            program,
            script,
            now: Time::ZERO,
            is_over: false,
            known: BTreeSet::new(),
            gone: BTreeSet::new(),
            measured: BTreeMap::new(),
            events: VecDeque::new(),
        }
    }

    /// One sampling interval: what appeared, what went away, all samples, the cost.
    fn step(&mut self) {
        let interval = Interval::new(self.now, self.now + self.script.step);
        self.now = interval.end;
        self.announce();
        for (id, pair) in &self.measured {
            let (amount, processes) = self.program.measure(pair.metric, &pair.focus, interval);
            let sample = Sample::complete(interval, amount, processes);
            self.events.push_back(Event::Sample(*id, sample));
        }
        let past = self.script.costs.iter().rev().find(|(time, _)| *time < self.now);
        if let Some((_, cost)) = past {
            self.events.push_back(Event::Cost(self.now, *cost));
        }
        if self.now.since(Time::ZERO) >= self.script.length {
            self.events.push_back(Event::End(self.now));
            self.is_over = true;
        }
    }

    fn announce(&mut self) {
        for resource in self.program.seen_until(self.now) {
            if self.known.insert(resource.clone()) {
                self.events.push_back(Event::Resource(self.now, resource));
            }
        }
        for (time, resource) in &self.script.retired {
            if *time < self.now && self.gone.insert(resource.clone()) {
                self.events.push_back(Event::Retired(self.now, resource.clone()));
            }
        }
    }
}

impl World for Simulated {
    fn start(&mut self, id: MeasurementId, pair: &Pair) {
        match self.script.refused.iter().find(|(focus, _)| *focus == pair.focus) {
            Some((_, reason)) => {
                self.events.push_back(Event::Refusal(self.now, id, reason.clone()));
            }
            None => {
                self.measured.insert(id, pair.clone());
            }
        }
    }

    fn stop(&mut self, id: MeasurementId) {
        self.measured.remove(&id);
        let is_of = |event: &Event| matches!(event, Event::Sample(other, _) if *other == id);
        self.events.retain(|event| !is_of(event));
    }

    fn callees(&mut self, of: &Resource) {
        self.events.push_back(Event::Callees(self.now, of.clone(), Vec::new()));
    }

    fn next(&mut self) -> Option<Event> {
        while self.events.is_empty() && !self.is_over {
            self.step();
        }
        self.events.pop_front()
    }
}
