//! Fork: the child leaves its parent's region alone and continues in one of its own.
//!
//! Numbers of regions and objects are kept in the program's and the probes' memory, which the
//! child inherits. So its tables begin as a copy of the parent's, and every number stays valid.

use crate::lock::Held;
use crate::patch::{self, count, site};
use crate::process::Stage;
use crate::switch::{self, WIPE_ON_FORK};
use crate::view::Tables;
use crate::{clock, map, object, startup_barrier, thread};
use core::sync::atomic::{AtomicBool, Ordering};
use whyperf_layout::geometry::STRINGS_SIZE;

/// Whether the process that was loaded is measured; not in a wipe-on-fork page, so a child can tell.
static WANTED: AtomicBool = AtomicBool::new(false);

/// Keeps the constructor's decision for the children.
pub(crate) fn remember(wanted: bool) {
    WANTED.store(wanted, Ordering::Relaxed);
}

/// In the parent, before the fork.
pub(crate) fn before() {
    thread::before_fork();
}

/// In the child, whose only thread this is.
pub(crate) fn child() {
    // The pages are as they were: nothing was ever measured here.
    if WIPE_ON_FORK.stage.glance() == Stage::Declined as u32 {
        return;
    }
    switch::wipe();
    thread::after_fork();
    count::forget();
    site::begin_again();
    if WANTED.load(Ordering::Relaxed) {
        WIPE_ON_FORK.stage.set(Stage::Wanted);
        startup_barrier::child();
    } else {
        WIPE_ON_FORK.stage.set(Stage::Declined);
        // It may be a copy of a process that is just being left.
        patch::restore_fork();
    }
}

/// Copies what the child's numbers refer to. The parent may append meanwhile: the counts are read
/// first, and what lies below them is complete.
pub(crate) fn inherit(parent: Tables, child: Tables, held: &Held) {
    let (from, to) = (parent.header(), child.header());
    let regions = from.published_regions();
    let objects = from.published_objects();
    let strings = from.published_strings() as usize;
    let strings = strings.min(STRINGS_SIZE);
    if !map::reach_string(child, strings, held) {
        return;
    }
    // So many bytes are populated on both sides; published strings do not change.
    for (from, to) in parent.strings().iter().zip(child.strings()).take(strings.div_ceil(4)) {
        to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
    }
    to.strings_used.store(strings as u32, Ordering::Relaxed);
    for id in 1..regions as u16 {
        if !map::reach_region(child, id, held) {
            return;
        }
        copy_region(parent, child, id);
        to.region_count.store(u32::from(id) + 1, Ordering::Relaxed);
    }
    for id in 1..objects as u16 {
        if !map::reach_object(child, id, held) {
            break;
        }
        object::copy(parent, child, id, strings as u32);
        to.object_count.store(u32::from(id) + 1, Ordering::Relaxed);
    }
}

fn copy_region(parent: Tables, child: Tables, id: u16) {
    let (from, to) = (parent.region(id), child.region(id));
    for (source, target) in
        [(&from.name, &to.name), (&from.kind, &to.kind), (&from.switched, &to.switched)]
            .into_iter()
            .chain([(&from.form, &to.form)])
    {
        target.store(source.load(Ordering::Relaxed), Ordering::Relaxed);
    }
    to.address.store(from.address.load(Ordering::Relaxed), Ordering::Relaxed);
    to.code.store(from.code.load(Ordering::Relaxed), Ordering::Relaxed);
    if to.form.load(Ordering::Relaxed) != 0 && to.switched.load(Ordering::Relaxed) != 0 {
        to.uncover(clock::now());
    }
    let paused = parent.header().paused.load(Ordering::Relaxed);
    child.header().paused.store(paused, Ordering::Relaxed);
    switch::set(id, paused == 0 && to.switched.load(Ordering::Relaxed) != 0);
}
