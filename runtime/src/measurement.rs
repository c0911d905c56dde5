//! The measurement of this process: whether it exists, where its tables are, and how it ends.
//!
//! ```text
//!   Unknown ──load──► Declined                          no run directory, a launcher, a shell
//!                └──► Wanted ──first thread──► Attached
//!   any ──fork──► (wiped) Unknown ──fork::child──► Wanted or Declined
//! ```

use crate::kernel;
use crate::process_status::MeasurementStage;
use crate::switch::{self, WIPE_ON_FORK};
use crate::view::Tables;
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
use whyperf_layout::RegionState;

static TABLES: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
/// What becomes of processes that this one forks; not in a wipe-on-fork page, so that a child can tell.
static CHILDREN: AtomicU8 = AtomicU8::new(Children::Unmeasured as u8);

/// What becomes of processes that this one forks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Children {
    Unmeasured = 0,
    Measured = 1,
}

/// Decides on the processes that are forked from here on.
pub(crate) fn decide_on_children(children: Children) {
    CHILDREN.store(children as u8, Ordering::Relaxed);
}

/// Whether processes that this one forks are measured; asked by the child itself.
pub(crate) fn are_children_measured() -> bool {
    CHILDREN.load(Ordering::Relaxed) == Children::Measured as u8
}

/// The tables have been written, and are those of the measurement from here on.
pub(crate) fn set_tables(tables: Tables) {
    TABLES.store(tables.base(), Ordering::Relaxed);
}

/// The tables that were made last, also by the process that forked this one.
pub(crate) fn last_tables() -> Option<Tables> {
    let base = TABLES.load(Ordering::Relaxed);
    // SAFETY: stored when a region was made, whose tables are never unmapped; a child inherits the mapping.
    (!base.is_null()).then(|| unsafe { Tables::at(base) })
}

/// Whether events may be recorded at all.
#[inline(always)]
#[must_use]
pub fn is_measured() -> bool {
    stage() >= MeasurementStage::Wanted as u32
}

/// Whether the first registration is still to come.
#[inline(always)]
pub(crate) fn is_awaited() -> bool {
    stage() == MeasurementStage::Wanted as u32
}

#[inline(always)]
fn stage() -> u32 {
    WIPE_ON_FORK.stage.peek()
}

/// The region's tables, `None` while there is no region.
pub(crate) fn tables() -> Option<Tables> {
    WIPE_ON_FORK.stage.is(MeasurementStage::Attached).then(|| {
        // SAFETY: stored before the stage; stays mapped in a process at this stage.
        unsafe { Tables::at(TABLES.load(Ordering::Relaxed)) }
    })
}

/// Whether these are the tables of the present measurement, and not of one before.
pub(crate) fn is_present(tables: Tables) -> bool {
    TABLES.load(Ordering::Relaxed) == tables.base()
}

/// What the region holds cannot be what was recorded: the daemon is told, and nothing is measured from here on.
#[cold]
pub(crate) fn give_up_damaged() {
    if let Some(tables) = own() {
        tables.header().set_state(RegionState::GivenUp);
    }
    give_up();
}

/// The region cannot be trusted any more: nothing is measured from here on, in no child either.
/// Called by a signal handler, too.
#[cold]
#[inline(never)]
pub(crate) fn give_up() {
    decide_on_children(Children::Unmeasured);
    WIPE_ON_FORK.stage.set(MeasurementStage::Declined);
    switch::all_off();
}

/// The tables if they are this process's own. A child made by `vfork` runs in its parent's
/// memory: it must not say that the parent leaves.
pub(crate) fn own() -> Option<Tables> {
    tables().filter(|t| t.header().pid.load(Ordering::Relaxed) == kernel::process_id())
}

/// Whether this process is the one that is measured, and not a child of `vfork` in its memory.
#[must_use]
pub fn is_own() -> bool {
    own().is_some()
}

/// Wakes the agent, also when the region was given up.
pub(crate) fn wake_agent() {
    if let Some(tables) = last_tables() {
        kernel::futex_wake(&tables.commands().doorbell);
    }
}
