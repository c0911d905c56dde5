//! Counts kernel events of threads: as many as the program counts itself, and at the same places; a counter that the
//! machine does not have is named.

use serde_json::Value;

use crate::report::{Run, bounded, run_by, run_with};
use crate::shipped::Load;
use crate::{programs, shipped};

/// A run of the program that counts its own faults: in the smaller and the larger function, and in all; and its switches.
fn run(options: &[&str]) -> (Run, [f64; 4]) {
    let program = programs::with_code().join("code/faults").display().to_string();
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(options, &[program, "2000".to_owned()]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let known = run.stdout.split_whitespace().map(|word| word.parse().expect("a number"));
    let known = known.collect::<Vec<_>>().try_into().expect("four numbers");
    (run, known)
}

fn counter<'run>(run: &'run Run, name: &str) -> &'run Value {
    let found = run.list("counters").iter().find(|one| one["name"] == name);
    found.unwrap_or_else(|| panic!("no {name}; {}", run.shown()))
}

/// What is told of a function with what it calls, and by how much that may be off.
fn inclusive(run: &Run, function: &str) -> [f64; 2] {
    inclusive_of(run, "page-faults", function)
}

fn inclusive_of(run: &Run, name: &str, function: &str) -> [f64; 2] {
    let functions = counter(run, name)["functions"].as_array().expect("a list");
    let is_meant = |one: &&Value| one["function"].as_str().is_some_and(|it| it.ends_with(function));
    let found = functions.iter().find(is_meant);
    let found = found.unwrap_or_else(|| panic!("no {function}; {}", run.shown()));
    ["inclusive", "inclusive_plus_minus"].map(|member| found[member].as_f64().expect("a number"))
}

#[test]
fn threads_are_counted_as_the_program_counts_them() {
    let (run, [.., faults, switches]) =
        run(&["--no-store", "--counters", "page-faults,context-switches,PAPI_TOT_CYC"]);
    let total = |name: &str| counter(&run, name)["total"].as_f64().expect("a number");
    // It faults and is switched a little more after it has counted.
    let told = total("page-faults");
    assert!((0.999..1.002).contains(&(told / faults)), "{told} of {faults}; {}", run.shown());
    let told = total("context-switches");
    assert!((0.98..1.05).contains(&(told / switches)), "{told} of {switches}; {}", run.shown());
    let processes = counter(&run, "page-faults")["processes"].as_array().expect("a list");
    assert_eq!(processes.len(), 1, "{}", run.shown());
    let cycles = counter(&run, "cycles");
    if cycles["total"].is_null() {
        let named = "This machine has no counter for cycles: of these nothing is known.";
        assert!(run.stderr.contains(named), "{}", run.stderr);
    }
}

#[test]
fn functions_have_the_faults_that_they_cause_within_what_is_told() {
    let larger = "</Code/faults.c/touch_much>";
    let (run, [little, much, ..]) = run(&["--no-store", "--measure", "page_faults", larger]);
    for (function, known) in [("/touch_little", little), ("/touch_much", much)] {
        let [told, error] = inclusive(&run, function);
        // That is 95 of 100; twice as much is all but sure.
        assert!(
            (told - known).abs() <= 2.0 * error.max(0.01 * known),
            "{function}: {told} ± {error} of {known}; {}",
            run.shown()
        );
    }
    let [_, error] = inclusive(&run, "/touch_much");
    assert!(error < 0.5 * much, "so much is no estimate: {error}; {}", run.shown());
    let [measured] = run.list("measured") else { panic!("one was asked for") };
    let told = measured["total"].as_f64().expect("a number");
    let plus_minus = measured["plus_minus"].as_f64().expect("an estimate");
    assert!((told - much).abs() <= 2.0 * plus_minus.max(0.01 * much), "{measured} of {much}");
}

/// A processor's counters are counted and placed as the kernel's are: here they are simulated by a clock, which the program reads itself.
#[test]
fn counters_of_a_processor_are_counted_and_placed() {
    let folder = programs::with_code().join("code");
    let _turn = shipped::turn(Load::Computes);
    let mut whyperf = bounded(&shipped::whyperf());
    whyperf.env("LD_PRELOAD", folder.join("simulated_counters.so"));
    let words = [folder.join("clocked").display().to_string(), "60".to_owned()];
    let options = ["--no-store", "--counters", "instructions,PAPI_L1_DCM,LLC-loads"];
    let run = run_by(whyperf, &options, &words);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let known = run.stdout.split_whitespace().map(|word| word.parse().expect("a number"));
    let known: [f64; 3] = known.collect::<Vec<_>>().try_into().expect("three numbers");
    for name in ["instructions", "L1-dcache-load-misses", "LLC-loads"] {
        let number = |member: &str| counter(&run, name)[member].as_f64().expect("a number");
        // What it ran before it was met, nothing says but for how long.
        let told = number("total") + 1e9 * number("uncounted_s");
        let is_near = (0.995..1.005).contains(&(told / known[2]));
        assert!(is_near, "{name}: {told} of {known:?}; {}", run.shown());
        for (function, known) in [("/little", known[0]), ("/much", known[1])] {
            let [told, error] = inclusive_of(&run, name, function);
            let is_near = (told - known).abs() <= 2.0 * error.max(0.01 * known);
            assert!(is_near, "{name} {function}: {told} ± {error} of {known}; {}", run.shown());
        }
    }
}

#[test]
fn what_was_not_asked_for_is_not_counted() {
    let (run, _) = run(&["--no-store", "--no-search"]);
    assert!(run.list("counters").is_empty(), "{}", run.shown());
}
