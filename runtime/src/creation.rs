//! The creation of the region: its file is made and mapped, and its tables begin as a copy of those before them.
//!
//! It is made when the first thread registers: at load, but in a forked child, which may soon become
//! another program, only at its first event.
//!
//! Numbers of regions and objects are kept in the program's and the probes' memory, which a forked child
//! inherits. So its tables begin as a copy of its parent's, and every number stays valid.

use crate::environ::{options, settings};
use crate::functions::site;
use crate::lock::Held;
use crate::process_status::MeasurementStage;
use crate::switch::{self, WIPE_ON_FORK};
use crate::view::Tables;
use crate::{agent_thread, clock, kernel, map, measurement, strings};
use core::sync::atomic::{AtomicU32, Ordering};
use whyperf_layout::geometry::STRINGS_SIZE;
use whyperf_layout::{NO_BASE, NO_RANK, RegionState, VERSION};

/// Which MPI this is, numbered as in the header; 0 while it is not known.
pub(crate) static FAMILY: AtomicU32 = AtomicU32::new(0);

/// The region's tables, made now if they are wanted; `None` when this process is not measured.
#[cold]
pub(crate) fn make() -> Option<Tables> {
    if WIPE_ON_FORK.stage.is(MeasurementStage::Wanted) {
        make_region();
    }
    measurement::tables()
}

/// Apart from [`make`], whose callers may have little stack.
#[cold]
#[inline(never)]
fn make_region() {
    let held = Held::take();
    if measurement::is_awaited() {
        let made = map::create(settings(), &held);
        let stage = if let Some((tables, slots)) = made {
            fill(tables, slots, &held);
            measurement::set_tables(tables);
            MeasurementStage::Attached
        } else {
            MeasurementStage::Declined
        };
        // Changes nothing when the region was damaged meanwhile; then nothing is to be measured.
        WIPE_ON_FORK.stage.resolve(stage);
    }
    drop(held);
    // A forked child may have its parent's patched code, and no other process restores it.
    if options().functions || site::is_any_changed() {
        agent_thread::start();
    }
}

/// Writes the header, and what a forked child inherits; the magic comes last.
fn fill(tables: Tables, slots: usize, held: &Held) {
    let header = tables.header();
    let settings = settings();
    header.version.store(VERSION, Ordering::Relaxed);
    header.slot_capacity.store(slots as u32, Ordering::Relaxed);
    header.pid.store(kernel::process_id(), Ordering::Relaxed);
    header.parent_pid.store(kernel::parent_id(), Ordering::Relaxed);
    header.rank.store(settings.rank.unwrap_or(NO_RANK), Ordering::Relaxed);
    header.world_size.store(settings.size, Ordering::Relaxed);
    header.mpi_family.store(FAMILY.load(Ordering::Relaxed), Ordering::Relaxed);
    header.clock_is_tsc.store(u32::from(clock::is_counter()), Ordering::Relaxed);
    header.start_ticks.store(clock::now(), Ordering::Relaxed);
    header.start_nanos.store(clock::nanos(), Ordering::Relaxed);
    header.strings_used.store(4, Ordering::Relaxed);
    header.region_count.store(1, Ordering::Relaxed);
    header.object_count.store(1, Ordering::Relaxed);
    map::reach_region(tables, 0, held);
    map::reach_object(tables, 0, held);
    if let Some(parent) = measurement::last_tables() {
        inherit(parent, tables, held);
        let is_copy = parent.header().pid.load(Ordering::Relaxed) != kernel::process_id();
        header.forked.store(u32::from(is_copy), Ordering::Relaxed);
    }
    header.program.store(strings::append(tables, settings.program(), held), Ordering::Relaxed);
    header.program_base.store(settings.program_base.unwrap_or(NO_BASE), Ordering::Relaxed);
    header.state.store(RegionState::Running as u32, Ordering::Relaxed);
    header.publish();
}

/// Copies what the child's numbers refer to. The parent may append meanwhile: the counts are read
/// first, and what lies below them is complete.
fn inherit(parent: Tables, child: Tables, held: &Held) {
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
        child.object(id).inherit(parent.object(id), strings as u32);
        to.object_count.store(u32::from(id) + 1, Ordering::Relaxed);
    }
    to.metadata.inherit(&from.metadata, strings as u32);
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
