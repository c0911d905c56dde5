//! Jobs of both MPIs: the same is found as from the start, a second time too, and the results are right.

use std::fs;
use std::process::Command;

use crate::attached::Attached;
use crate::launcher::Mpi;
use crate::report::is_concluded;
use crate::shipped;
use crate::shipped::Load;
use crate::target::{Target, build};

/// Processes that a process started itself.
pub(crate) fn children(pid: u32) -> Vec<u32> {
    let path = format!("/proc/{pid}/task/{pid}/children");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

/// The first process below that is no launcher's.
fn rank_below(pid: u32) -> u32 {
    let mut at = pid;
    while let Some(child) = children(at).first() {
        at = *child;
    }
    at
}

/// The ranks of `ring.c`, under a command if one is given, which run until the input ends.
pub(crate) fn ring(mpi: Mpi, name: &str, under: &[&str]) -> Target {
    let name = format!("{name}-{}", mpi.name());
    let program = build("ring.c", &name, &format!("mpicc.{}", mpi.name()), &[]);
    let words = mpi.launch(4);
    let mut command = Command::new(&words[0]);
    Target::start(command.args(&words[1..]).args(under).arg(program))
}

/// Whether it is said that ranks wait at the barrier.
pub(crate) fn waits_are_told(said: &str) -> bool {
    is_concluded(said, "ExcessiveSyncWaitingTime", &[])
}

/// The first three ranks wait at the barrier for the fourth, and all are called by their ranks.
pub(crate) fn is_told_right(attached: &Attached) {
    assert_eq!(attached.status, Some(0), "{}", attached.said);
    assert_eq!(attached.report["processes"], 4, "{}", attached.said);
    assert!(attached.calls("meet", "MPI_Barrier") > 0, "{}", attached.said);
    assert!(attached.found("ExcessiveSyncWaitingTime", &[]), "{}", attached.said);
    let rows = attached.report["profile"].as_array().cloned().unwrap_or_default();
    for rank in 0..4 {
        let of_rank = rows.iter().any(|row| row["process"] == rank);
        assert!(of_rank, "rank {rank}: {}", attached.said);
    }
}

pub(crate) fn ends_right(target: Target) {
    assert_eq!(target.end(), (Some(0), "4 of 4 ranks are right\n".to_owned()));
}

fn is_watched(mpi: Mpi) {
    let _turn = shipped::turn(Load::Fills);
    let target = ring(mpi, "ring", &[]);
    // Once by the launcher, once by a rank.
    for pid in [target.pid(), rank_below(target.pid())] {
        is_told_right(&Attached::until(&["--all-of", &pid.to_string()], waits_are_told));
    }
    ends_right(target);
}

#[test]
fn of_open_mpi() {
    is_watched(Mpi::OpenMpi);
}

#[test]
fn of_mpich() {
    is_watched(Mpi::Mpich);
}
