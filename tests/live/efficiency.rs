//! The efficiencies at the head of the report, of programs whose efficiencies are known.

use serde_json::Value;

use crate::launcher::Mpi;
use crate::report::{Run, run};
use crate::{programs, shipped};

fn measured(ranks: usize, pattern: &str) -> Run {
    watched(&launched(ranks, &[&program(), pattern, "5"]))
}

fn program() -> String {
    programs::built_for(Mpi::OpenMpi).join("efficiency/known").display().to_string()
}

fn launched(ranks: usize, program: &[&str]) -> Vec<String> {
    let mut words = Mpi::OpenMpi.launch(ranks);
    words.extend(program.iter().map(|&word| word.to_owned()));
    words
}

fn watched(words: &[String]) -> Run {
    let _alone = shipped::machine();
    let run = run(words);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    run
}

/// A script that does one after the other.
fn script(jobs: &[Vec<String>]) -> Run {
    let lines: Vec<String> = jobs.iter().map(|words| words.join(" ")).collect();
    watched(&["sh", "-c", &lines.join("; ")].map(String::from))
}

/// Load balance and communication, within five points.
fn is_about(run: &Run, expected: [f64; 2]) {
    is_near(&run.report["efficiency"], expected, run);
}

fn is_near(told: &Value, [load_balance, communication]: [f64; 2], run: &Run) {
    let one = |name: &str| told[name].as_f64().unwrap_or_else(|| panic!("{name}: {told}"));
    let near = |told: f64, expected: f64| (told - expected).abs() <= 0.05;
    assert!(near(one("load_balance"), load_balance), "{told}\n{}", run.stderr);
    assert!(near(one("communication"), communication), "{told}\n{}", run.stderr);
    assert!(near(one("parallel"), load_balance * communication), "{told}\n{}", run.stderr);
    assert!(run.stderr.contains("parallel efficiency"), "{}", run.stderr);
}

#[test]
fn uneven_work_is_a_loss_of_balance() {
    is_about(&measured(2, "uneven"), [0.75, 1.0]);
}

#[test]
fn four_ranks_of_one_to_four_units() {
    is_about(&measured(4, "uneven"), [0.625, 1.0]);
}

#[test]
fn taking_turns_is_a_loss_of_communication() {
    is_about(&measured(2, "turns"), [1.0, 0.5]);
}

#[test]
fn each_phase_has_its_own() {
    let run = measured(2, "both");
    let named = |name: &str| {
        let named = run.list("phases").iter().find(|phase| phase["name"] == name);
        named.unwrap_or_else(|| panic!("no phase {name}:\n{}", run.stderr))
    };
    is_near(&named("2")["efficiency"], [0.75, 1.0], &run);
    is_near(&named("3")["efficiency"], [1.0, 0.5], &run);
}

#[test]
fn one_rank_has_no_efficiency() {
    let run = measured(1, "uneven");
    assert!(run.report["efficiency"].is_null(), "{}", run.report["efficiency"]);
    assert!(!run.stderr.contains("parallel efficiency"), "{}", run.stderr);
}

#[test]
fn jobs_of_a_script_are_balanced_each_for_itself() {
    let job = |ranks, seconds| launched(ranks, &[&program(), "uneven", seconds]);
    let run = script(&[job(4, "5"), job(2, "2")]);
    let (first, second) = (4.0 * 5.0, 2.0 * 2.0);
    is_about(&run, [(0.625 * first + 0.75 * second) / (first + second), 1.0]);
}

#[test]
fn each_job_of_a_script_has_its_phases() {
    let job = || launched(2, &[&program(), "both", "2"]);
    let run = script(&[job(), job()]);
    let names: Vec<&Value> = run.list("phases").iter().map(|phase| &phase["name"]).collect();
    assert_eq!(names, ["2", "3", "2", "3"], "{}", run.stderr);
}

#[test]
fn what_wraps_the_program_of_a_rank_is_no_rank() {
    let inside = format!("cat /dev/null; {} uneven 5; cat /dev/null", program());
    is_about(&watched(&launched(2, &["sh", "-c", &inside])), [0.75, 1.0]);
}
