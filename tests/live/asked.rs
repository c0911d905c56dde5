//! What is asked for by name is measured, and the cost of measuring is taken off it.

use crate::report::{Run, run_with};
use crate::{programs, shipped};
use serde_json::Value;

fn interface_program(name: &str, options: &[&str]) -> Run {
    let program = programs::with_interface().join(name);
    let _alone = shipped::machine();
    let run = run_with(options, &[program.display().to_string()]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    run
}

#[test]
fn pairs_by_name_are_answered_with_totals_and_notes() {
    let solve = "</Code/begin_end.c/solve>";
    let nothing = "</Code/begin_end.c/nothing>";
    let options = ["--measure", "calls", solve, "--measure", "wall", nothing];
    let run = interface_program("api/begin_end", &options);
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
        let program = programs::with_code().join("code/counted").display().to_string();
        let focus = "</Code/counted.c/work>";
        let options = ["--no-store", "--code-search", "none", "--measure", "calls", focus];
        let _alone = shipped::machine();
        let run = run_with(&options, &[program, life.to_owned(), nanoseconds.to_owned()]);
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
    let count = Count::of("burst", "100");
    assert!(count.total >= 1000.0 && count.is_fair(), "{count:?}");
}

/// The first of a few tries that is right: with other work on the machine, windows are few and far between.
fn is_right(life: &str, nanoseconds: &str) {
    let mut tries = Vec::new();
    for _ in 0..4 {
        let count = Count::of(life, nanoseconds);
        assert!(count.covered > 0.0 && !count.note.is_empty(), "{life}: {count:?}");
        let is_estimate = count.note.contains("too hot: covered");
        tries.push(count);
        let last = &tries[tries.len() - 1];
        if is_estimate && last.error().abs() <= 0.1 {
            return;
        }
    }
    if is_overrun() {
        println!("other work had the processors: {life}: {tries:?}");
        return;
    }
    panic!("{life}: {tries:?}");
}

/// Whether much more wants to run than there are processors: then a window shows too little of a program.
fn is_overrun() -> bool {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = text.split(' ').next().and_then(|load| load.parse::<f64>().ok()).unwrap_or(0.0);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    load > 3.0 * f64::from(u32::try_from(processors).unwrap_or(1))
}

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
    for _ in 0..6 {
        // Times are compared: one that was kept waiting for a processor says nothing.
        let Some(error) = error_of_nested_calls() else { continue };
        tries.push(error);
        if error.abs() <= 0.1 {
            return;
        }
    }
    if tries.is_empty() {
        println!("other work had the processors each time");
        return;
    }
    panic!("{tries:?} of the overhead");
}

/// By which share of what the regions cost the time that is told differs from that without them.
fn error_of_nested_calls() -> Option<f64> {
    let run = interface_program("api/nested", &["--cost-limit", "99"]);
    let words: Vec<&str> = run.stdout.split_whitespace().collect();
    let seconds = |at: usize| words[at].parse::<f64>().expect("the program prints seconds");
    let (bare, with) = (seconds(1), seconds(3));
    let nested = |row: &&Value| row["path"][0] == "outer" || row["path"][0] == "middle";
    let rows = run.list("profile").iter().filter(nested);
    let told: f64 = rows.map(|row| row["exclusive_s"].as_f64().expect("a time")).sum();
    (seconds(5) > 0.98).then_some((told - bare) / (with - bare))
}
