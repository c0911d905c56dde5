//! The command under test, and turns to measure with it.

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::release::folder;

/// The command, which must have been built before.
pub(crate) fn whyperf() -> PathBuf {
    let path = folder().join("whyperf");
    assert!(path.exists(), "{} is missing: run `cargo build --release` first", path.display());
    path
}

/// What a program does with the processors while it is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// It mostly waits.
    Waits,
    /// One thread computes at a time.
    Computes,
    /// It takes all that there are, as ranks do that spin while they wait.
    Fills,
}

impl Load {
    fn weight(self) -> usize {
        match self {
            Self::Waits => 1,
            Self::Computes => 2,
            Self::Fills => CAPACITY,
        }
    }
}

/// A turn, which ends with the value.
#[derive(Debug)]
pub(crate) struct Turn(usize);

/// Waits until there is room beside what is measured now. No test needs the machine for itself: turns keep the whole from
/// taking longer than it would one by one.
pub(crate) fn turn(load: Load) -> Turn {
    let weight = load.weight();
    let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    let room = FREED.wait_while(taken, |taken| *taken + weight > CAPACITY);
    *room.unwrap_or_else(PoisonError::into_inner) += weight;
    Turn(weight)
}

impl Drop for Turn {
    fn drop(&mut self) {
        *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) -= self.0;
        FREED.notify_all();
    }
}

static TAKEN: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();
/// Four programs that wait, or two that compute.
const CAPACITY: usize = 4;
