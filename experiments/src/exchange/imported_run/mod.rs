//! A profile of another tool as a run like any other: it can be shown, asked, compared and diagnosed.
//!
//! ```text
//!   thread ──► callpaths, user events, growths of the record, the thread to the letter        add, into a part
//!          └─► resources, facts, the rest of the record, once all threads were there          finish
//! ```
//! All of it is one pass of the record, as a profile says nothing of when. Functions of the program are regions of its own, which are
//! known all the time; calls of MPI are what their names say. What a name says of its place in the source becomes module and line.
//! Threads are such of which the operating system says nothing: that they ran all the time is not known.

mod named_timers;
mod place;

use std::time::Duration;

use ahash::AHashSet;
use whyperf_model::matching::{ClassId, Grown, IntervalRecord, Location, LocationId, Totals};
use whyperf_model::{
    Hierarchy, Interval, Nanos, Resource, Time, UserEventKind, UserEventRow, UserEventTotals,
};

use crate::foreign_bytes::ForeignPacker;
use crate::foreign_profile::{ForeignMetric, ForeignProfile, Timer, TimerValue};
use crate::imported_part::{ImportedPart, ImportedRow};
use crate::numbered_thread::NumberedThread;
use crate::profile_names::ProfileNames;
use crate::program_event::ProgramEvent;
use crate::recorder::Progress;
use crate::run::{StoredProfileRow, Topic};
use named_timers::NamedTimers;

/// A run that is made of the threads of another tool's profile, one after the other. Of threads that were there it knows where they ran; all else
/// that it holds is by name, and as many threads as there are have the same.
#[derive(Debug)]
pub(crate) struct ImportedRun {
    /// The place of time among the values of timers.
    time: Option<usize>,
    locations: Vec<Location>,
    /// Processes and threads that were there.
    threads: AHashSet<(u32, u32)>,
    named: NamedTimers,
    /// What kinds and callpaths of the thread that is added come to, by number.
    kinds: Sums<Totals>,
    paths: Sums<PathSum>,
    elapsed: Nanos,
    facts: Vec<(Topic, String, String)>,
    foreign: ForeignPacker,
}

/// What a callpath of a thread came to.
#[derive(Clone, Copy, Debug, Default)]
struct PathSum {
    calls: u64,
    inclusive: Nanos,
    exclusive: Nanos,
    /// The number of the first name that told of it.
    name: u32,
}

/// Sums of a thread by number, which are as many as numbers were there so far.
#[derive(Debug)]
struct Sums<T> {
    sums: Vec<Option<T>>,
    /// The numbers that have a sum.
    numbers: Vec<u32>,
}

impl ForeignProfile {
    /// All that a store keeps of it as a run, and what it has no room for.
    #[must_use]
    pub fn progress(self) -> (Progress, Vec<String>) {
        let (mut run, mut part) = (ImportedRun::new(&self.metrics), ImportedPart::default());
        let (mut names, mut numbered) = (ProfileNames::default(), NumberedThread::default());
        for thread in &self.threads {
            numbered.copy(thread, &mut names);
            run.add(&numbered, &names, &mut part);
        }
        let (mut progress, notes) = run.finish(self.notes);
        progress.profile = part.profile_rows();
        progress.user_events = part.user_events;
        progress.interval_records.iter_mut().for_each(|one| one.grown.append(&mut part.grown));
        (progress, notes)
    }
}

impl ImportedPart {
    /// Its rows with their callpaths, all of which it has.
    fn profile_rows(&self) -> Vec<StoredProfileRow> {
        let row = |row: &ImportedRow| {
            // Numbers are from 1 on, and all are there.
            let callpath = &self.callpaths[row.callpath as usize - 1];
            let source = row.source.as_deref().or(callpath.source.as_deref());
            StoredProfileRow {
                process: row.process,
                thread: row.thread,
                path: callpath.path.clone(),
                calls: row.calls,
                inclusive: row.inclusive,
                exclusive: row.exclusive,
                sent: 0,
                received: 0,
                source: source.map(str::to_owned),
                coverage: Some(1.0),
            }
        };
        let mut rows: Vec<StoredProfileRow> = self.rows.iter().map(row).collect();
        rows.sort_by(|one, other| {
            let place = |row: &StoredProfileRow| (row.process, row.thread);
            place(one).cmp(&place(other)).then_with(|| one.path.cmp(&other.path))
        });
        rows
    }
}

