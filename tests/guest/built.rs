//! Programs under test, built from source.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// A program of `tests/programs`, such as `guests/crash`, built now if it is not there.
pub(crate) fn program(name: &str) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guest-programs");
    let built = Command::new("make")
        .arg("-C")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs"))
        .args(["-s", "MPI=openmpi"])
        .arg(format!("OUT={}", out.display()))
        .arg(out.join(name))
        .output()
        .expect("`make` runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    out.join(name)
}
