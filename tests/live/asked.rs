//! What is asked for by name is measured, and the cost of measuring is taken off it.

use std::path::Path;
use std::process::Command;

use crate::report::{Run, bounded, run_by};
use crate::{programs, shipped};
use serde_json::Value;

fn interface_program(command: Command, name: &str, options: &[&str]) -> Run {
    let program = programs::with_interface().join(name);
    let _alone = shipped::machine();
    let run = run_by(command, options, &[program.display().to_string()]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    run
}

#[test]
fn pairs_by_name_are_answered_with_totals_and_notes() {
    let solve = "</Code/begin_end.c/solve>";
    let nothing = "</Code/begin_end.c/nothing>";
    let options = ["--measure", "calls", solve, "--measure", "wall", nothing];
    let run = interface_program(bounded(&shipped::whyperf()), "api/begin_end", &options);
    let [calls, wall] = run.list("measured") else { panic!("two were asked for") };
    assert_eq!(calls["metric"], "calls");
    assert_eq!(calls["focus"], "</Code/begin_end.c/solve,/Machine,/Process,/SyncObject>");
    let total = calls["total"].as_f64().expect("a number");
    assert!((total - 1000.0).abs() < 0.5, "its own, not those of step below: {calls}");
    assert!(calls["note"].is_null(), "{calls}");
    assert!(wall["note"].as_str().is_some_and(|note| note.contains("never seen")), "{wall}");
    assert!(run.stderr.contains("Measured"), "{}", run.stderr);
}

/// What became of a question about `work` of a program that knows how often it calls it.
#[derive(Debug)]
struct Count {
    known: f64,
    total: f64,
    covered: f64,
    note: String,
}

impl Count {
    /// Of a life of `counted`, in which a call takes so many nanoseconds.
    fn of(life: &str, nanoseconds: &str) -> Self {
        Self::by(bounded(&shipped::whyperf()), life, nanoseconds)
    }

    /// The same by a command that runs whyperf in its own way.
    fn by(command: Command, life: &str, nanoseconds: &str) -> Self {
        let program = programs::with_code().join("code/counted").display().to_string();
        let focus = "</Code/counted.c/work>";
        let options = ["--no-store", "--code-search", "none", "--measure", "calls", focus];
        let _alone = shipped::machine();
        let words = [program, life.to_owned(), nanoseconds.to_owned()];
        let run = run_by(command, &options, &words);
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        let told = run.stderr.lines().filter_map(|line| line.strip_suffix(" calls of work"));
        let [calls] = run.list("measured") else { panic!("one was asked for") };
        Self {
            known: told.map(|calls| calls.parse::<f64>().expect("a number")).sum(),
            total: calls["total"].as_f64().expect("a number"),
            covered: calls["covered_s"].as_f64().expect("a time"),
            note: calls["note"].as_str().unwrap_or_default().to_owned(),
        }
    }

    fn error(&self) -> f64 {
        self.total / self.known - 1.0
    }

    fn is_exact(&self) -> bool {
        self.note.is_empty() && (self.total - self.known).abs() < 0.5
    }

    /// Right to a tenth, and said to be an estimate, or said to be a lower bound, and one.
    fn is_fair(&self) -> bool {
        let is_bound = self.note.contains("lower bound") && self.error() <= 0.1;
        let is_estimate = self.note.contains("too hot: covered") && self.error().abs() <= 0.1;
        self.is_exact() || is_bound || is_estimate
    }
}

#[test]
fn calls_that_are_not_too_many_are_told_exactly() {
    for life in ["at-once", "mild", "late-fork", "later"] {
        let count = Count::of(life, "40");
        assert!(count.is_exact(), "{life}: {count:?}");
    }
}

#[test]
fn children_that_end_before_anybody_looks_are_counted() {
    let count = Count::of("short-forks", "40");
    assert!(count.is_exact(), "{count:?}");
}

#[test]
fn a_burst_at_the_very_end_is_not_lost() {
    let count = Count::by(before_others(), "burst", "100");
    assert!(count.total >= 1000.0 && count.is_fair(), "{count:?}");
}

/// Runs whyperf before all other work, where that is allowed, in a session of its own: with other work on the machine windows are few, and
/// fall where the program runs more often than where it waits.
fn before_others() -> Command {
    let first = "{ echo -20 > /proc/self/autogroup; } 2> /dev/null; exec nice -n -20 \"$0\" \"$@\"";
    let mut command = bounded(Path::new("setsid"));
    command.args(["--wait", "sh", "-c", first]).arg(shipped::whyperf());
    command
}

/// The first of some tries that is right.
fn is_right(life: &str, nanoseconds: &str) {
    let mut tries = Vec::new();
    while tries.len() < TRIES {
        let count = Count::by(before_others(), life, nanoseconds);
        assert!(count.covered > 0.0 && !count.note.is_empty(), "{life}: {count:?}");
        let is_estimate = count.note.contains("too hot: covered");
        if is_estimate && count.error().abs() <= 0.1 {
            return;
        }
        tries.push(count);
    }
    panic!("{life}: {tries:?}");
}

/// After so many that were wrong, it is not the other work.
const TRIES: usize = 6;

#[test]
fn what_is_too_hot_is_estimated_for_the_time_it_was() {
    is_right("hot", "40");
    is_right("quiet-hot", "40");
    is_right("hot-quiet", "40");
}

#[test]
fn what_is_too_hot_in_two_threads_or_processes_is_estimated_for_each() {
    is_right("threads", "40");
    is_right("hot-fork", "40");
}

#[test]
fn nested_calls_take_the_time_that_they_take_unmeasured() {
    let mut tries = Vec::new();
    while tries.len() < TRIES {
        // Times are compared: one that was kept waiting for a processor is told, and says nothing.
        let error = error_of_nested_calls();
        if error.is_some_and(|error| error.abs() <= 0.1) {
            return;
        }
        tries.push(error);
    }
    panic!("{tries:?} of the overhead");
}

/// By which share of what the regions cost the time that is told differs from that without them.
fn error_of_nested_calls() -> Option<f64> {
    let run = interface_program(before_others(), "api/nested", &["--cost-limit", "99"]);
    let words: Vec<&str> = run.stdout.split_whitespace().collect();
    let seconds = |at: usize| words[at].parse::<f64>().expect("the program prints seconds");
    let (bare, with) = (seconds(1), seconds(3));
    let nested = |row: &&Value| row["path"][0] == "outer" || row["path"][0] == "middle";
    let rows = run.list("profile").iter().filter(nested);
    let told: f64 = rows.map(|row| row["exclusive_s"].as_f64().expect("a time")).sum();
    (seconds(5) > 0.98).then_some((told - bare) / (with - bare))
}
