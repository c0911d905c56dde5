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
