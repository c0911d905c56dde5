//! The process, by what the program and its MPI announce: its rank, its phases, its pauses, its end.

use crate::environ::settings;
use crate::functions::site;
use crate::lock::Held;
use crate::measurement;
use crate::view::Tables;
use crate::{agent_thread, clock, creation, strings, switch, tracing};
use core::sync::atomic::{AtomicU32, Ordering};
use whyperf_layout::{Header, PAUSED_BY_DAEMON, PAUSED_BY_PROGRAM, RegionState};

/// Place in `MPI_COMM_WORLD`, known when `MPI_Init` returns; also starts the agent.
pub fn set_world(rank: i32, size: u32) {
    let Some(tables) = creation::make() else { return };
    let header = tables.header();
    header.rank.store(rank, Ordering::Relaxed);
    header.world_size.store(size, Ordering::Relaxed);
    header.mpi_ticks.store(clock::now(), Ordering::Relaxed);
    agent_thread::start();
}

/// Which MPI this is, numbered as in the header.
pub fn set_family(family: u32) {
    creation::FAMILY.store(family, Ordering::Relaxed);
    if let Some(tables) = measurement::tables() {
        tables.header().mpi_family.store(family, Ordering::Relaxed);
    }
}

/// Whether a launcher announced a rank: the process will probably call `MPI_Init`.
#[must_use]
pub fn is_rank_from_environment() -> bool {
    measurement::is_measured() && settings().rank.is_some()
}

/// The program enters a new phase.
pub fn phase(name: &[u8]) {
    let Some(tables) = creation::make() else { return };
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
    let Some(tables) = creation::make() else { return };
    set_pauses(tables, |by| by | PAUSED_BY_PROGRAM, 0, &Held::take());
}

/// Brings back the switches that the daemon wants.
pub fn resume() {
    let Some(tables) = creation::make() else { return };
    set_pauses(tables, |by| by & !PAUSED_BY_PROGRAM, 0, &Held::take());
}

/// The daemon pauses the measurement: only this region, if it is one, is recorded on.
pub(crate) fn pause_but_for(kept: u16, tables: Tables, held: &Held) {
    set_pauses(tables, |by| by | PAUSED_BY_DAEMON, kept, held);
}

/// The daemon lets it go on.
pub(crate) fn resume_for_daemon(tables: Tables, held: &Held) {
    set_pauses(tables, |by| by & !PAUSED_BY_DAEMON, 0, held);
}

/// Whether the daemon paused the measurement.
pub(crate) fn is_paused_by_daemon(tables: Tables) -> bool {
    tables.header().paused.load(Ordering::Relaxed) & PAUSED_BY_DAEMON != 0
}

fn set_pauses(tables: Tables, change: impl FnOnce(u32) -> u32, kept: u16, _: &Held) {
    let header = tables.header();
    let by = change(header.paused.load(Ordering::Relaxed));
    header.paused.store(by, Ordering::Relaxed);
    for id in 1..header.region_count.load(Ordering::Relaxed) as u16 {
        let wanted = tables.region(id).switched.load(Ordering::Relaxed) != 0;
        let goes_on = by == 0 || by == PAUSED_BY_DAEMON && id == kept;
        switch::set(id, wanted && goes_on);
    }
}

/// The process ends in order (`exit`, `_exit`).
pub fn leave() {
    tracing::leave();
    end(|header| header.leave(clock::now()));
}

/// The process is measured no further, and goes on.
pub(crate) fn go_on_alone() {
    end(|header| header.go_on_alone(clock::now()));
}

fn end(say: impl FnOnce(&Header)) {
    let Some(tables) = measurement::own() else { return };
    site::note_all_missed(tables);
    say(tables.header());
}

/// The process is about to become another program.
pub fn replaced() {
    tracing::leave();
    set_state(RegionState::Replaced);
}

/// It did not: `exec` returned.
pub fn not_replaced() {
    set_state(RegionState::Running);
}

fn set_state(state: RegionState) {
    if let Some(tables) = measurement::own() {
        tables.header().set_state(state);
    }
}
