//! Measures functions that end in jumps, which have no frame while the function they jumped to runs: by events where they
//! can be switched on, else by stack samples.

use serde_json::Value;

use crate::report::{Bottleneck, Run, run_with};
use crate::shipped::Load;
use crate::{programs, shipped};

/// A run of a program, and the seconds that it says it computed in two of its functions and in all.
fn run(program: &str, options: &[&str]) -> (Run, [f64; 3]) {
    let program = programs::with_code().join("code").join(program).display().to_string();
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(options, &[program]);
    let known = run.stdout.split_whitespace().map(|word| word.parse().expect("seconds"));
    let known = known.collect::<Vec<_>>().try_into().expect("three numbers");
    (run, known)
}

#[test]
fn one_that_cannot_be_switched_on_has_the_time_of_what_it_jumps_to() {
    let (run, [assembled, _, all]) =
        run("jumps_on", &["--no-store", "--threshold", "CPUbound=10%"]);
    let found = run.bottlenecks_of("CPUbound");
    let is_meant = |one: &&Bottleneck| one.focus.contains("/jumps_on.c/assemble,");
    let told = found.iter().find(is_meant).unwrap_or_else(|| panic!("{}", run.shown()));
    // Four seconds bring 700 stack samples: a share of a half is known to 0.1 by five standard errors.
    let error = told.value - assembled / all;
    assert!(error.abs() < 0.1, "{} of {assembled} of {all} s; {}", told.value, run.shown());
    let refused = run.list("refusals").iter().map(ToString::to_string);
    assert!(!refused.into_iter().any(|one| one.contains("assemble")), "{}", run.shown());
}

#[test]
fn a_main_that_jumped_on_has_the_time_of_what_it_jumped_to() {
    let program = programs::with_code().join("code/main_jumps_on").display().to_string();
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(&["--no-store", "--threshold", "CPUbound=10%"], &[program]);
    let found = run.bottlenecks_of("CPUbound");
    for function in ["main", "work"] {
        let focus = format!("/main_jumps_on.c/{function},");
        let told = found.iter().find(|one| one.focus.contains(&focus));
        let told = told.unwrap_or_else(|| panic!("{function} is not told; {}", run.shown()));
        assert!(told.value > 0.8, "{} in {function}; {}", told.value, run.shown());
    }
}

#[test]
fn one_that_is_on_has_the_time_of_what_it_jumps_to() {
    let code = |function: &str| format!("</Code/jumps_on.c/{function}>");
    let [relay, others] = ["relay", "others"].map(code);
    let options =
        ["--no-store", "--no-search", "--measure", "cpu", &relay, "--measure", "cpu", &others];
    let (run, [_, relayed, _]) = run("jumps_on", &options);
    let [relay, others] = run.list("measured") else { panic!("two were asked for") };
    let told = |pair: &Value| pair["total"].as_f64().expect("a number");
    let (relay, others) = (told(relay), told(others));
    assert!((0.75..1.05).contains(&(relay / relayed)), "{relay} of {relayed} s; {}", run.shown());
    assert!(others <= 1.001 * relay, "{others} of {relay} s; {}", run.shown());
}

#[test]
fn one_that_calls_its_caller_again_has_the_time_of_the_nested_call() {
    let (run, [refined, smoothed, all]) =
        run("calls_back", &["--no-store", "--threshold", "CPUbound=10%"]);
    let found = run.bottlenecks_of("CPUbound");
    for (function, known) in [("refine", refined), ("smooth", smoothed)] {
        let focus = format!("/calls_back.c/{function},");
        let told = found.iter().find(|one| one.focus.contains(&focus));
        let told = told.unwrap_or_else(|| panic!("{function} is not told; {}", run.shown()));
        let error = told.value - known / all;
        assert!(
            error.abs() < 0.1,
            "{function}: {} of {known} of {all} s; {}",
            told.value,
            run.shown()
        );
    }
}

#[test]
fn a_count_that_lacks_nested_calls_says_so() {
    let [smooth, relax] = ["smooth", "relax"].map(|name| format!("</Code/calls_back.c/{name}>"));
    let asked = ["--no-store", "--no-search", "--measure", "cpu", &smooth];
    let (run, [_, smoothed, _]) = run("calls_back", &asked);
    let told = |run: &Run, at: usize| {
        let measured = &run.list("measured")[at];
        let note = measured["note"].as_str().map(str::to_owned).unwrap_or_default();
        (measured["total"].as_f64().expect("a number"), note)
    };
    let (alone, note) = told(&run, 0);
    // How near it comes depends on what else runs; what is lacking beside the other function is more than half.
    assert!((alone - smoothed).abs() < 0.25 * smoothed && note.is_empty(), "{}", run.shown());
    let (run, [_, smoothed, _]) =
        self::run("calls_back", &[&asked[..], &["--measure", "cpu", &relax]].concat());
    let (beside, note) = told(&run, 0);
    assert!(
        beside < 0.7 * smoothed && note.starts_with("lower bound: it calls again"),
        "{}",
        run.shown()
    );
    let (_, note) = told(&run, 1);
    assert_eq!(note, "", "{}", run.shown());
}
