//! A measurement that begins in a process that runs already, and may end before it does.
//!
//! ```text
//!   begin   settings ─► region ─► slots for the threads that are there ─► agent
//!   end     code restored ─► calls go their old way ─► "left" ─► all off ─► slots become private zeros
//! ```
//! The library stays loaded and is asleep after the end: whoever is still inside of a wrapper comes
//! out of it, and a later `begin` makes a new region. Numbers of regions and objects stay valid, for
//! the new tables begin as a copy of the old ones.

use crate::lock::Held;
use crate::patch::{self, pool};
use crate::process::Stage;
use crate::switch::{self, WIPE_ON_FORK};
use crate::{agent, clock, environ, fork, process, sigbus_handler, thread};
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// What is known from outside of a process that is to be measured from now on.
#[derive(Clone, Copy, Debug)]
pub struct Late<'a> {
    /// The run directory.
    pub directory: &'a [u8],
    /// Keep the last so many regions of a path, 0 for all.
    pub callpath_depth: u32,
    /// Rank that a launcher announced.
    pub rank: Option<i32>,
    /// Size of the job that a launcher announced, 0 if it did not.
    pub size: u32,
    /// Threads that are the program's own: their time counts from now on, whatever they call.
    pub threads: &'a [u32],
}

/// What became of an attempt to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Outcome {
    /// It is measured now.
    Measured = 0,
    /// It was measured already.
    Already = 1,
    /// It is one that is never measured.
    Declined = 2,
    /// No region could be made.
    Failed = 3,
    /// Calls of some objects would not be seen, and that is not enough.
    InPart = 4,
}

static IS_LATE: AtomicBool = AtomicBool::new(false);
/// What is to be done first of all when it ends.
static AT_END: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Whether the measurement began in a running process: what was called before was not seen.
#[must_use]
pub fn is_late() -> bool {
    IS_LATE.load(Ordering::Relaxed)
}

/// Begins; `at_end` is called when the measurement ends, by a thread that the C library may not know.
pub fn begin(late: &Late<'_>, at_end: extern "C" fn()) -> Outcome {
    if process::is_measured() {
        return Outcome::Already;
    }
    if !environ::set(late) {
        return Outcome::Declined;
    }
    clock::choose();
    switch::wipe_on_fork();
    thread::prepare();
    pool::prepare();
    thread::begin_again();
    IS_LATE.store(true, Ordering::Relaxed);
    AT_END.store(at_end as *mut (), Ordering::Relaxed);
    fork::remember(true);
    agent::await_end();
    switch::forget_functions();
    WIPE_ON_FORK.agent.store(0, Ordering::Relaxed);
    WIPE_ON_FORK.leaving.store(0, Ordering::Relaxed);
    WIPE_ON_FORK.stage.decide(Stage::Wanted);
    let Some(tables) = process::make() else {
        fork::remember(false);
        return Outcome::Failed;
    };
    sigbus_handler::forget_parents();
    thread::adopt(tables, late.threads);
    agent::start();
    Outcome::Measured
}

/// Ends the measurement after the code was restored; called under the lock, by the agent or by a thread of the program.
pub(crate) fn end() {
    let at_end = AT_END.swap(core::ptr::null_mut(), Ordering::Relaxed);
    if !at_end.is_null() {
        // SAFETY: only functions of this type are ever stored.
        let at_end = unsafe { core::mem::transmute::<*mut (), extern "C" fn()>(at_end) };
        at_end();
    }
    process::leave();
    fork::remember(false);
    WIPE_ON_FORK.stage.set(Stage::Declined);
    switch::all_off();
    sigbus_handler::forget_slots();
    sigbus_handler::remove();
    patch::forget_handlers();
}

/// The same, asked for by a thread of the process itself.
pub fn take_over() {
    // It would sleep on at the bell of the old region.
    let away = agent::send_away();
    let held = Held::take();
    if process::is_measured() {
        end();
    }
    drop(held);
    agent::call_back(away);
}
