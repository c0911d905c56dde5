//! A measurement that begins in a process that runs already, and may end before it does.
//!
//! ```text
//!   begin   settings ─► region ─► slots for the threads that are there ─► agent
//!   end     code restored ─► calls go their old way ─► "left" ─► all off ─► slots become private zeros
//! ```
//! The library stays loaded and is asleep after the end: a thread that is still inside of a wrapper comes out of it, and a
//! later `begin` makes a new region. Numbers of regions and objects stay valid, for the new tables begin as a copy of the
//! old ones.

use crate::attach_request::AttachOutcome;
use crate::environ::Late;
use crate::lock::Held;
use crate::measurement::{self, Children};
use crate::patch;
use crate::process_status::MeasurementStage;
use crate::switch::{self, WIPE_ON_FORK};
use crate::{agent_thread, clock, creation, environ, process, registration, sigbus_handler};
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

static IS_LATE: AtomicBool = AtomicBool::new(false);
/// What is to be done first of all when it ends.
static AT_END: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Whether the measurement began in a running process: what was called before was not seen.
#[must_use]
pub fn is_late() -> bool {
    IS_LATE.load(Ordering::Relaxed)
}

/// Begins; `at_end` is called when the measurement ends, by a thread that the C library may not know.
///
/// # Safety
/// No other thread begins a measurement.
pub unsafe fn begin(late: &Late<'_>, at_end: extern "C" fn()) -> AttachOutcome {
    if measurement::is_measured() {
        return AttachOutcome::Already;
    }
    // SAFETY: it is not measured, and by the caller's contract this is the one thread that begins.
    if !unsafe { environ::set(late) } || !environ::has_room() {
        return AttachOutcome::Declined;
    }
    clock::choose();
    switch::wipe_on_fork();
    registration::prepare();
    registration::begin_again();
    IS_LATE.store(true, Ordering::Relaxed);
    AT_END.store(at_end as *mut (), Ordering::Relaxed);
    measurement::decide_on_children(Children::Measured);
    agent_thread::await_end();
    switch::forget_functions();
    WIPE_ON_FORK.agent.store(0, Ordering::Relaxed);
    WIPE_ON_FORK.leaving.store(0, Ordering::Relaxed);
    WIPE_ON_FORK.stage.decide(MeasurementStage::Wanted);
    let Some(tables) = creation::make() else {
        measurement::decide_on_children(Children::Unmeasured);
        return AttachOutcome::Failed;
    };
    sigbus_handler::forget_parents();
    registration::adopt(tables, late.threads);
    agent_thread::start();
    AttachOutcome::Measured
}

/// Ends the measurement after the code was restored; called under the lock, by the agent or by a thread of the program.
pub(crate) fn end() {
    let at_end = AT_END.swap(core::ptr::null_mut(), Ordering::Relaxed);
    if !at_end.is_null() {
        // SAFETY: only functions of this type are ever stored.
        let at_end = unsafe { core::mem::transmute::<*mut (), extern "C" fn()>(at_end) };
        at_end();
    }
    process::go_on_alone();
    measurement::decide_on_children(Children::Unmeasured);
    WIPE_ON_FORK.stage.set(MeasurementStage::Declined);
    switch::all_off();
    sigbus_handler::forget_slots();
    sigbus_handler::remove();
    patch::forget_handlers();
}

/// The same, asked for by a thread of the process itself.
pub fn take_over() {
    // It would sleep on at the bell of the old region.
    let away = agent_thread::send_away();
    let held = Held::take();
    if measurement::is_measured() {
        end();
    }
    drop(held);
    agent_thread::call_back(away);
}
