//! A data source that is checked: it must keep the promises that a search relies on.
//!
//! Any data source can be wrapped, live ones too: run a search on it, then ask for the complaints. See [`DataSource`] for the promises.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Hierarchy, Interval, Pair, Resource, Sample, Time};

use whyperf_consultant::MeasurementId;
use whyperf_consultant::{DataSource, Event, RunAmount};

/// A data source and what it did wrong so far.
#[derive(Debug)]
pub struct Checked<W> {
    source: W,
    now: Time,
    is_over: bool,
    samples: usize,
    running: BTreeMap<MeasurementId, RunningMeasurement>,
    /// Pairs that were started before the first moment, as long as they run, and what their samples add up to.
    from_begin: BTreeMap<MeasurementId, (Pair, i64)>,
    /// Functions whose callees were asked for, and since when an answer is due.
    asked: BTreeMap<Resource, Option<Time>>,
    /// What was said to be there, and not to be gone.
    there: BTreeSet<Resource>,
    /// The newest phase, and when it began.
    phase: Option<(Time, String)>,
    complaints: Vec<String>,
}

/// What is known of a measurement that was started and not stopped.
#[derive(Clone, Copy, Debug)]
struct RunningMeasurement {
    started: Time,
    until: Option<Time>,
}

impl<W: DataSource> Checked<W> {
    /// Watches a data source from its beginning.
    pub const fn new(source: W) -> Self {
        Self {
            source,
            now: Time::ZERO,
            is_over: false,
            samples: 0,
            running: BTreeMap::new(),
            from_begin: BTreeMap::new(),
            asked: BTreeMap::new(),
            there: BTreeSet::new(),
            phase: None,
            complaints: Vec::new(),
        }
    }

    /// The promises that were broken, in words.
    pub fn complaints(&self) -> &[String] {
        &self.complaints
    }

    /// How many samples it gave: a data source that says nothing breaks no promise.
    pub const fn samples(&self) -> usize {
        self.samples
    }

    fn check(&mut self, event: &Event) {
        if self.is_over {
            self.complaints.push(format!("after the end came {event:?}"));
        }
        match event {
            Event::Sample(id, sample) => {
                self.pass(sample.interval.end, Some(sample));
                self.check_sample(*id, sample);
            }
            Event::Resource(now, resource) => {
                self.pass(*now, None);
                if !self.there.insert(resource.clone()) {
                    self.complaints.push(format!("{resource} came twice"));
                }
            }
            Event::Retired(now, resource) => {
                self.pass(*now, None);
                self.check_retired(resource);
            }
            Event::Cost(now, number) | Event::Price(now, _, number) => {
                self.pass(*now, None);
                if !number.is_finite() || *number < 0.0 {
                    self.complaints.push(format!("a cost or a price is {number}"));
                }
            }
            Event::TooHot(now, id, coverage) => {
                self.pass(*now, None);
                self.check_heat(*id, *coverage);
            }
            Event::Sampled(now, id, period) => {
                self.pass(*now, None);
                if period.is_zero() || !self.running.contains_key(id) {
                    self.complaints.push(format!("{id:?} is told by stack samples of {period}"));
                }
            }
            Event::Placed(now, process, machine) => {
                self.pass(*now, None);
                let hierarchies = [process, machine].map(Resource::hierarchy);
                if hierarchies != [Hierarchy::Process, Hierarchy::Machine] {
                    self.complaints.push(format!("{process} was placed on {machine}"));
                }
            }
            Event::Phase(now, name) => {
                self.pass(*now, None);
                self.phase = Some((*now, name.clone()));
            }
            Event::Callees(now, of, _) => {
                self.pass(*now, None);
                self.answer(of);
            }
            Event::Refusal(now, id, _) => {
                self.pass(*now, None);
                self.running.remove(id);
                self.from_begin.remove(id);
            }
            Event::End(now) => {
                self.pass(*now, None);
                self.is_over = true;
                self.check_answers();
            }
        }
    }

    /// What goes was there: itself, or something in it.
    fn check_retired(&mut self, resource: &Resource) {
        let was_there = self.there.iter().any(|there| resource.contains(there));
        if !was_there {
            self.complaints.push(format!("{resource} went and was not there"));
        }
        self.there.remove(resource);
    }

    fn check_heat(&mut self, id: MeasurementId, coverage: f64) {
        if !self.running.contains_key(&id) {
            self.complaints.push(format!("{id} is too hot but does not run"));
        }
        if !(coverage > 0.0 && coverage <= 1.0) {
            self.complaints.push(format!("{id} is covered for {coverage} of the time"));
        }
    }

    fn answer(&mut self, of: &Resource) {
        match self.asked.get_mut(of) {
            Some(waits_since) => *waits_since = None,
            None => self.complaints.push(format!("nobody asked for the callees of {of}")),
        }
    }