impl ImportedRun {
    /// One of no threads yet.
    pub(crate) fn new(metrics: &[ForeignMetric]) -> Self {
        let names: Vec<&str> = metrics.iter().map(|metric| metric.name.as_str()).collect();
        Self {
            time: metrics.iter().position(ForeignMetric::is_time),
            locations: Vec::new(),
            threads: AHashSet::new(),
            named: NamedTimers::default(),
            kinds: Sums::default(),
            paths: Sums::default(),
            elapsed: Nanos(0),
            facts: vec![(Topic::Setting, "imported metrics".to_owned(), names.join(", "))],
            foreign: ForeignPacker::new(metrics),
        }
    }

    /// Takes in a thread; what a store keeps of it alone is added to the part.
    pub(crate) fn add(
        &mut self,
        thread: &NumberedThread,
        names: &ProfileNames,
        part: &mut ImportedPart,
    ) {
        if self.locations.is_empty() {
            // Metadata of the first thread is mostly that of all.
            let known = thread.metadata.iter();
            let fact = |(name, value): &(String, String)| {
                (Topic::Environment, name.clone(), value.clone())
            };
            self.facts.extend(known.map(fact));
        }
        self.foreign.add(thread, names);
        let location = LocationId(u32::try_from(self.locations.len()).unwrap_or(u32::MAX));
        self.locations.push(location_of(thread));
        self.add_up(thread, names, part);
        let grown = |(kind, by)| Grown { location, kind: ClassId(kind), by };
        part.grown.extend(self.kinds.drain().map(grown));
        let (process, number) = (thread.place.0, thread_number(thread));
        part.is_again |= !self.threads.insert((process, number));
        let named = &self.named;
        part.rows.extend(self.paths.drain().map(|(path, sum)| ImportedRow {
            process,
            thread: number,
            callpath: path + 1,
            calls: sum.calls,
            inclusive: sum.inclusive,
            exclusive: sum.exclusive,
            source: named.other_source(path, sum.name),
        }));
        part.user_events.extend(user_events(thread));
    }

    /// Adds up what the timers of a thread tell, each call once.
    fn add_up(&mut self, thread: &NumberedThread, names: &ProfileNames, part: &mut ImportedPart) {
        self.named.begin_thread(&thread.timers, names);
        for timer in &thread.timers {
            let Some(counted) = self.named.counted(timer, names, part) else { continue };
            let value = self.time.and_then(|at| thread.values(timer).get(at));
            let TimerValue { exclusive, inclusive } = value.copied().unwrap_or_default();
            let [exclusive, inclusive] =
                [exclusive, inclusive].map(|micros| Nanos((micros * 1e3).round() as u64));
            self.elapsed = self.elapsed.max(inclusive);
            let calls = timer.calls.round() as u64;
            let grown = self.kinds.of(counted.kind, Totals::default);
            grown.time += exclusive;
            grown.visits += calls;
            let new = || PathSum { name: timer.name, ..PathSum::default() };
            let sum = self.paths.of(counted.path, new);
            sum.calls += calls;
            sum.inclusive += inclusive;
            sum.exclusive += exclusive;
        }
    }

    /// Whether the part should be written before another thread comes.
    pub(crate) const fn fills(&self, part: &ImportedPart) -> bool {
        part.is_full(self.foreign.len())
    }

    /// Puts into the part what came to the letter.
    pub(crate) fn close(&mut self, part: &mut ImportedPart) {
        part.foreign = self.foreign.take();
    }

