//! What is called hundreds of millions of times a second is told right when it is asked for by name.

use crate::report::run_with;
use crate::{programs, shipped};

/// What was told of a function of `tiny`, by what the program itself says.
#[derive(Debug)]
struct Told {
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
        let _alone = shipped::machine();
        let run = run_with(&options, &[program, kind.into(), SECONDS.into(), threads.into()]);
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        let known = run.stderr.lines().find_map(known);
        let (calls, time) = known.unwrap_or_else(|| panic!("it says: {}", run.stderr));
        let [told_calls, told_time] = run.list("measured") else { panic!("two were asked for") };
        let note = told_time["note"].as_str().unwrap_or_default().to_owned();
        assert!(note.contains("too hot: covered"), "{note}");
        Self {
            calls: told_calls["total"].as_f64().expect("a number") / calls,
            time: told_time["total"].as_f64().expect("a time") / time,
            samples: sampled(&note).unwrap_or(0.0) / PERIOD,
            note,
            calls_note: told_calls["note"].as_str().unwrap_or_default().to_owned(),
        }
    }

    fn is_right(&self) -> bool {
        (self.calls - 1.0).abs() <= 0.1 && self.is_time_right()
    }

    /// By a few hundred samples the share of a third is known to some percent.
    fn is_time_right(&self) -> bool {
        if self.samples == 0.0 {
            return self.note.contains("may not be sampled");
        }
        (self.time - 1.0).abs() <= 0.1
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

/// Of a few tries one is right: with other work on the machine samples and windows are few.
fn is_right(kind: &str, function: &str, threads: &str) {
    let mut tries = Vec::new();
    for _ in 0..TRIES {
        let told = Told::of(kind, function, threads);
        if told.is_right() {
            return;
        }
        tries.push(told);
    }
    let starved = tries.iter().all(|told| told.samples > 0.0 && told.samples < FEW);
    if starved {
        println!("other work had the processors: {kind}: {tries:?}");
        return;
    }
    panic!("{kind}: {tries:?}");
}

#[test]
fn a_function_of_three_nanoseconds_that_does_all() {
    is_right("two", "two", "1");
}

#[test]
fn a_function_of_three_nanoseconds_that_does_a_third() {
    is_right("two-of-six", "two", "1");
}

#[test]
fn a_function_of_nine_nanoseconds() {
    is_right("six", "six", "1");
    is_right("six-of-eight", "six", "1");
}

#[test]
fn a_function_of_three_nanoseconds_in_four_threads() {
    is_right("two", "two", "4");
}

#[test]
fn calls_that_are_shorter_than_what_counts_them_are_said_to_be_too_few() {
    let told = Told::of("one", "one", "1");
    let is_said = told.calls_note.contains("longer while they are counted");
    assert!(told.calls <= 1.1 && (is_said || told.calls >= 0.9), "{told:?}");
}

const SECONDS: &str = "5";
const TRIES: usize = 4;
/// Seconds of running from sample to sample.
const PERIOD: f64 = 0.004;
/// Samples that tell no tenth of a third.
const FEW: f64 = 400.0;