    fn check_answers(&mut self) {
        for (of, waits_since) in &self.asked {
            if waits_since.is_some_and(|since| since < self.now) {
                self.complaints
                    .push(format!("the question for the callees of {of} was not answered"));
            }
        }
    }

    /// Time goes on. When a sample is the first of a new moment, everybody must have had one of the moment before.
    fn pass(&mut self, now: Time, sample: Option<&Sample>) {
        if now < self.now {
            self.complaints.push(format!("time went back from {} to {now}", self.now));
        }
        if let Some(sample) = sample.filter(|sample| sample.interval.end > self.now) {
            let start = sample.interval.start;
            for (id, running) in &self.running {
                let silent = running.until.unwrap_or(running.started) < start;
                if silent {
                    self.complaints.push(format!("{id} has no sample that ends at {start}"));
                }
            }
        }
        self.now = self.now.max(now);
    }

    /// What a pair came to over the run is what it was measured to be, if it was measured all that time.
    fn check_over_run(&mut self, pair: &Pair, told: &RunAmount) {
        let Pair { metric, focus } = pair;
        if told.interval != Interval::new(Time::ZERO, self.now) {
            self.complaints.push(format!("{metric} {focus} until {} is {told:?}", self.now));
        }
        let of_pair = self.from_begin.values().filter(|(measured, _)| measured == pair);
        for (_, sum) in of_pair.filter(|(_, sum)| *sum != told.amount) {
            let amount = told.amount;
            self.complaints
                .push(format!("{metric} {focus} had {sum} and is told to have {amount}"));
        }
    }

    fn check_sample(&mut self, id: MeasurementId, sample: &Sample) {
        self.samples += 1;
        if let Some((_, name)) = self.phase.as_ref().filter(|(at, _)| *at == sample.interval.end) {
            self.complaints
                .push(format!("phase {name} began in the midst of {}", sample.interval.end));
        }
        if sample.reported > sample.expected || sample.interval.is_empty() {
            self.complaints.push(format!("{id} has {sample:?}"));
        }
        let Some(running) = self.running.get_mut(&id) else {
            self.complaints.push(format!("{id} has a sample but does not run"));
            return;
        };
        let start = sample.interval.start;
        match running.until {
            Some(until) if until != start => {
                self.complaints.push(format!("{id} ended at {until} and goes on at {start}"));
            }
            None if start < running.started => {
                self.complaints
                    .push(format!("{id} was started at {} and speaks of {start}", running.started));
            }
            _ => {}
        }
        running.until = Some(sample.interval.end);
        if let Some((_, sum)) = self.from_begin.get_mut(&id) {
            *sum += sample.amount;
        }
    }
}

impl<W: DataSource> DataSource for Checked<W> {
    fn start(&mut self, id: MeasurementId, pair: &Pair) {
        let fresh = RunningMeasurement { started: self.now, until: None };
        if self.running.insert(id, fresh).is_some() {
            self.complaints.push(format!("{id} was started twice"));
        }
        if self.now == Time::ZERO {
            self.from_begin.insert(id, (pair.clone(), 0));
        }
        self.source.start(id, pair);
    }

    fn stop(&mut self, id: MeasurementId) {
        self.running.remove(&id);
        // After the end nothing follows that it could miss.
        if !self.is_over {
            self.from_begin.remove(&id);
        }
        self.source.stop(id);
    }

    fn callees(&mut self, of: &Resource) {
        if self.asked.insert(of.clone(), Some(self.now)).is_some() {
            self.complaints.push(format!("the callees of {of} were asked for twice"));
        }
        self.source.callees(of);
    }

    fn over_run(&mut self, pair: &Pair) -> Option<RunAmount> {
        let told = self.source.over_run(pair);
        if let Some(told) = &told {
            self.check_over_run(pair, told);
        }
        told
    }

    fn poll(&mut self) -> Option<Event> {
        let event = self.source.poll();
        if let Some(event) = &event {
            self.check(event);
        }
        event
    }

