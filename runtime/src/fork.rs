//! Fork: the child leaves its parent's region alone and continues in one of its own.
//!
//! `creation` makes that region at the child's first event.

use crate::functions::{counts, site};
use crate::measurement;
use crate::patch;
use crate::process_status::MeasurementStage;
use crate::switch::{self, WIPE_ON_FORK};
use crate::{registration, startup_barrier};

/// Before a fork, in the thread that forks: remembers what is open, for the child to continue.
pub fn before() {
    registration::before_fork();
}

/// In the child of a fork, whose only thread this is: it gets a region of its own at its first event.
pub fn child() {
    // The pages are as they were: nothing was ever measured here.
    if WIPE_ON_FORK.stage.peek() == MeasurementStage::Declined as u32 {
        return;
    }
    switch::wipe();
    registration::after_fork();
    counts::forget();
    site::begin_again();
    if measurement::are_children_measured() {
        WIPE_ON_FORK.stage.set(MeasurementStage::Wanted);
        startup_barrier::child();
    } else {
        WIPE_ON_FORK.stage.set(MeasurementStage::Declined);
        // It may be a copy of a process that is just being left.
        patch::restore_fork();
    }
}
