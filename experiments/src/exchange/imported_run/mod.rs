//! A profile of another tool as a run like any other: it can be shown, asked, compared and diagnosed.
//!
//! ```text
//!   thread ──► callpaths and user events, at once        add
//!          └─► record, resources, facts, the profile to the letter, once all threads were there        finish
//! ```
//! All of it is one pass of the record, as a profile says nothing of when. Functions of the program are regions of its own, which are
//! known all the time; calls of MPI are what their names say. What a name says of its place in the source becomes module and line.
//! Threads are such of which the operating system says nothing: that they ran all the time is not known.

mod place;

use std::time::Duration;

use ahash::{AHashMap, AHashSet};
use whyperf_model::matching::{ClassId, Grown, IntervalRecord, Kind, Location, LocationId, Totals};
use whyperf_model::{
    Category, Hierarchy, Interval, Nanos, Resource, Time, UserEventKind, UserEventRow,
    UserEventTotals,
};

use crate::foreign_bytes::ForeignPacker;
use crate::foreign_profile::{ForeignMetric, ForeignProfile, ForeignThread, Timer};
use crate::program_event::ProgramEvent;
use crate::recorder::Progress;
use crate::run::{StoredProfileRow, Topic};
use place::Place;

/// A run that is made of the threads of another tool's profile, one after the other.
#[derive(Debug)]
pub struct ImportedRun {
    /// The place of time among the values of timers.
    time: Option<usize>,
    locations: Vec<Location>,
    kinds: Vec<Kind>,
    /// The number of each kind.
    numbers: AHashMap<Kind, u32>,
    /// What the name of a timer says: many threads have the same.
    names: AHashMap<String, NamedPath>,
    paths: Vec<Vec<String>>,
    /// The place of each path among all, once they are sorted; shorter where some are new.
    ranks: Vec<usize>,
    /// The number of each path.
    path_numbers: AHashMap<Vec<String>, u32>,
    grown: Vec<Grown>,
    elapsed: Nanos,
    facts: Vec<(Topic, String, String)>,
    foreign: ForeignPacker,
}

/// What the name of a timer says.
#[derive(Clone, Debug)]
struct NamedPath {
    /// The number of the kind of its last name.
    kind: u32,
    path: u32,
    source: Option<String>,
}

/// What a callpath of a thread came to.
#[derive(Debug, Default)]
struct PathSum {
    calls: u64,
    inclusive: Nanos,
    exclusive: Nanos,
    source: Option<String>,
}

impl ForeignProfile {
    /// All that a store keeps of it as a run, and what it has no room for.
    #[must_use]
    pub fn progress(self) -> (Progress, Vec<String>) {
        let mut run = ImportedRun::new(&self.metrics);
        let parts: Vec<Progress> = self.threads.iter().map(|thread| run.add(thread)).collect();
        let (mut progress, notes) = run.finish(self.notes);
        for part in parts {
            progress.profile.extend(part.profile);
            progress.user_events.extend(part.user_events);
        }
        (progress, notes)
    }
}

impl ImportedRun {
    /// One of no threads yet.
    #[must_use]
    pub fn new(metrics: &[ForeignMetric]) -> Self {
        let names: Vec<&str> = metrics.iter().map(|metric| metric.name.as_str()).collect();
        Self {
            time: metrics.iter().position(ForeignMetric::is_time),
            locations: Vec::new(),
            kinds: Vec::new(),
            numbers: AHashMap::new(),
            names: AHashMap::new(),
            paths: Vec::new(),
            ranks: Vec::new(),
            path_numbers: AHashMap::new(),
            grown: Vec::new(),
            elapsed: Nanos(0),
            facts: vec![(Topic::Setting, "imported metrics".to_owned(), names.join(", "))],
            foreign: ForeignPacker::new(metrics),
        }
    }

