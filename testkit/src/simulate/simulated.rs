//! The data source of a described program: samples at regular moments, and whatever a script lets happen.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use whyperf_model::{Focus, Interval, Nanos, Pair, Resource, Sample, Time};

use super::code::{SimulatedCode, through_windows};
use super::program::{Selection, SimulatedProcess, SimulatedProgram};
use whyperf_consultant::MeasurementId;
use whyperf_consultant::{DataSource, Event, RunAmount};

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
    /// Phases that the program announces, in the order of time.
    pub phases: Vec<(Time, String)>,
    /// Foci that cannot be measured, and why.
    pub refused: Vec<(Focus, String)>,
    /// What is known of functions.
    pub code: SimulatedCode,
}

impl Default for Script {
    /// Ten seconds, looked at twenty times a second, in which nothing happens beside the program.
    fn default() -> Self {
        Self {
            length: Nanos::from_secs(10),
            step: Nanos::from_millis(50),
            costs: Vec::new(),
            retired: Vec::new(),
            phases: Vec::new(),
            refused: Vec::new(),
            code: SimulatedCode::default(),
        }
    }
}

/// A data source made of a program and a script.
#[derive(Clone, Debug)]
pub struct Simulated {
    program: SimulatedProgram,
    script: Script,
    now: Time,
    is_over: bool,
    known: BTreeSet<Resource>,
    gone: BTreeSet<Resource>,
    measured: BTreeMap<MeasurementId, (Pair, Selection)>,
    /// Functions whose callees were asked for, and how many were told.
    asked: BTreeMap<Resource, Option<usize>>,
    /// Functions that were measured, and whose calls were counted.
    counted: BTreeSet<Resource>,
    events: VecDeque<Event>,
}

impl Simulated {
    /// At time zero, with nothing known.
    #[must_use]
    pub fn new(program: SimulatedProgram, script: Script) -> Self {
        Self {
            program,
            script,
            now: Time::ZERO,
            is_over: false,
            known: BTreeSet::new(),
            gone: BTreeSet::new(),
            measured: BTreeMap::new(),
            asked: BTreeMap::new(),
            counted: BTreeSet::new(),
            events: VecDeque::new(),
        }
    }

    fn measure(&mut self, id: MeasurementId, pair: &Pair) {
        let code = &self.script.code;
        let function = SimulatedCode::function(pair);
        if let Some(reason) = function.and_then(|function| code.refused.get(function)) {
            self.events.push_back(Event::Refusal(self.now, id, reason.clone()));
            return;
        }
        if let Some(coverage) = function.and_then(|function| code.hot.get(function)) {
            self.events.push_back(Event::TooHot(self.now, id, *coverage));
        }
        let selection = self.program.select(pair.metric, &pair.focus);
        self.measured.insert(id, (pair.clone(), selection));
    }

    /// One sampling interval: what appeared, what went away, all samples, the cost.
    fn step(&mut self) {
        let interval = Interval::new(self.now, self.now + self.script.step);
        self.now = interval.end;
        self.announce();
        for (id, (pair, selection)) in &mut self.measured {
            let coverage =
                SimulatedCode::function(pair).and_then(|code| self.script.code.hot.get(code));
            let sample = sample(&self.program, selection, interval, coverage.copied());
            self.events.push_back(Event::Sample(*id, sample));
        }
        self.count_calls();
        self.tell_cost();
        let begun = self.script.phases.iter().filter(|(at, _)| interval.start < *at);
        for (_, name) in begun.filter(|(at, _)| *at <= interval.end) {
            self.events.push_back(Event::Phase(self.now, name.clone()));
        }
        if self.now.since(Time::ZERO) >= self.script.length {
            self.events.push_back(Event::End(self.now));
            self.is_over = true;
        }
    }

    /// Functions that were measured for a moment have their calls counted.
    fn count_calls(&mut self) {
        for function in self.measured.values().filter_map(|(pair, _)| SimulatedCode::function(pair))
        {
            if let Some(rate) = self.script.code.rates.get(function)
                && self.counted.insert(function.clone())
            {
                self.events.push_back(Event::Price(self.now, function.clone(), *rate));
            }
        }
    }

    fn tell_cost(&mut self) {
        let past = self.script.costs.iter().rev().find(|(time, _)| *time < self.now);
        let scripted = past.map(|(_, cost)| *cost);
        if scripted.is_none() && self.script.code.call_cost <= 0.0 {
            return;
        }
        let switched: BTreeSet<_> =
            self.measured.values().filter_map(|(pair, _)| SimulatedCode::function(pair)).collect();
        let cost = scripted.unwrap_or_default() + self.script.code.cost(switched.into_iter());
        self.events.push_back(Event::Cost(self.now, cost));
    }

    /// Answers what was asked, and says more when there is more.
    fn tell_callees(&mut self) {
        for (of, told) in &mut self.asked {
            let callees = self.script.code.callees(of, self.now);
            if *told != Some(callees.len()) {
                let news = callees[told.unwrap_or_default()..].to_vec();
                *told = Some(callees.len());
                self.events.push_back(Event::Callees(self.now, of.clone(), news));
            }
        }
    }

    fn announce(&mut self) {
        self.tell_callees();
        for resource in self.program.seen_until(self.now) {
            if self.known.insert(resource.clone()) {
                let of_this = self.program.processes.iter().filter(|one| one.process == resource);
                for SimulatedProcess { process, machine } in of_this {
                    let placed = Event::Placed(self.now, process.clone(), machine.clone());
                    self.events.push_back(placed);
                }
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

impl DataSource for Simulated {
    fn start(&mut self, id: MeasurementId, pair: &Pair) {
        match self.script.refused.iter().find(|(focus, _)| *focus == pair.focus) {
            Some((_, reason)) => {
                self.events.push_back(Event::Refusal(self.now, id, reason.clone()));
            }
            None => self.measure(id, pair),
        }
    }

    fn stop(&mut self, id: MeasurementId) {
        self.measured.remove(&id);
        let is_of = |event: &Event| match event {
            Event::Sample(other, _) | Event::TooHot(_, other, _) => *other == id,
            _ => false,
        };
        self.events.retain(|event| !is_of(event));
    }

    fn callees(&mut self, of: &Resource) {
        self.asked.insert(of.clone(), None);
    }

    fn over_run(&mut self, pair: &Pair) -> Option<RunAmount> {
        let is_refused = self.script.refused.iter().any(|(focus, _)| *focus == pair.focus);
        let compares = pair.metric.definition().aggregation.compares();
        // Functions are known only while they are switched on.
        if is_refused || compares || SimulatedCode::function(pair).is_some() {
            return None;
        }
        let interval = Interval::new(Time::ZERO, self.now);
        let mut selection = self.program.select(pair.metric, &pair.focus);
        Some(RunAmount {
            amount: self.program.amount(&mut selection, interval),
            error: 0,
            interval,
        })
    }

    fn poll(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn advance(&mut self) -> bool {
        let goes_on = !self.is_over;
        if goes_on {
            self.step();
        }
        goes_on
    }
}

/// What a selection grew by, through windows if it is passed too often.
fn sample(
    program: &SimulatedProgram,
    selection: &mut Selection,
    interval: Interval,
    coverage: Option<f64>,
) -> Sample {
    let processes = selection.processes;
    let Some(coverage) = coverage else {
        return Sample::complete(interval, program.amount(selection, interval), processes);
    };
    match through_windows(program, selection, interval, coverage) {
        Some(amount) => Sample::complete(interval, amount, processes),
        None => Sample { interval, amount: 0, reported: 0, expected: processes },
    }
}
