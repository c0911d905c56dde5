//! Finds what is under test: the built command and the shared object.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The folder with `whyperf` and `libwhyperf.so`.
pub(crate) fn folder() -> PathBuf {
    if let Some(folder) = std::env::var_os("WHYPERF_TEST_BIN_DIR") {
        return folder.into();
    }
    let own = std::env::current_exe().expect("a running test has a path");
    let target = own.ancestors().nth(3).expect("tests run from <target>/<profile>/deps");
    target.join("release")
}

/// The command, which must have been built before.
pub(crate) fn whyperf() -> PathBuf {
    let path = folder().join("whyperf");
    assert!(path.exists(), "{} is missing: run `cargo build --release` first", path.display());
    path
}

/// Held while a program is measured: two at a time would disturb each other's times.
pub(crate) fn machine() -> MutexGuard<'static, ()> {
    static MACHINE: Mutex<()> = Mutex::new(());
    MACHINE.lock().unwrap_or_else(PoisonError::into_inner)
}
