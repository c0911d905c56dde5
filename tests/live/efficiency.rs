//! The efficiencies at the head of the report, of programs whose efficiencies are known.

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
fn is_about(run: &Run, [load_balance, communication]: [f64; 2]) {
    let told = &run.report["efficiency"];
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
fn one_rank_has_no_efficiency() {
    let run = measured(1, "uneven");
    assert!(run.report["efficiency"].is_null(), "{}", run.report["efficiency"]);
    assert!(!run.stderr.contains("parallel efficiency"), "{}", run.stderr);
}
