//! Jobs of both MPIs: the same is found as from the start, a second time too, and the results are right.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

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

/// The program that a whyperf runs, beside which it has a process of its own.
pub(crate) fn program_of(whyperf: u32) -> Option<u32> {
    let is_own = |child: &u32| {
        let words = fs::read(format!("/proc/{child}/cmdline")).unwrap_or_default();
        words.starts_with(b"signal-witness") || words.is_empty()
    };
    children(whyperf).into_iter().find(|child| !is_own(child))
}

/// The first process below that is no launcher's.
fn rank_below(pid: u32) -> u32 {
    let mut at = pid;
    while let Some(child) = children(at).first() {
        at = *child;
    }
    at
}

/// The ranks of `ring.c`, which run until the input ends, and the file in which the last one counts rounds.
pub(crate) struct Ring {
    target: Target,
    counter: PathBuf,
}

impl Ring {
    /// Starts them, under a command if one is given.
    pub(crate) fn start(mpi: Mpi, name: &str, under: &[&str]) -> Self {
        let name = format!("{name}-{}", mpi.name());
        let program = build("ring.c", &name, &format!("mpicc.{}", mpi.name()), &[]);
        let counter = program.with_extension("rounds");
        let words = mpi.launch(4);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(under).arg(program).arg(&counter);
        Self { target: Target::start(&mut command), counter }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.target.pid()
    }

    /// Whether it is said that ranks wait at the barrier. Then each rank makes a few rounds more before it is answered: the last one
    /// may have been attached to just before, so that none of its calls was seen yet.
    pub(crate) fn are_waits_told(&self, said: &str) -> bool {
        if !is_concluded(said, "ExcessiveSyncWaitingTime", &[]) {
            return false;
        }
        let (begin, end) = (Instant::now(), self.rounds() + 3);
        while self.rounds() < end {
            assert!(begin.elapsed() < PATIENCE, "the ranks stand still");
            thread::yield_now();
        }
        true
    }

    fn rounds(&self) -> u64 {
        let bytes = fs::read(&self.counter).expect("the ranks made it");
        u64::from_ne_bytes(bytes.try_into().expect("a number"))
    }

    pub(crate) fn ends_right(self) {
        assert_eq!(self.target.end(), (Some(0), "4 of 4 ranks are right\n".to_owned()));
    }
}

/// No machine is so slow.
const PATIENCE: Duration = Duration::from_secs(60);

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

fn is_watched(mpi: Mpi) {
    let _turn = shipped::turn(Load::Fills);
    let ring = Ring::start(mpi, "ring", &[]);
    // Once by the launcher, once by a rank.
    for pid in [ring.pid(), rank_below(ring.pid())] {
        let words = ["--all-of", &pid.to_string()];
        is_told_right(&Attached::until(&words, |said| ring.are_waits_told(said)));
    }
    ring.ends_right();
}

#[test]
fn of_open_mpi() {
    is_watched(Mpi::OpenMpi);
}

#[test]
fn of_mpich() {
    is_watched(Mpi::Mpich);
}
