//! A profile of another tool as a run like any other: it can be shown, asked, compared and diagnosed.
//!
//! All of it is one pass of the record, as a profile says nothing of when. Functions of the program are regions of its own, which are
//! known all the time; calls of MPI are what their names say. What a name says of its place in the source becomes module and line.
//! Threads are such of which the operating system says nothing: that they ran all the time is not known.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use whyperf_model::matching::{ClassId, Grown, IntervalRecord, Kind, Location, LocationId, Totals};
use whyperf_model::{
    Category, Hierarchy, Interval, Nanos, Resource, Time, UserEventKind, UserEventRow,
    UserEventTotals,
};

use crate::foreign_profile::{ForeignMetric, ForeignProfile, ForeignThread, Timer};
use crate::program_event::ProgramEvent;
use crate::recorder::Progress;
use crate::run::{StoredProfileRow, Topic};

impl ForeignProfile {
    /// All that a store keeps of it as a run, and what it has no room for.
    #[must_use]
    pub fn progress(&self) -> (Progress, Vec<String>) {
        let mut notes = self.notes.clone();
        let time = self.metrics.iter().position(ForeignMetric::is_time);
        if time.is_none() {
            notes.push("none of its metrics is time: the run has calls and no times".into());
        }
        let mut made = Made::default();
        for thread in &self.threads {
            made.add(thread, time);
        }
        let elapsed = made.elapsed;
        let appeared = made.appeared();
        let mut nodes: Vec<u32> = self.threads.iter().map(|thread| thread.node).collect();
        nodes.dedup();
        let mut hosts: Vec<&Resource> = made.locations.iter().map(|one| &one.machine).collect();
        hosts.sort();
        hosts.dedup();
        let counts = [nodes.len(), self.threads.len(), hosts.len()].map(|count| count as u64);
        let progress = Progress {
            elapsed: Duration::from_nanos(elapsed.0),
            counts,
            appeared: appeared.iter().map(|one| (one.clone(), Time::ZERO)).collect(),
            profile: made.rows.values().cloned().collect(),
            interval_records: vec![made.record(appeared)],
            facts: self.facts(),
            user_events: self.threads.iter().flat_map(user_events).collect(),
            foreign: Some(self.clone()),
            ..Progress::default()
        };
        (progress, notes)
    }

    /// Metadata of the first thread, which is mostly that of all.
    fn facts(&self) -> Vec<(Topic, String, String)> {
        let metrics: Vec<&str> = self.metrics.iter().map(|metric| metric.name.as_str()).collect();
        let known = self.threads.first().into_iter().flat_map(|thread| &thread.metadata);
        let fact =
            |(name, value): &(String, String)| (Topic::Environment, name.clone(), value.clone());
        let metrics = (Topic::Setting, "imported metrics".to_owned(), metrics.join(", "));
        known.map(fact).chain([metrics]).collect()
    }
}

/// What has come of the threads so far.
#[derive(Default)]
struct Made {
    locations: Vec<Location>,
    kinds: Vec<Kind>,
    /// The number of each kind.
    numbers: HashMap<Kind, u32>,
    grown: BTreeMap<(u32, u32), Totals>,
    rows: BTreeMap<(u32, u32, Vec<String>), StoredProfileRow>,
    elapsed: Nanos,
}

impl Made {
    fn add(&mut self, thread: &ForeignThread, time: Option<usize>) {
        let location = u32::try_from(self.locations.len()).unwrap_or(u32::MAX);
        self.locations.push(location_of(thread));
        for timer in counted(&thread.timers) {
            let value = time.and_then(|at| timer.values.get(at)).copied().unwrap_or_default();
            let [exclusive, inclusive] = [value.exclusive, value.inclusive]
                .map(|micros| Nanos((micros * 1e3).round() as u64));
            self.elapsed = self.elapsed.max(inclusive);
            let places: Vec<Place<'_>> = timer.path().map(Place::of).collect();
            let calls = timer.calls.round() as u64;
            let kind = self.kind(&places);
            let totals = self.grown.entry((location, kind)).or_default();
            totals.time += exclusive;
            totals.visits += calls;
            self.add_row(thread, &places, calls, [inclusive, exclusive]);
        }
    }