    fn advance(&mut self) -> bool {
        self.source.advance()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use whyperf_model::{Focus, Interval, Metric};

    use super::*;

    /// Says what it was told to say, and that each pair came to one.
    struct Told(VecDeque<Event>);

    impl DataSource for Told {
        fn start(&mut self, _: MeasurementId, _: &Pair) {}

        fn stop(&mut self, _: MeasurementId) {}

        fn callees(&mut self, _: &Resource) {}

        fn over_run(&mut self, _: &Pair) -> Option<RunAmount> {
            let interval = Interval::new(Time::ZERO, Time::from_secs(2));
            Some(RunAmount { amount: 1, error: 0, interval })
        }

        fn poll(&mut self) -> Option<Event> {
            self.0.pop_front()
        }

        fn advance(&mut self) -> bool {
            false
        }
    }

    fn complaints(events: Vec<Event>, asked: &[&Resource]) -> Vec<String> {
        let mut source = Checked::new(Told(events.into()));
        source.start(MeasurementId(0), &Pair::new(Metric::Cpu, Focus::whole_program()));
        asked.iter().for_each(|of| source.callees(of));
        while source.next().is_some() {}
        source.complaints().to_vec()
    }

    #[test]
    fn what_comes_goes_and_costs_makes_sense() {
        let tag = Resource::parse("/SyncObject/Message/w/3").expect("well formed");
        let now = Time::from_secs(1);
        let came = || Event::Resource(now, tag.clone());
        let went =
            |name: Option<Resource>| Event::Retired(now, name.unwrap_or_else(|| tag.clone()));
        assert_eq!(complaints(vec![came(), went(None), came(), went(tag.parent())], &[]), [""; 0]);
        assert_eq!(complaints(vec![came(), came()], &[]), [format!("{tag} came twice")]);
        let twice = complaints(vec![came(), went(None), went(None)], &[]);
        assert_eq!(twice, [format!("{tag} went and was not there")]);
        let cost = complaints(vec![Event::Cost(now, f64::NAN), Event::Price(now, tag, -1.0)], &[]);
        assert_eq!(cost.len(), 2, "{cost:?}");
    }

    #[test]
    fn a_phase_begins_after_the_samples_of_a_moment() {
        let end = Time::from_secs(1);
        let phase = || Event::Phase(end, "solve".to_owned());
        let interval = Interval::new(Time::ZERO, end);
        let sample = || Event::Sample(MeasurementId(0), Sample::complete(interval, 1, 1));
        assert_eq!(complaints(vec![sample(), phase()], &[]), [""; 0]);
        let midst = complaints(vec![phase(), sample()], &[]);
        assert_eq!(midst, [format!("phase solve began in the midst of {end}")]);
    }

    #[test]
    fn what_a_pair_came_to_is_what_it_was_measured_to_be() {
        let [start, end] = [Time::ZERO, Time::from_secs(2)];
        let pair = Pair::new(Metric::Cpu, Focus::whole_program());
        let complaints = |amount, end| {
            let sample = Sample::complete(Interval::new(start, end), amount, 1);
            let events = [Event::Sample(MeasurementId(0), sample), Event::End(end)];
            let mut source = Checked::new(Told(events.into()));
            source.start(MeasurementId(0), &pair);
            while source.next().is_some() {}
            source.stop(MeasurementId(0));
            source.over_run(&pair);
            source.complaints().len()
        };
        assert_eq!(complaints(1, end), 0);
        assert_eq!(complaints(2, end), 1, "another amount");
        assert_eq!(complaints(1, Time::from_secs(3)), 1, "another time");
    }

    #[test]
    fn no_more_report_than_there_are_and_none_of_no_time() {
        let interval = Interval::new(Time::ZERO, Time::from_secs(1));
        let sample = |sample| Event::Sample(MeasurementId(0), sample);
        let right = Sample { interval, amount: 0, reported: 1, expected: 1 };
        assert_eq!(complaints(vec![sample(right)], &[]), [""; 0]);
        assert_eq!(complaints(vec![sample(Sample { expected: 0, ..right })], &[]).len(), 1);
        let empty = Interval::new(Time::ZERO, Time::ZERO);
        assert_eq!(complaints(vec![sample(Sample { interval: empty, ..right })], &[]).len(), 1);
    }

    #[test]
    fn callees_are_told_when_asked_for_and_heat_is_a_share_of_what_runs() {
        let main = Resource::parse("/Code/a.c/main").expect("well formed");
        let [now, end] = [Time::from_secs(1), Time::from_secs(2)];
        let told = || Event::Callees(now, main.clone(), Vec::new());
        assert_eq!(complaints(vec![told(), told(), Event::End(end)], &[&main]), [""; 0]);
        let unasked = complaints(vec![told(), Event::End(end)], &[]);
        assert_eq!(unasked, ["nobody asked for the callees of /Code/a.c/main"]);
        let silent = complaints(vec![Event::End(end)], &[&main, &main]);
        assert_eq!(silent.len(), 2, "{silent:?}");
        let hot = |id, coverage| Event::TooHot(now, MeasurementId(id), coverage);
        let throttle = complaints(vec![hot(0, 0.5), hot(0, 1.5), hot(7, 0.1)], &[]);
        assert_eq!(
            throttle,
            ["m0 is covered for 1.5 of the time", "m7 is too hot but does not run"]
        );
    }
}
