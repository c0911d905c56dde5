//! The efficiencies at the head of the report, of programs whose efficiencies are known.

use serde_json::Value;

use crate::launcher::Mpi;
use crate::report::{Run, run};
use crate::{programs, shipped};

fn measured(ranks: usize, pattern: &str) -> Run {
    let program = programs::built_for(Mpi::OpenMpi).join("efficiency/known");
    let mut words = Mpi::OpenMpi.launch(ranks);
    words.extend([program.display().to_string(), pattern.to_owned(), "5".to_owned()]);
    let _alone = shipped::machine();
    let run = run(&words);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    run
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
