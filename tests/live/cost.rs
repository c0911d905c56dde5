//! Checks that measuring costs no more than the limit, however often functions are called.
//!
//! The worst second in percent depends on what else runs, because reading processes is charged, too:
//! `cargo bench --bench promises` reports it.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::busy_shells::BusyShells;
use crate::report::{Run, bounded, run_by, run_with};
use crate::shipped::Load;
use crate::{programs, shipped};

/// Searches in the code of a program, at this limit in percent.
fn searched(name: &str, limit: f64) -> Run {
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
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(&options, &[program.display().to_string(), SECONDS.to_owned()]);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    run
}

/// Seconds that calls of functions have cost at least, if all of this many were counted one by one.
fn least_cost(run: &Run) -> f64 {
    let functions = |row: &&Value| {
        let path = row["path"].as_array().and_then(|path| path.last());
        path.and_then(|last| last.as_str()).is_some_and(|name| !WRAPPED.contains(&name))
    };
    let rows = run.list("profile").iter().filter(functions);
    let calls: f64 = rows.filter_map(|row| row["calls"].as_f64()).sum();
    calls * LEAST
}

fn keeps_to(name: &str, limits: &[f64]) {
    for limit in limits {
        let run = searched(name, *limit);
        let cost = &run.report["cost"];
        let number = |name: &str| cost[name].as_f64().expect("a number");
        assert!(number("mean") > 0.0 && number("max") >= number("mean"), "{}", run.shown());
        assert!((number("limit") - limit / 100.0).abs() < 1e-9, "{}", run.shown());
        let elapsed = run.report["elapsed_s"].as_f64().expect("a time");
        let threads = run.report["threads"].as_f64().expect("a number");
        let (least, allowed) = (least_cost(&run), elapsed * threads * limit / 100.0);
        assert!(
            least <= allowed,
            "{name} at {limit} %: {allowed:.3} s are allowed, and events took {least:.3} s at least; {}",
            run.shown()
        );
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

/// In a crowd who changes code may lose the processor in the midst of a change. The program must not spend its next turn on traps: those are
/// time in the kernel, and it asks for nothing else there.
#[test]
fn of_a_hot_function_in_a_crowd() {
    let processor = a_processor();
    let program = programs::with_code().join("code/counted").display().to_string();
    let _turn = shipped::turn(Load::Fills);
    let pinned = |command: &mut Command, program: &Path| {
        command.args(["-c", &processor]).arg(program);
    };
    let _crowd = BusyShells::start(12, || {
        let mut shell = Command::new("taskset");
        pinned(&mut shell, Path::new("sh"));
        shell
    });
    let mut whyperf = bounded(Path::new("taskset"));
    pinned(&mut whyperf, &shipped::whyperf());
    let focus = "</Code/counted.c/work>";
    let options = ["--no-store", "--code-search", "none", "--measure", "calls", focus];
    let run = run_by(whyperf, &options, &[program, "crowded".to_owned(), "40".to_owned()]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let seconds = run.stdout.split_whitespace().map(|word| word.parse::<f64>().expect("seconds"));
    let [own, in_kernel]: [f64; 2] = seconds.collect::<Vec<_>>().try_into().expect("two numbers");
    assert!(run.total("work", "calls") > 0, "{}", run.shown());
    assert!(in_kernel < 0.1 * own, "{in_kernel} s beside {own} s; {}", run.shown());
}

/// One on which this process may run.
fn a_processor() -> String {
    let status = fs::read_to_string("/proc/self/status").expect("the kernel tells");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let number = |list: &str| list.trim().chars().take_while(char::is_ascii_digit).collect();
    list.map(number).expect("there is one")
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

/// The program pauses the measurement itself, and times its own steps; whyperf finds the same from outside, by how often they come.
#[test]
fn of_events_is_by_its_check_what_the_program_finds_it_to_be() {
    let program = programs::of_cost().join("cost/knows_its_cost").display().to_string();
    let options = ["--no-store", "--verify-cost", "--cost-limit", "90", "--code-search", "none"];
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(&options, &[program, "7".to_owned()]);
    let own = run.stdout.split_whitespace().map(|word| word.parse::<f64>().expect("a share"));
    let [own, error]: [f64; 2] = own.collect::<Vec<_>>().try_into().expect("two numbers");
    let checked = &run.report["cost"]["checked"];
    assert_eq!(checked["by"], "region step", "{}", run.shown());
    let [told, plus_minus] =
        ["slower", "plus_minus"].map(|name| checked[name].as_f64().expect("it is known"));
    // Both are right within their intervals 19 times of 20; twice as far is never.
    let apart = (told - own).abs();
    assert!(own > 0.05 && apart <= 2.0 * (plus_minus + error), "{own} ± {error}; {checked}");
}

/// The program knows what being measured takes of its calls. A call that finds the measurement paused takes a little, too, which it does not see.
#[test]
fn of_calls_of_a_library_is_told_as_the_program_finds_it() {
    let program = programs::of_cost().join("cost/known_calls").display().to_string();
    let options = ["--no-store", "--no-search", "--code-search", "none"];
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(&options, &[program]);
    let own = run.stdout.split_whitespace().map(|word| word.parse::<f64>().expect("a number"));
    let [more, calls]: [f64; 2] = own.collect::<Vec<_>>().try_into().expect("two numbers");
    let number = |value: &Value| value.as_f64().expect("a number");
    let seconds = number(&run.report["elapsed_s"]) * number(&run.report["cost"]["events"]);
    let told = 1e9 * seconds / calls;
    assert!((0.7 * more..2.0 * more + 10.0).contains(&told), "{more} ns: {told}\n{}", run.shown());
}

/// Percent of the time.
const LIMITS: [f64; 2] = [5.0, 1.0];
const SECONDS: &str = "4";
/// Seconds that a visit takes at least: it reads the clock twice, on any processor so far.
const LEAST: f64 = 10e-9;
/// Calls that are always counted, and not for a search.
const WRAPPED: [&str; 6] = ["open", "close", "read", "write", "unlink", "printf"];
