//! What bottlenecks of a run of two ranks are worth, by its trace.
//!
//! ```text
//!   rank 0   main 4 s   solve 2 s   read 1 s   a lock 1 s   barrier
//!   rank 1   main 3 s                                       barrier
//! ```

use std::path::PathBuf;

use whyperf_consultant::Split;
use whyperf_experiments::{TraceAbout, TraceWriter};
use whyperf_extrapolate::{CommId, Event, Rank, RegionId, SimTime, TraceHead};
use whyperf_model::{Nanos, Resource, TimeDivision, TimeUse};

use super::*;
use crate::output::report::{ProcessTime, ReportedBottleneck, TimeShares};
use crate::tracing::code_paths::Inside;

/// A trace file; removed in the end.
struct TraceOfTwo(PathBuf);

impl Drop for TraceOfTwo {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).expect("the file is ours");
    }
}

const MAIN: RegionId = RegionId(0);
const SOLVE: RegionId = RegionId(1);
const READ: RegionId = RegionId(2);
const LOCK: RegionId = RegionId(3);

fn resource(text: &str) -> Resource {
    Resource::parse(text).expect("the test's own resource")
}

fn resources() -> TraceResources {
    let mut all = TraceResources::default();
    let [main, solve] = ["/Code/a.c/main", "/Code/a.c/solve"].map(resource);
    all.paths.add(Inside::Computing, MAIN, &[main.clone()].into());
    all.paths.add(Inside::Computing, SOLVE, &[main, solve.clone()].into());
    all.threads = [0, 1].map(|rank| (Rank(rank), resource(&format!("/Process/{rank}/0")))).into();
    all.files = [READ].into();
    all.locks = [LOCK].into();
    all.own = [solve].into();
    all
}