    /// What a store keeps of all threads together, and what it has no room for, beside these notes.
    pub(crate) fn finish(self, mut notes: Vec<String>) -> (Progress, Vec<String>) {
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
            interval_records: vec![record(self.elapsed, self.locations, self.named, appeared)],
            ..Progress::default()
        };
        if self.time.is_none() {
            notes.push("none of its metrics is time: the run has calls and no times".into());
        }
        (progress, notes)
    }

    /// All resources, each once and after those above it.
    fn appeared(&self) -> Vec<Resource> {
        let kinds = self.named.kinds().iter();
        let of_kinds = kinds.flat_map(|kind| kind.code.iter().chain(&kind.object));
        let of_locations =
            self.locations.iter().flat_map(|one| [&one.machine, &one.process, &one.thread]);
        let all = ProgramEvent::new(of_kinds.chain(of_locations).cloned());
        all.resources().filter(|one| !one.is_root()).cloned().collect()
    }
}

impl<T> Default for Sums<T> {
    fn default() -> Self {
        Self { sums: Vec::new(), numbers: Vec::new() }
    }
}

impl<T: Copy> Sums<T> {
    /// The sum of a number.
    fn of(&mut self, number: u32, new: impl FnOnce() -> T) -> &mut T {
        let at = number as usize;
        if self.sums.len() <= at {
            self.sums.resize(at + 1, None);
        }
        let numbers = &mut self.numbers;
        self.sums[at].get_or_insert_with(|| {
            numbers.push(number);
            new()
        })
    }

    /// All sums by number, of which none is left.
    fn drain(&mut self) -> impl Iterator<Item = (u32, T)> + '_ {
        self.numbers.sort_unstable();
        let sums = &mut self.sums;
        self.numbers
            .drain(..)
            .filter_map(move |number| Some((number, sums[number as usize].take()?)))
    }
}

/// The one pass, without what grew in it.
fn record(
    elapsed: Nanos,
    locations: Vec<Location>,
    named: NamedTimers,
    appeared: Vec<Resource>,
) -> IntervalRecord {
    let all = (0..u32::try_from(locations.len()).unwrap_or(u32::MAX)).map(LocationId);
    let placed = locations.iter().map(|one| (one.process.clone(), one.machine.clone()));
    IntervalRecord {
        interval: Interval::new(Time::ZERO, Time(elapsed)),
        present: all.clone().collect(),
        untold: all.collect(),
        placed: placed.collect(),
        locations,
        kinds: named.into_kinds(),
        appeared,
        ..IntervalRecord::default()
    }
}

/// Values that the program told. What is no whole number stays in the profile, to the letter.
fn user_events(thread: &NumberedThread) -> impl Iterator<Item = UserEventRow> + '_ {
    thread.events.iter().filter(|event| event.count >= 1.0).map(|event| {
        let (name, context) = event.name.split_once(" : ").unwrap_or((&event.name, ""));
        let path = context.split(Timer::ARROW).map(str::trim).filter(|name| !name.is_empty());
        let extremes = whole(event.least).zip(whole(event.most));
        UserEventRow {
            name: name.to_owned(),
            kind: UserEventKind::Gauge,
            process: thread.place.0,
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
fn thread_number(thread: &NumberedThread) -> u32 {
    let (_, context, number) = thread.place;
    context.saturating_mul(1_000_000).saturating_add(number)
}

fn location_of(thread: &NumberedThread) -> Location {
    let node = thread.place.0;
    let process = Resource::root(Hierarchy::Process).child(&node.to_string());
    let host = thread.metadata.iter().find(|(name, _)| name == "Hostname");
    let host = host.map_or("unknown", |(_, value)| value.as_str());
    Location {
        number: node,
        rank: Some(node),
        thread: process.child(&thread_number(thread).to_string()),
        process,
        machine: Resource::root(Hierarchy::Machine).child(host),
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::Category;

    use super::*;
    use crate::foreign_profile::ForeignThread;

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
