//! Builds the programs of `tests/programs` once for each MPI.

use crate::launcher::Mpi;
use crate::release;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder of the sources.
pub(crate) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// The programs built for an MPI.
pub(crate) fn built_for(mpi: Mpi) -> &'static Path {
    static OPEN_MPI: OnceLock<PathBuf> = OnceLock::new();
    static MPICH: OnceLock<PathBuf> = OnceLock::new();
    let cell = match mpi {
        Mpi::OpenMpi => &OPEN_MPI,
        Mpi::Mpich => &MPICH,
    };
    cell.get_or_init(|| make("all", mpi.name()))
}

/// The programs that need no MPI.
pub(crate) fn plain() -> &'static Path {
    static PLAIN: OnceLock<PathBuf> = OnceLock::new();
    PLAIN.get_or_init(|| make("plain", "plain"))
}

/// The programs that use whyperf's own interface.
pub(crate) fn with_interface() -> &'static Path {
    static INTERFACE: OnceLock<PathBuf> = OnceLock::new();
    INTERFACE.get_or_init(|| make("api", "api"))
}

/// The programs in which a function is to be found.
pub(crate) fn with_code() -> &'static Path {
    static CODE: OnceLock<PathBuf> = OnceLock::new();
    CODE.get_or_init(|| make("code", "openmpi"))
}

/// The programs under which measuring shall not cost too much.
pub(crate) fn of_cost() -> &'static Path {
    static COST: OnceLock<PathBuf> = OnceLock::new();
    COST.get_or_init(|| make("cost", "plain"))
}

fn make(target: &str, name: &str) -> PathBuf {
    let out = release::folder().join("../programs").join(name);
    std::fs::create_dir_all(&out).expect("the target folder can be written");
    let out = out.canonicalize().expect("it was just made");
    // Other test programs build the same ones, perhaps just now.
    let turn = File::create(out.join(".turn")).expect("the folder can be written");
    turn.lock().expect("files can be locked");
    let jobs = std::thread::available_parallelism().map_or(1, |count| count.get());
    let output = Command::new("make")
        .arg(format!("-j{jobs}"))
        .arg("-C")
        .arg(sources())
        .arg(format!("OUT={}", out.display()))
        .arg(format!("MPI={name}"))
        .arg(target)
        .output()
        .expect("make is installed");
    assert!(
        output.status.success(),
        "make {target} MPI={name}:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    out
}
