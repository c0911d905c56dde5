//! Measures by name functions that are called hundreds of millions of times a second: their time by samples of the program
//! counter, and as many of their calls as could be counted.
//!
//! How close the number of calls comes depends on what else runs: `cargo bench --bench promises` tells it.

use crate::report::run_with;
use crate::shipped::Load;
use crate::{programs, shipped};

/// What was told of a function of `tiny`, by what the program itself says.
#[derive(Debug)]
struct Told {
    /// Calls that the program made, and those that were counted one by one.
    known: f64,
    counted: f64,
    /// What was told of calls and time, of what they were.
    calls: f64,
    time: f64,
    /// Samples, where the system allows them.
    samples: f64,
    note: String,
    calls_note: String,
}

impl Told {
    fn of(kind: &str, function: &str, threads: &str) -> Self {
        let program = programs::with_code().join("code/tiny").display().to_string();
        let focus = format!("</Code/tiny.c/{function}>");
        let mut options = vec!["--no-store", "--code-search", "none"];
        options.extend(["--measure", "calls", &focus, "--measure", "cpu", &focus]);
        let _turn = shipped::turn(Load::Computes);
        let run = run_with(&options, &[program, kind.into(), SECONDS.into(), threads.into()]);
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        let known = run.stderr.lines().find_map(known);
        let (calls, time) = known.unwrap_or_else(|| panic!("it says: {}", run.stderr));
        let [told_calls, told_time] = run.list("measured") else { panic!("two were asked for") };
        let note = told_time["note"].as_str().unwrap_or_default().to_owned();
        assert!(note.contains("too hot: covered"), "{note}");
        Self {
            known: calls,
            counted: run.total(function, "calls") as f64,
            calls: told_calls["total"].as_f64().expect("a number") / calls,
            time: told_time["total"].as_f64().expect("a time") / time,
            samples: sampled(&note).unwrap_or(0.0) / PERIOD,
            note,
            calls_note: told_calls["note"].as_str().unwrap_or_default().to_owned(),
        }
    }

    /// A share is known by so many samples to five times its standard error, which no run of a million exceeds, and to a
    /// tenth: a thread that waits for a processor at the end of a turn is found in what it ran last.
    fn is_time_right(&self, share: f64) -> bool {
        if self.samples == 0.0 {
            return self.note.contains("may not be sampled");
        }
        let error = ((1.0 - share) / share / self.samples).sqrt();
        self.is_near(self.time, 5.0 * error + 0.1)
    }

    /// As much as it was, to so much; less of a process that went on before it was measured, where that is said.
    fn is_near(&self, told: f64, error: f64) -> bool {
        let is_bound = self.note.contains("not in place before");
        told <= 1.0 + error && (is_bound || told >= 1.0 - error)
    }
}

/// `CALLS calls, SECONDS s in them`.
fn known(line: &str) -> Option<(f64, f64)> {
    let (calls, rest) = line.split_once(" calls, ")?;
    Some((calls.parse().ok()?, rest.strip_suffix(" s in them")?.parse().ok()?))
}

/// `.. found in SECONDS s of running`.
fn sampled(note: &str) -> Option<f64> {
    note.split_once("found in ")?.1.split_once(' ')?.0.parse().ok()
}

fn is_told(kind: &str, function: &str, threads: &str, share: f64) {
    let told = Told::of(kind, function, threads);
    assert!(told.is_time_right(share), "{kind}, a share of {share:.2}: {told:?}");
    assert!(told.counted > 0.0 && told.counted <= told.known, "{kind}: {told:?}");
    assert!(told.is_near(told.calls, 0.5), "{kind}: {told:?}");
}

#[test]
fn a_function_of_three_nanoseconds_that_does_all() {
    is_told("two", "two", "1", 1.0);
}

#[test]
fn a_function_of_three_nanoseconds_that_does_a_third() {
    is_told("two-of-six", "two", "1", 2.0 / 6.0);
}

#[test]
fn a_function_of_nine_nanoseconds() {
    is_told("six", "six", "1", 1.0);
    is_told("six-of-eight", "six", "1", 6.0 / 8.0);
}

#[test]
fn a_function_of_three_nanoseconds_in_four_threads() {
    is_told("two", "two", "4", 1.0);
}

#[test]
fn calls_that_are_shorter_than_what_counts_them_are_said_to_be_too_few() {
    let told = Told::of("one", "one", "1");
    assert!(told.calls_note.contains("longer while they are counted"), "{told:?}");
    assert!(told.counted <= told.known, "{told:?}");
}

/// A search asks about it, too, and stack samples answer: windows of a four-hundredth of the time would tell too little.
#[test]
fn a_search_finds_what_is_called_hundreds_of_millions_of_times() {
    let program = programs::with_code().join("code/tiny").display().to_string();
    let words = [program, "three-of-two-of-eight".into(), SECONDS.into()];
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(&["--no-store"], &words);
    let undecided = run.list("undecided").iter().filter_map(|one| one["reason"].as_str());
    let too_hot = undecided.filter(|reason| reason.contains("called too often"));
    assert_eq!(too_hot.collect::<Vec<_>>(), [""; 0], "{}", run.shown());
    let mut values = run.list("bottlenecks").iter().filter_map(|one| one["value"].as_f64());
    assert!(values.all(|value| value <= 1.0), "{}", run.shown());
}

/// Seconds of its own that each thread of the program runs.
const SECONDS: &str = "4";
/// Seconds of running from sample to sample.
const PERIOD: f64 = 0.004;
