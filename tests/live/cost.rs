//! Measuring costs no more than it may, over any second, whatever is called how often.

use crate::report::run_with;
use crate::{programs, shipped};

/// Searches in the code of a program, at this limit in percent; the worst second's share.
fn worst_second(name: &str, limit: f64) -> (f64, String) {
    let program = programs::of_cost().join("cost").join(name);
    let percent = limit.to_string();
    // Other work on the machine must not decide what counts as computing.
    let options = [
        "--no-store",
        "--code-search",
        "callgraph",
        "--threshold",
        "CPUbound=0.04",
        "--cost-limit",
        &percent,
    ];
    let run = run_with(&options, &[program.display().to_string(), SECONDS.to_owned()]);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    let cost = &run.report["cost"];
    let number = |name: &str| cost[name].as_f64().expect("a number");
    assert!(number("mean") > 0.0 && number("max") >= number("mean"), "{}", run.shown());
    assert!((number("limit") - limit / 100.0).abs() < 1e-9, "{}", run.shown());
    (number("max"), run.shown())
}

fn keeps_to(name: &str, limits: &[f64]) {
    let _alone = shipped::machine();
    for limit in limits {
        let allowed = 1.1 * limit / 100.0;
        let runs = (0..TRIES).map(|_| worst_second(name, *limit));
        let mut seen = Vec::new();
        let kept = runs.inspect(|run| seen.push(run.clone())).any(|(worst, _)| worst <= allowed);
        assert!(kept, "{limit} % are allowed: {seen:?}");
    }
}

#[test]
fn of_a_leaf_called_a_hundred_million_times_a_second() {
    keeps_to("tiny_leaf", &LIMITS);
}

#[test]
fn of_many_functions_none_of_which_is_hot() {
    keeps_to("many_warm", &LIMITS);
}

#[test]
fn of_threads_that_are_busy_at_times() {
    keeps_to("busy_threads", &LIMITS);
}

#[test]
fn of_one_hot_function_among_a_hundred() {
    keeps_to("hot_procedure", &LIMITS);
}

#[test]
fn of_recursion() {
    keeps_to("recursion", &LIMITS);
}

#[test]
fn of_a_long_chain_of_calls() {
    keeps_to("deep_chain", &LIMITS);
}

#[test]
fn of_a_new_file_tens_of_thousands_of_times_a_second() {
    keeps_to("many_names", &LIMITS[..1]);
}

/// Percent of the time.
const LIMITS: [f64; 2] = [5.0, 1.0];
const SECONDS: &str = "4";
/// Looking at processes is charged, too, and takes longer on a machine that is busy with other things.
const TRIES: usize = 8;