    fn add_row(
        &mut self,
        thread: &ForeignThread,
        places: &[Place<'_>],
        calls: u64,
        [inclusive, exclusive]: [Nanos; 2],
    ) {
        let path: Vec<String> = places.iter().map(|place| place.function.to_owned()).collect();
        let number = thread_number(thread);
        let row = self.rows.entry((thread.node, number, path.clone()));
        let row = row.or_insert_with(|| StoredProfileRow {
            process: thread.node,
            thread: number,
            path,
            calls: 0,
            inclusive: Nanos(0),
            exclusive: Nanos(0),
            sent: 0,
            received: 0,
            source: places.last().and_then(Place::source),
            coverage: Some(1.0),
        });
        row.calls += calls;
        row.inclusive += inclusive;
        row.exclusive += exclusive;
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

    /// All resources, each once and after those above it.
    fn appeared(&self) -> Vec<Resource> {
        let of_kinds = self.kinds.iter().flat_map(|kind| kind.code.iter().chain(&kind.object));
        let of_locations =
            self.locations.iter().flat_map(|one| [&one.machine, &one.process, &one.thread]);
        let all = ProgramEvent::new(of_kinds.chain(of_locations).cloned());
        all.resources().filter(|one| !one.is_root()).cloned().collect()
    }

    fn record(self, appeared: Vec<Resource>) -> IntervalRecord {
        let all = (0..u32::try_from(self.locations.len()).unwrap_or(u32::MAX)).map(LocationId);
        let grown = self.grown.into_iter().map(|((location, kind), by)| Grown {
            location: LocationId(location),
            kind: ClassId(kind),
            by,
        });
        let placed = self.locations.iter().map(|one| (one.process.clone(), one.machine.clone()));
        IntervalRecord {
            interval: Interval::new(Time::ZERO, Time(self.elapsed)),
            present: all.clone().collect(),
            untold: all.collect(),
            grown: grown.collect(),
            placed: placed.collect(),
            locations: self.locations,
            kinds: self.kinds,
            appeared,
            ..IntervalRecord::default()
        }
    }
}

/// Callpaths, and what is in none of them but as the outermost: each call counts once.
fn counted(timers: &[Timer]) -> impl Iterator<Item = &Timer> {
    let is_path = |timer: &&Timer| {
        timer.is_callpath() || timer.groups.iter().any(|group| group == Timer::CALLPATH)
    };
    let below = timers.iter().filter(is_path);
    let leaves: BTreeSet<&str> = below.filter_map(|timer| timer.path().last()).collect();
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

/// What a name says: `exchange [{/src/solver.c} {20,1}]`.
struct Place<'a> {
    function: &'a str,
    file: Option<&'a str>,
    line: Option<&'a str>,
}

impl<'a> Place<'a> {
    fn of(name: &'a str) -> Self {
        let plain = Self { function: name, file: None, line: None };
        let Some((function, place)) = name.split_once(" [{") else { return plain };
        let Some((file, rest)) = place.split_once('}') else { return plain };
        let line =
            rest.trim_start().strip_prefix('{').and_then(|rest| rest.split([',', '}']).next());
        Self { function: function.trim(), file: Some(file), line }
    }

    fn is_mpi(&self) -> bool {
        self.function.starts_with("MPI_")
    }

    /// Where it is in the hierarchy of code; what only waits has no place of its own.
    fn resource(&self) -> Option<Resource> {
        if self.is_mpi() {
            return None;
        }
        let code = Resource::root(Hierarchy::Code);
        let module = self.file.map(|file| file.rsplit('/').next().unwrap_or(file));
        Some(module.map_or_else(|| code.clone(), |module| code.child(module)).child(self.function))
    }

    fn source(&self) -> Option<String> {
        let file = self.file?.rsplit('/').next()?;
        Some(self.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
    }

    /// What it does, and on what.
    fn meaning(&self) -> (Category, Option<Resource>) {
        if !self.is_mpi() {
            return (Category::User, None);
        }
        let name = self.function.trim_end_matches("()");
        let object = |name: &str| Some(Resource::root(Hierarchy::SyncObject).child(name));
        let collective = || object("Collective").map(|all| all.child(&name[4..]));
        match name {
            "MPI_Init" | "MPI_Init_thread" | "MPI_Finalize" => (Category::Setup, None),
            "MPI_Send" | "MPI_Ssend" | "MPI_Bsend" | "MPI_Rsend" => {
                (Category::Send, object("Message"))
            }
            "MPI_Recv" | "MPI_Mrecv" => (Category::Receive, object("Message")),
            "MPI_Sendrecv" | "MPI_Sendrecv_replace" => (Category::Exchange, object("Message")),
            "MPI_Isend" | "MPI_Issend" | "MPI_Ibsend" | "MPI_Irsend" | "MPI_Irecv"
            | "MPI_Start" | "MPI_Startall" => (Category::Post, object("Message")),
            "MPI_Barrier" => (Category::Barrier, object("Barrier")),
            _ if name.starts_with("MPI_Wait")
                || name.starts_with("MPI_Test")
                || name.contains("robe") =>
            {
                (Category::Wait, object("Message"))
            }
            _ if name.starts_with("MPI_File_") => (Category::MpiFile, None),
            _ if name.starts_with("MPI_Win_") => (Category::OneSided, object("Window")),
            _ if COLLECTIVES.iter().any(|one| name[4..].starts_with(one)) => {
                (Category::Collective, collective())
            }
            _ => (Category::MpiOther, None),
        }
    }
}

/// How the names of collectives begin.
const COLLECTIVES: [&str; 8] =
    ["Allreduce", "Reduce", "Bcast", "Gather", "Scatter", "Allgather", "Alltoall", "Scan"];

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
