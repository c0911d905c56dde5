//! The Poisson solver, version A: the exchange and its tags are named, in C and Fortran, by both
//! MPIs, while the program still runs.

use std::time::Duration;

use crate::launcher::Mpi;
use crate::report::{Run, is_concluded, run_until};
use crate::shipped::Load;
use crate::{programs, shipped};

/// Runs it until the exchange is named with each of its tags.
fn poisson_a(mpi: Mpi, language: &str, exchange: &str) -> Run {
    let program = programs::built_for(mpi).join(format!("poisson/{language}/oned"));
    let mut words = mpi.launch(4);
    words.push(program.display().to_string());
    words.extend(size(mpi).map(str::to_owned));
    let _turn = shipped::turn(Load::Fills);
    run_until(&["--no-store"], &words, Duration::ZERO, |said| {
        TAGS.iter().all(|tag| is_concluded(said, SYNC, &[exchange, tag]))
    })
}

/// Grid, and more iterations than anybody waits for. Ranks of MPICH do not yield while they wait, so with more ranks than cores an
/// iteration takes a time slice or two.
fn size(mpi: Mpi) -> [&'static str; 2] {
    match mpi {
        Mpi::OpenMpi => ["1024", "200000"],
        Mpi::Mpich => ["600", "20000"],
    }
}

fn names_the_exchange(mpi: Mpi, language: &str, module: &str) {
    let exchange = format!("/Code/{module}/exchng1");
    let run = poisson_a(mpi, language, &exchange);
    assert_eq!(run.report["processes"], 4, "{}", run.shown());
    let found = run.bottlenecks();
    for object in TAGS {
        assert!(
            found.iter().any(|b| b.hypothesis == SYNC
                && b.leaf
                && b.focus.contains(&exchange)
                && b.focus.contains(object)),
            "nothing names {exchange} with {object}:\n{}",
            run.shown()
        );
    }
    let first = found.iter().map(|b| b.found).fold(f64::INFINITY, f64::min);
    let elapsed = run.report["elapsed_s"].as_f64().expect("a time");
    assert!(first < elapsed, "the first conclusion came after the end:\n{}", run.shown());
}

const SYNC: &str = "ExcessiveSyncWaitingTime";
const TAGS: [&str; 2] =
    ["/SyncObject/Message/MPI_COMM_WORLD/3", "/SyncObject/Message/MPI_COMM_WORLD/4"];

#[test]
fn open_mpi_c() {
    names_the_exchange(Mpi::OpenMpi, "c", "oned.c");
}

#[test]
fn open_mpi_fortran() {
    names_the_exchange(Mpi::OpenMpi, "fortran", "oned.f90");
}

#[test]
fn mpich_c() {
    names_the_exchange(Mpi::Mpich, "c", "oned.c");
}

#[test]
fn mpich_fortran() {
    names_the_exchange(Mpi::Mpich, "fortran", "oned.f90");
}
