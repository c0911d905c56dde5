//! The command under test, and the turn to measure with it.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::release::folder;

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