impl TraceOfTwo {
    fn new(name: &str) -> Self {
        let name = format!("whyperf-worth-{}-{name}.trace", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut head = TraceHead::new(2);
        for name in ["main", "solve", "read", "pthread_mutex_lock"] {
            head.name_region(name);
        }
        let mut writer = TraceWriter::create(&path, 2).expect("writable");
        let seconds = |seconds: f64| SimTime::nanos(seconds * 1e9);
        let mut put = |rank, region, span, took| {
            let event = Event::Compute { region, span: seconds(span) };
            writer.measured(Rank(rank), event, seconds(took)).expect("writable");
        };
        put(0, MAIN, 4.0, 4.0);
        put(0, SOLVE, 2.0, 2.0);
        put(0, READ, 1.0, 1.0);
        put(0, LOCK, 0.0, 1.0);
        put(1, MAIN, 3.0, 3.0);
        for rank in [0, 1] {
            let barrier = Event::Barrier(CommId::WORLD);
            writer.measured(Rank(rank), barrier, SimTime::ZERO).expect("writable");
        }
        let about = TraceAbout { name: "two".to_owned(), facts: resources().facts() };
        writer.finish(about, &head).expect("writable");
        Self(path)
    }

    /// The milliseconds of the run that a bottleneck is worth, which has this share of the time of its ranks over 8 s.
    fn worth(&self, hypothesis: &str, focus: &str, value: f64) -> Option<f64> {
        let one = ReportedBottleneck {
            hypothesis: hypothesis.to_owned(),
            focus: focus.to_owned(),
            value,
            to_s: 8.0,
            split: if focus.contains("/Process/") { Split::Differing } else { Split::All },
            ..ReportedBottleneck::default()
        };
        let time = |process: &str, computing, processor| {
            let mut division = TimeDivision::default();
            division.add(TimeUse::Computing, Nanos::from_millis(computing));
            division.add(TimeUse::Processor, Nanos::from_millis(processor));
            division.add(TimeUse::Waiting, Nanos::from_millis(500));
            ProcessTime { process: process.to_owned(), time: TimeShares::of(&division) }
        };
        let mut report = Report {
            bottlenecks: vec![one],
            time_by_process: vec![time("0", 1000, 500), time("1", 3000, 1000)],
            ..Report::default()
        };
        tell(&self.0, &mut report);
        assert!(report.remarks.notes.is_empty(), "{:?}", report.remarks.notes);
        report.bottlenecks[0].worth.as_ref().map(|worth| (worth.saved_s * 1e3).round())
    }
}

#[test]
fn a_region_of_the_program_s_own_is_worth_what_it_computes() {
    let two = TraceOfTwo::new("own");
    assert_eq!(two.worth("CPUbound", "</Code/a.c/solve>", 0.1), Some(2000.0));
}

#[test]
fn a_function_has_its_share_of_all_computing() {
    // 8 of 9 s, of which rank 0 computes 6: its trace has no more than what was seen of the function.
    let two = TraceOfTwo::new("function");
    assert_eq!(two.worth("CPUbound", "</Code/a.c/main>", 0.5), Some(5333.0));
}

#[test]
fn ranks_together_are_cured_together() {
    let two = TraceOfTwo::new("together");
    let of = |processes: &str| two.worth("CPUbound", &format!("<{processes}>"), 0.5);
    assert_eq!([of("/Process/1"), of("/Process/(0,1)")], [Some(0.0), Some(6000.0)]);
}

#[test]
fn no_more_is_simulated_than_somebody_waits_for() {
    let two = TraceOfTwo::new("most");
    let bottleneck = |focus: &str| ReportedBottleneck {
        hypothesis: "CPUbound".to_owned(),
        focus: focus.to_owned(),
        ..ReportedBottleneck::default()
    };
    let bottlenecks = ["<>", "</Process/1>", "</Process/0>"].map(bottleneck);
    let mut report = Report { bottlenecks: bottlenecks.into(), ..Report::default() };
    // The trace has 7 events: it is simulated as it is, and with one thing changed.
    let left = add(&two.0, &mut report, 14).expect("the trace is sound");
    let known = report.bottlenecks.iter().filter(|one| one.worth.is_some()).count();
    assert_eq!((known, left), (1, 2));
}

#[test]
fn a_thread_that_is_no_rank_is_not_known() {
    let two = TraceOfTwo::new("thread");
    assert_eq!(two.worth("CPUbound", "</Process/0/1>", 0.5), None);
}

#[test]
fn processors_are_worth_the_computing_that_lacked_them() {
    // Rank 0 lacks one for a third of its 6 s.
    let two = TraceOfTwo::new("processors");
    let of = |hypothesis, value| two.worth(hypothesis, "<>", value);
    let found = [
        of("WaitingForProcessors", 0.3),
        of("WaitsCausedByProcessors", 0.3),
        of("OtherPrograms", 0.5),
    ];
    assert_eq!(found, [Some(2000.0), Some(2000.0), Some(1000.0)]);
}

#[test]
fn files_are_worth_their_time_and_single_ones_their_share_of_it() {
    let two = TraceOfTwo::new("files");
    let of = |focus, value| two.worth("ExcessiveIOBlockingTime", focus, value);
    let found = [of("<>", 1.0 / 16.0), of("</File/data>", 0.5 / 16.0)];
    assert_eq!(found, [Some(1000.0), Some(500.0)]);
}

#[test]
fn waits_for_locks_are_worth_as_long_as_they_were() {
    let two = TraceOfTwo::new("locks");
    let of = |hypothesis, focus, value| two.worth(hypothesis, focus, value);
    let found = [
        of("ExcessiveLockWaitingTime", "<>", 1.0 / 16.0),
        of("ExcessiveSyncWaitingTime", "</SyncObject/Mutex/m>", 0.5 / 16.0),
        of("ExcessiveSyncWaitingTime", "</SyncObject/CondVar>", 0.5 / 16.0),
    ];
    assert_eq!(found, [Some(1000.0), Some(500.0), None]);
}
