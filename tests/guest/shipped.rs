//! Finds what is under test: the shared object as it is shipped, and the test programs built from source.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The shared object, which must have been built before.
pub(crate) fn library() -> PathBuf {
    let path = folder().join("libwhyperf.so");
    assert!(path.exists(), "{} is missing: run `cargo build --release` first", path.display());
    path
}

/// A program of `tests/programs` that needs no MPI, such as `guests/crash`.
pub(crate) fn program(name: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| build(&["plain", "api"])).join(name)
}

/// A program of `tests/programs` for Open MPI.
pub(crate) fn mpi_program(name: &str) -> PathBuf {
    let out = out();
    build(&["MPI=openmpi", &format!("{}/{name}", out.display())]);
    out.join(name)
}

fn folder() -> PathBuf {
    if let Some(folder) = std::env::var_os("WHYPERF_TEST_BIN_DIR") {
        return folder.into();
    }
    let own = std::env::current_exe().expect("a running test has a path");
    own.ancestors().nth(3).expect("tests run from <target>/<profile>/deps").join("release")
}

fn out() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("guest-programs")
}

fn build(targets: &[&str]) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let built = Command::new("make")
        .arg("-C")
        .arg(sources)
        .args(["-s", "-j2"])
        .arg(format!("OUT={}", out().display()))
        .args(targets)
        .output()
        .expect("`make` runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    out()
}
