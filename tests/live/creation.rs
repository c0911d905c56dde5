//! Making a communicator together is waiting for the one that comes late, whatever is watched meanwhile.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::launcher::Mpi;
use crate::report::{Run, run, run_with};
use crate::shipped::Load;
use crate::{programs, shipped};

#[test]
fn waiting_for_a_new_communicator_is_waiting() {
    let (words, _) = late_to_create();
    let _turn = shipped::turn(Load::Computes);
    assert_is_found(&run(&words));
}

#[test]
fn it_is_so_while_the_function_that_waits_is_watched() {
    let (words, guest) = late_to_create();
    let function = format!("</Code/{}/MPI_Comm_dup>", library(&guest));
    let all = "</SyncObject/Collective>";
    let asked = [
        ("calls", function.as_str()),
        ("sync_wait", &function),
        ("compute", &function),
        ("sync_wait", all),
        ("sync_ops", all),
    ];
    let mut options = vec!["--no-store", "--code-search", "none"];
    options.extend(asked.iter().flat_map(|(metric, focus)| ["--measure", metric, focus]));
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(&options, &words);
    assert_is_found(&run);
    let totals = run.list("measured").iter();
    let totals: Vec<f64> = totals.filter_map(|one| one["total"].as_f64()).collect();
    let [calls, waited, computed, waited_in_all, waits] = totals[..] else {
        panic!("five were asked for: {totals:?}")
    };
    assert!((calls - CALLS).abs() < 0.5 && (waits - CALLS).abs() < 0.5, "{totals:?}");
    assert!(waited > 0.9 * waited_in_all && waited <= waited_in_all, "{totals:?}");
    assert!(computed.abs() < f64::EPSILON, "what a wrapped call does is no computing: {totals:?}");
}

fn late_to_create() -> (Vec<String>, PathBuf) {
    let mut words = Mpi::Mpich.launch(2);
    let guest = programs::built_for(Mpi::Mpich).join("guests/late_to_create");
    words.push(guest.display().to_string());
    (words, guest)
}

/// The file name of a program's MPI library.
fn library(program: &Path) -> String {
    let output = Command::new("ldd").arg(program).output().expect("the C library has it");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let path = text.split_whitespace().find(|word| word.starts_with('/') && word.contains("mpi"));
    let path = path.unwrap_or_else(|| panic!("{} uses MPI:\n{text}", program.display()));
    let path = Path::new(path).canonicalize().expect("the loader found it");
    let name = path.file_name().and_then(|name| name.to_str());
    name.expect("a library has a name").to_owned()
}

fn assert_is_found(run: &Run) {
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let is_found = run.bottlenecks().iter().any(|one| {
        one.hypothesis == "ExcessiveSyncWaitingTime"
            && one.focus.contains("/SyncObject/Collective/Comm_dup")
    });
    assert!(is_found, "{}", run.shown());
}

/// Two ranks make 24 communicators each.
const CALLS: f64 = 48.0;
