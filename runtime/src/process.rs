//! The process: whether it is measured, its region, its rank, its phases, its end.
//!
//! ```text
//!   Unknown ──attach──► Declined                        no run directory, a launcher, a shell
//!                └────► Wanted ──first thread──► Attached
//!   any ──fork──► (wiped) Unknown ──forked_child──► Wanted or Declined
//! ```
//! The region is made when the first thread registers: at load, but in a forked child, which may soon
//! become another program, only at its first event.

use crate::environ::{self, settings};
use crate::lock::Held;
use crate::patch::{self, pool, site};
pub(crate) use crate::process_status::Stage;
use crate::switch::{self, WIPE_ON_FORK};
use crate::view::Tables;
use crate::{agent, clock, fork, kernel, map, strings, thread};
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use whyperf_layout::{NO_BASE, NO_RANK, State, VERSION};

static TABLES: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
static FAMILY: AtomicU32 = AtomicU32::new(0);

/// Constructor of the library: decides whether this process is measured; creates nothing yet.
pub fn attach() {
    if stage() != Stage::Unknown as u32 {
        return;
    }
    let wanted = environ::read();
    if wanted {
        clock::choose();
        switch::wipe_on_fork();
        thread::prepare();
        pool::prepare();
    }
    let stage = if wanted { Stage::Wanted } else { Stage::Declined };
    WIPE_ON_FORK.stage.decide(stage);
    fork::remember(wanted);
}

/// Whether events may be recorded at all.
#[inline(always)]
#[must_use]
pub fn is_measured() -> bool {
    stage() >= Stage::Wanted as u32
}

/// Whether the first registration is still to come.
#[inline(always)]
pub(crate) fn is_awaited() -> bool {
    stage() == Stage::Wanted as u32
}

#[inline(always)]
fn stage() -> u32 {
    WIPE_ON_FORK.stage.glance()
}

/// The region's tables, `None` while there is no region.
pub(crate) fn tables() -> Option<Tables> {
    WIPE_ON_FORK.stage.is(Stage::Attached).then(|| {
        // SAFETY: stored before the stage; stays mapped in a process at this stage.
        unsafe { Tables::at(TABLES.load(Ordering::Relaxed)) }
    })
}

/// Whether these are the tables of the present measurement, and not of one before.
pub(crate) fn is_present(tables: Tables) -> bool {
    TABLES.load(Ordering::Relaxed) == tables.base()
}

/// The region's tables, made now if they are wanted; `None` when this process is not measured.
#[cold]
pub(crate) fn make() -> Option<Tables> {
    if WIPE_ON_FORK.stage.is(Stage::Wanted) {
        make_region();
    }
    tables()
}

/// Apart from [`make`], whose callers may have little stack.
#[cold]
#[inline(never)]
fn make_region() {
    let held = Held::take();
    if is_awaited() {
        let made = map::create(settings(), &held);
        let stage = if let Some((tables, slots)) = made {
            fill(tables, slots, &held);
            TABLES.store(tables.base(), Ordering::Relaxed);
            Stage::Attached
        } else {
            Stage::Declined
        };
        // Changes nothing when the region was damaged meanwhile; then nothing is to be measured.
        WIPE_ON_FORK.stage.resolve(stage);
    }
    drop(held);
    // A forked child may have its parent's patched code, and nobody else to restore it.
    if settings().functions || patch::is_needed() {
        agent::start();
    }
}

/// The region cannot be trusted any more: nothing is measured from here on, in no child either.
/// Called by a signal handler, too.
#[cold]
#[inline(never)]
pub(crate) fn give_up() {
    fork::remember(false);
    WIPE_ON_FORK.stage.set(Stage::Declined);
    switch::all_off();
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
    let parent = TABLES.load(Ordering::Relaxed);
    if !parent.is_null() {
        // SAFETY: the parent's region, whose mapping the child inherited.
        fork::inherit(unsafe { Tables::at(parent) }, tables, held);
    }
    header.program.store(strings::append(tables, settings.program(), held), Ordering::Relaxed);
    header.program_base.store(settings.program_base.unwrap_or(NO_BASE), Ordering::Relaxed);
    header.state.store(State::Running as u32, Ordering::Relaxed);
    header.publish();
}

