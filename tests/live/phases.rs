//! Searches phases of a program separately: each has its own reasons to be slow, whether the program or the user begins it.

use serde_json::Value;

use crate::launcher::Mpi;
use crate::report::{Run, run_with};
use crate::shipped::Load;
use crate::{programs, shipped};

fn two_phases(options: &[&str]) -> Run {
    let _turn = shipped::turn(Load::Fills);
    let mut words = Mpi::OpenMpi.launch(4);
    let program = programs::built_for(Mpi::OpenMpi).join("api/two_phases");
    words.extend([program.display().to_string(), SECONDS.to_owned()]);
    let run = run_with(&[&["--no-store"], options].concat(), &words);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    run
}

/// Whether a phase has a finding of this hypothesis at a focus with this name.
fn has(phase: &Value, hypothesis: &str, name: &str) -> bool {
    let found = phase["bottlenecks"].as_array().expect("a list");
    found.iter().any(|one| {
        one["hypothesis"] == hypothesis && one["focus"].as_str().is_some_and(|at| at.contains(name))
    })
}

#[test]
fn phases_that_the_program_announces_have_their_own_findings() {
    let run = two_phases(&[]);
    let [save, wait] = run.list("phases") else {
        panic!("two phases were announced: {}\n{}", run.report["phases"], run.shown());
    };
    assert_eq!((save["name"].as_str(), wait["name"].as_str()), (Some("save"), Some("2")));
    assert_eq!(save["end_s"], wait["begin_s"]);
    let shown = || format!("{save}\n{wait}\n{}", run.stderr);
    assert!(has(save, "ExcessiveIOBlockingTime", "/Code/two_phases.c/save"), "{}", shown());
    assert!(!has(save, "ExcessiveSyncWaitingTime", "/wait_for_work"), "{}", shown());
    assert!(
        has(wait, "ExcessiveSyncWaitingTime", "/Code/two_phases.c/wait_for_work"),
        "{}",
        shown()
    );
    assert!(!has(wait, "ExcessiveIOBlockingTime", "/save"), "{}", shown());
    assert!(run.stderr.contains("phase save begins") && run.stderr.contains("Phase 2"));
}

#[test]
fn phases_begin_at_times_and_the_program_s_own_can_be_left_out() {
    let run = two_phases(&["--no-phases", "--phase-at", "1s,2.5"]);
    let phases = run.list("phases");
    let names: Vec<&str> = phases.iter().filter_map(|phase| phase["name"].as_str()).collect();
    assert_eq!(names, ["#1", "#2"], "{}", run.shown());
    let begins: Vec<f64> = phases.iter().filter_map(|phase| phase["begin_s"].as_f64()).collect();
    assert!(begins[0] >= 0.9 && begins[1] >= 2.4, "{begins:?}");
}

/// Of each phase: long enough to judge it on a machine that does other things, too.
const SECONDS: &str = "4";