    /// Takes in a thread; answers what a store keeps of it alone.
    #[must_use]
    pub fn add(&mut self, thread: &ForeignThread) -> Progress {
        if self.locations.is_empty() {
            // Metadata of the first thread is mostly that of all.
            let known = thread.metadata.iter();
            let fact = |(name, value): &(String, String)| {
                (Topic::Environment, name.clone(), value.clone())
            };
            self.facts.extend(known.map(fact));
        }
        self.foreign.add(thread);
        let location = LocationId(u32::try_from(self.locations.len()).unwrap_or(u32::MAX));
        self.locations.push(location_of(thread));
        let (mut totals, mut sums): (AHashMap<u32, Totals>, AHashMap<u32, PathSum>) =
            Default::default();
        for timer in counted(&thread.timers) {
            let value = self.time.and_then(|at| timer.values.get(at)).copied().unwrap_or_default();
            let [exclusive, inclusive] = [value.exclusive, value.inclusive]
                .map(|micros| Nanos((micros * 1e3).round() as u64));
            self.elapsed = self.elapsed.max(inclusive);
            let calls = timer.calls.round() as u64;
            let named = self.named(timer);
            let grown = totals.entry(named.kind).or_default();
            grown.time += exclusive;
            grown.visits += calls;
            let sum = sums.entry(named.path);
            let sum = sum.or_insert_with(|| PathSum { source: named.source, ..PathSum::default() });
            sum.calls += calls;
            sum.inclusive += inclusive;
            sum.exclusive += exclusive;
        }
        let mut totals: Vec<(u32, Totals)> = totals.into_iter().collect();
        totals.sort_by_key(|(kind, _)| *kind);
        let grown =
            totals.into_iter().map(|(kind, by)| Grown { location, kind: ClassId(kind), by });
        self.grown.extend(grown);
        let user_events = user_events(thread).collect();
        Progress { profile: self.rows(thread, sums), user_events, ..Progress::default() }
    }

    fn named(&mut self, timer: &Timer) -> NamedPath {
        if let Some(known) = self.names.get(&timer.name) {
            return known.clone();
        }
        let places: Vec<Place<'_>> = timer.path().map(Place::of).collect();
        let path: Vec<String> = places.iter().map(|place| place.function.to_owned()).collect();
        let next = u32::try_from(self.paths.len()).unwrap_or(u32::MAX);
        let number = *self.path_numbers.entry(path.clone()).or_insert(next);
        if number == next {
            self.paths.push(path);
        }
        let source = places.last().and_then(Place::source);
        let named = NamedPath { kind: self.kind(&places), path: number, source };
        self.names.insert(timer.name.clone(), named.clone());
        named
    }