/// Place in `MPI_COMM_WORLD`, known when `MPI_Init` returns; also starts the agent.
pub fn set_world(rank: i32, size: u32) {
    let Some(tables) = make() else { return };
    let header = tables.header();
    header.rank.store(rank, Ordering::Relaxed);
    header.world_size.store(size, Ordering::Relaxed);
    header.mpi_ticks.store(clock::now(), Ordering::Relaxed);
    agent::start();
}

/// Wakes the agent, also when the region was given up.
pub(crate) fn wake_agent() {
    let base = TABLES.load(Ordering::Relaxed);
    if !base.is_null() {
        // SAFETY: stored when the region was made; its memory is never unmapped.
        kernel::futex_wake(&unsafe { Tables::at(base) }.commands().doorbell);
    }
}

/// Which MPI this is, numbered as in the header.
pub fn set_family(family: u32) {
    FAMILY.store(family, Ordering::Relaxed);
    if let Some(tables) = tables() {
        tables.header().mpi_family.store(family, Ordering::Relaxed);
    }
}

/// Whether a launcher announced a rank: the process will probably call `MPI_Init`.
#[must_use]
pub fn is_rank_from_environment() -> bool {
    is_measured() && settings().rank.is_some()
}

/// The program enters a new phase.
pub fn phase(name: &[u8]) {
    let Some(tables) = make() else { return };
    let held = Held::take();
    let header = tables.header();
    let count = header.phase_count.load(Ordering::Relaxed);
    header.phase_name.store(phase_name(tables, name, count, &held), Ordering::Relaxed);
    header.phase_count.store(count.wrapping_add(1), Ordering::Relaxed);
}

/// Keeps a phase's name, once: a program that announces each of its steps would fill the strings with the same few.
fn phase_name(tables: Tables, name: &[u8], count: u32, held: &Held) -> u32 {
    let mut known = PHASE_NAMES.iter().map(|at| at.load(Ordering::Relaxed));
    known.find(|at| strings::holds(tables, *at, name, held)).unwrap_or_else(|| {
        let at = strings::append(tables, name, held);
        PHASE_NAMES[count as usize % PHASE_NAMES.len()].store(at, Ordering::Relaxed);
        at
    })
}

/// Where names of phases that began lately are kept.
static PHASE_NAMES: [AtomicU32; 32] = [const { AtomicU32::new(0) }; 32];

/// Switches everything off until [`resume`]; visits that are open still end.
pub fn pause() {
    set_paused(true);
}

/// Brings back the switches that the daemon wants.
pub fn resume() {
    set_paused(false);
}

fn set_paused(paused: bool) {
    let Some(tables) = make() else { return };
    let held = Held::take();
    let header = tables.header();
    header.paused.store(u32::from(paused), Ordering::Relaxed);
    for id in 1..header.region_count.load(Ordering::Relaxed) as u16 {
        let wanted = tables.region(id).switched.load(Ordering::Relaxed) != 0;
        switch::set(id, wanted && !paused);
    }
    drop(held);
}

/// The process ends in order (`exit`, `_exit`).
pub fn leave() {
    let Some(tables) = own() else { return };
    site::note_all_missed(tables);
    tables.header().leave(clock::now());
}

/// Whether this process is the one that is measured, and not a child of `vfork` in its memory.
#[must_use]
pub fn is_own() -> bool {
    own().is_some()
}

/// The process is about to become another program.
pub fn replaced() {
    set_state(State::Replaced);
}

/// It did not: `exec` returned.
pub fn not_replaced() {
    set_state(State::Running);
}

fn set_state(state: State) {
    if let Some(tables) = own() {
        tables.header().set_state(state);
    }
}

/// Before a fork, in the thread that forks: remembers what is open, for the child to continue.
pub fn forking() {
    fork::before();
}

/// In the child of a fork: it gets a region of its own at its first event.
pub fn forked_child() {
    fork::child();
}

/// The tables if they are this process's own. A child made by `vfork` runs in its parent's
/// memory: it must not say that the parent leaves.
pub(crate) fn own() -> Option<Tables> {
    tables().filter(|t| t.header().pid.load(Ordering::Relaxed) == kernel::process_id())
}
