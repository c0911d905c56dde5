//! The Poisson solver, version A: the exchange and its tags are named, in C and Fortran, by both
//! MPIs, while the program still runs.

use crate::launcher::Mpi;
use crate::report::{Run, run};
use crate::{programs, shipped};

fn poisson_a(mpi: Mpi, language: &str) -> Run {
    let program = programs::built_for(mpi).join(format!("poisson/{language}/oned"));
    let mut words = mpi.launch(4);
    words.push(program.display().to_string());
    words.extend(size(mpi).map(str::to_owned));
    let _alone = shipped::machine();
    run(&words)
}

/// Grid and iterations for ten seconds and more of run time on two cores: the last tag takes four. Ranks of MPICH do not yield
/// while they wait, so with more ranks than cores an iteration takes a time slice or two.
fn size(mpi: Mpi) -> [&'static str; 2] {
    match mpi {
        Mpi::OpenMpi => ["1024", "9000"],
        Mpi::Mpich => ["600", "400"],
    }
}

fn names_the_exchange(mpi: Mpi, language: &str, module: &str) {
    let run = poisson_a(mpi, language);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    assert_eq!(run.report["processes"], 4, "{}", run.shown());
    let found = run.bottlenecks();
    let exchange = format!("/Code/{module}/exchng1");
    for tag in ["3", "4"] {
        let object = format!("/SyncObject/Message/MPI_COMM_WORLD/{tag}");
        assert!(
            found.iter().any(|b| b.hypothesis == "ExcessiveSyncWaitingTime"
                && b.leaf
                && b.focus.contains(&exchange)
                && b.focus.contains(&object)),
            "nothing names {exchange} with {object}:\n{}",
            run.shown()
        );
    }
    let first = found.iter().map(|b| b.found).fold(f64::INFINITY, f64::min);
    let elapsed = run.report["elapsed_s"].as_f64().expect("a time");
    assert!(first < elapsed, "the first conclusion came after the end:\n{}", run.shown());
    assert!(run.stdout.contains("difference"), "the program's own output: {:?}", run.stdout);
}

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