    /// The number of the kind of a path's last name.
    fn kind(&mut self, places: &[Place<'_>]) -> u32 {
        let mut code: Vec<Resource> = places.iter().filter_map(Place::resource).collect();
        code.sort();
        code.dedup();
        let last = places.last();
        let (category, object) = last.map_or((Category::Other, None), Place::meaning);
        let own = last.and_then(Place::resource);
        let kind = Kind { category, code, object, own };
        let next = u32::try_from(self.kinds.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(kind.clone()).or_insert(next);
        if number == next {
            self.kinds.push(kind);
        }
        number
    }

    /// The callpaths of a thread, by path.
    fn rows(
        &mut self,
        thread: &ForeignThread,
        sums: AHashMap<u32, PathSum>,
    ) -> Vec<StoredProfileRow> {
        self.rank();
        let mut sums: Vec<(u32, PathSum)> = sums.into_iter().collect();
        sums.sort_by_key(|(path, _)| self.ranks[*path as usize]);
        let row = |(path, sum): (u32, PathSum)| StoredProfileRow {
            process: thread.node,
            thread: thread_number(thread),
            path: self.paths[path as usize].clone(),
            calls: sum.calls,
            inclusive: sum.inclusive,
            exclusive: sum.exclusive,
            sent: 0,
            received: 0,
            source: sum.source,
            coverage: Some(1.0),
        };
        sums.into_iter().map(row).collect()
    }

    /// Threads mostly have the same paths: these are sorted once.
    fn rank(&mut self) {
        if self.ranks.len() == self.paths.len() {
            return;
        }
        let mut order: Vec<usize> = (0..self.paths.len()).collect();
        order.sort_by_key(|at| &self.paths[*at]);
        self.ranks.resize(order.len(), 0);
        order.iter().enumerate().for_each(|(rank, at)| self.ranks[*at] = rank);
    }

    /// What a store keeps of all threads together, and what it has no room for, beside these notes.
    #[must_use]
    pub fn finish(self, mut notes: Vec<String>) -> (Progress, Vec<String>) {
        let mut nodes: Vec<u32> = self.locations.iter().map(|one| one.number).collect();
        nodes.dedup();
        let mut hosts: Vec<&Resource> = self.locations.iter().map(|one| &one.machine).collect();
        hosts.sort();
        hosts.dedup();
        let counts = [nodes.len(), self.locations.len(), hosts.len()].map(|count| count as u64);
        let appeared = self.appeared();
        let progress = Progress {
            elapsed: Duration::from_nanos(self.elapsed.0),
            counts,
            appeared: appeared.iter().map(|one| (one.clone(), Time::ZERO)).collect(),
            facts: self.facts,
            foreign: Some(self.foreign.finish(&notes)),
            interval_records: vec![record(
                self.elapsed,
                self.locations,
                self.kinds,
                self.grown,
                appeared,
            )],
            ..Progress::default()
        };
        if self.time.is_none() {
            notes.push("none of its metrics is time: the run has calls and no times".into());
        }
        (progress, notes)
    }

    /// All resources, each once and after those above it.
    fn appeared(&self) -> Vec<Resource> {
        let of_kinds = self.kinds.iter().flat_map(|kind| kind.code.iter().chain(&kind.object));
        let of_locations =
            self.locations.iter().flat_map(|one| [&one.machine, &one.process, &one.thread]);
        let all = ProgramEvent::new(of_kinds.chain(of_locations).cloned());
        all.resources().filter(|one| !one.is_root()).cloned().collect()
    }
}

fn record(
    elapsed: Nanos,
    locations: Vec<Location>,
    kinds: Vec<Kind>,
    grown: Vec<Grown>,
    appeared: Vec<Resource>,
) -> IntervalRecord {
    let all = (0..u32::try_from(locations.len()).unwrap_or(u32::MAX)).map(LocationId);
    let placed = locations.iter().map(|one| (one.process.clone(), one.machine.clone()));
    IntervalRecord {
        interval: Interval::new(Time::ZERO, Time(elapsed)),
        present: all.clone().collect(),
        untold: all.collect(),
        placed: placed.collect(),
        grown,
        locations,
        kinds,
        appeared,
        ..IntervalRecord::default()
    }
}

/// Callpaths, and what is in none of them but as the outermost: each call counts once.
fn counted(timers: &[Timer]) -> impl Iterator<Item = &Timer> {
    let is_path = |timer: &&Timer| {
        timer.is_callpath() || timer.groups.iter().any(|group| group == Timer::CALLPATH)
    };
    let below = timers.iter().filter(is_path);
    let leaves: AHashSet<&str> =
        below.filter_map(|timer| timer.name.rsplit(Timer::ARROW).next()).map(str::trim).collect();
    timers.iter().filter(move |timer| is_path(timer) || !leaves.contains(timer.name.as_str()))
}

/// Values that the program told. What is no whole number stays in the profile, to the letter.
fn user_events(thread: &ForeignThread) -> impl Iterator<Item = UserEventRow> + '_ {
    thread.events.iter().filter(|event| event.count >= 1.0).map(|event| {
        let (name, context) = event.name.split_once(" : ").unwrap_or((&event.name, ""));
        let path = context.split(Timer::ARROW).map(str::trim).filter(|name| !name.is_empty());
        let extremes = whole(event.least).zip(whole(event.most));
        UserEventRow {
            name: name.to_owned(),
            kind: UserEventKind::Gauge,
            process: thread.node,
            thread: thread_number(thread),
            path: path.map(str::to_owned).collect(),
            totals: UserEventTotals {
                count: event.count as u64,
                sum: whole((event.mean * event.count).round()).filter(|_| extremes.is_some()),
                extremes: extremes.map(|(least, most)| [least, most]),
                squares: whole(event.squares).and_then(|squares| u128::try_from(squares).ok()),
            },
        }
    })
}

/// A number as it is, where it is whole, and not so large that some are missing beside it.
fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i64)
}

