//! Jobs of both MPIs: the same is found as from the start, a second time too, and the results are right.

use std::fs;
use std::process::Command;

use crate::attached::Attached;
use crate::launcher::Mpi;
use crate::shipped;
use crate::shipped::Load;
use crate::target::{Target, build};

/// Seconds that the job runs.
const JOB: &str = "15";

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

fn is_watched(mpi: Mpi) {
    let program =
        build("ring.c", &format!("ring-{}", mpi.name()), &format!("mpicc.{}", mpi.name()), &[]);
    let _turn = shipped::turn(Load::Fills);
    let words = mpi.launch(4);
    let mut command = Command::new(&words[0]);
    let target = Target::start(command.args(&words[1..]).arg(program).arg(JOB));
    // Once by the launcher, once by a rank.
    for (pid, seconds) in [(target.pid(), "6"), (rank_below(target.pid()), "2")] {
        let attached = Attached::with(&["--duration", seconds, "--all-of", &pid.to_string()]);
        assert_eq!(attached.status, Some(0), "{}", attached.said);
        assert_eq!(attached.report["processes"], 4, "{}", attached.said);
        assert!(attached.calls("meet", "MPI_Barrier") > 0, "{}", attached.said);
        // The second look is too short to conclude anything.
        if pid == target.pid() {
            is_told_right(&attached);
        }
    }
    let (status, text) = target.end();
    assert_eq!((status, text.as_str()), (Some(0), "4 of 4 ranks are right\n"));
}

/// The first three ranks wait at the barrier for the fourth, and all are called by their ranks.
fn is_told_right(attached: &Attached) {
    assert!(attached.found("ExcessiveSyncWaitingTime", &[]), "{}", attached.said);
    let rows = attached.report["profile"].as_array().cloned().unwrap_or_default();
    for rank in 0..4 {
        let of_rank = rows.iter().any(|row| row["process"] == rank);
        assert!(of_rank, "rank {rank}: {}", attached.said);
    }
}

#[test]
fn of_open_mpi() {
    is_watched(Mpi::OpenMpi);
}

#[test]
fn of_mpich() {
    is_watched(Mpi::Mpich);
}