/// Contexts beyond the first are threads with numbers of their own.
fn thread_number(thread: &ForeignThread) -> u32 {
    thread.context.saturating_mul(1_000_000).saturating_add(thread.thread)
}

fn location_of(thread: &ForeignThread) -> Location {
    let process = Resource::root(Hierarchy::Process).child(&thread.node.to_string());
    let host = thread.metadata.iter().find(|(name, _)| name == "Hostname");
    let host = host.map_or("unknown", |(_, value)| value.as_str());
    Location {
        number: thread.node,
        rank: Some(thread.node),
        thread: process.child(&thread_number(thread).to_string()),
        process,
        machine: Resource::root(Hierarchy::Machine).child(host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign_profile::TimerValue;

    fn timer(name: &str, calls: f64, exclusive: f64, inclusive: f64) -> Timer {
        let values = vec![TimerValue { exclusive, inclusive }];
        Timer { name: name.into(), calls, values, ..Timer::default() }
    }

    fn profile(timers: Vec<Timer>) -> ForeignProfile {
        let thread = ForeignThread { node: 3, timers, ..ForeignThread::default() };
        let metrics = vec![ForeignMetric { name: "TIME".into() }];
        ForeignProfile { metrics, threads: vec![thread], notes: Vec::new() }
    }

    #[test]
    fn what_a_path_tells_is_counted_once() {
        let (progress, notes) = profile(vec![
            timer("main", 1.0, 100.0, 300.0),
            timer("f [{/src/a.c} {20,1}]", 2.0, 50.0, 200.0),
            timer("MPI_Recv()", 4.0, 150.0, 150.0),
            timer("main => f [{/src/a.c} {20,1}]", 2.0, 50.0, 200.0),
            timer("main => f [{/src/a.c} {20,1}] => MPI_Recv()", 4.0, 150.0, 150.0),
        ])
        .progress();
        assert_eq!(notes, Vec::<String>::new());
        let paths: Vec<String> = progress.profile.iter().map(|row| row.path.join("|")).collect();
        assert_eq!(paths, ["main", "main|f", "main|f|MPI_Recv()"]);
        assert_eq!(progress.profile[1].source.as_deref(), Some("a.c:20"));
        let sum: u64 = progress.profile.iter().map(|row| row.exclusive.0).sum();
        assert_eq!((sum, progress.elapsed), (300_000, Duration::from_micros(300)));
        let record = &progress.interval_records[0];
        let of =
            |category| record.kinds.iter().find(|kind| kind.category == category).expect("there");
        let wait = of(Category::Receive);
        let code: Vec<&str> = wait.code.iter().map(Resource::path).collect();
        assert_eq!(code, ["/Code/a.c/f", "/Code/main"]);
        assert_eq!(wait.object.as_ref().map(Resource::path), Some("/SyncObject/Message"));
        assert_eq!(wait.own, None);
    }

    #[test]
    fn a_profile_without_time_says_so() {
        let mut counted = profile(vec![timer("main", 1.0, 100.0, 300.0)]);
        counted.metrics[0].name = "PAPI_TOT_CYC".into();
        let (progress, notes) = counted.progress();
        assert!(notes[0].contains("none of its metrics is time"), "{notes:?}");
        assert_eq!((progress.profile[0].calls, progress.profile[0].inclusive), (1, Nanos(0)));
    }
}
