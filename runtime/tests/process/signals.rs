//! Signal handlers that record events, between any two instructions of an event.

use crate::measured::{Slot, only, run};
use crate::{stepping, visit_from};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI32};
use std::thread;
use whyperf_layout::{Kind, SlotState};
use whyperf_runtime::Region;

static WORK: Region = Region::new(c"work", Kind::Read);
static HANDLER: Region = Region::new(c"handler", Kind::Read);
/// Runs `work` again and again, with the handler's visit after another instruction each time.
fn at_every_step(work: impl Fn(u64)) {
    stepping::at_every_step(|| visit_from(&HANDLER, 2, || ()), work);
}

fn check(region: &crate::measured::Region) {
    let slot = region.slot();
    // One visit before the rounds, and one round without the handler.
    let rounds = slot.visits(&["work"]) - 2;
    let handled = slot.visits(&["handler"]) + slot.visits(&["work", "handler"]) - 1;
    let dropped = slot.head().dropped.load(Relaxed);
    assert!(rounds > 50, "only {rounds} instructions");
    assert!(dropped > 0 && handled > 0, "{dropped} dropped, {handled} handled");
    assert_eq!(handled + dropped, rounds);
    assert_eq!(slot.anomalies(), 0);
    slot.check_whole();
}

fn first_visits() {
    visit_from(&WORK, 1, || ());
    visit_from(&HANDLER, 2, || ());
}

#[test]
fn a_handler_may_come_at_any_instruction_of_an_event() {
    check(&only(run(&[], || {
        first_visits();
        at_every_step(|_| visit_from(&WORK, 1, || ()));
    })));
}

#[test]
fn a_handler_may_come_at_any_instruction_of_a_new_node() {
    check(&only(run(&[], || {
        first_visits();
        at_every_step(|round| visit_from(&WORK, 0x1000 + round, || ()));
    })));
}

#[test]
fn a_handler_may_come_while_another_clock_or_folding_is_used() {
    check(&only(run(&[("WHYPERF_CALLPATH_DEPTH", "3")], || {
        first_visits();
        at_every_step(|_| visit_from(&WORK, 1, || ()));
    })));
}

#[test]
fn handlers_come_while_threads_begin() {
    let region = only(run(&[], || {
        first_visits();
        // SAFETY: the handler has the right type, and does what a handler may do.
        unsafe { libc::signal(libc::SIGUSR1, on_signal as *const () as libc::sighandler_t) };
        let (beginning, is_over) = (AtomicI32::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    signal(beginning.load(Relaxed));
                }
            });
            for _ in 0..THREADS {
                let begun = scope.spawn(|| {
                    // SAFETY: the call takes nothing.
                    beginning.store(unsafe { libc::gettid() }, Relaxed);
                    visit_from(&WORK, 1, || ());
                    beginning.store(0, Relaxed);
                });
                begun.join().unwrap();
            }
            is_over.store(true, Relaxed);
        });
    }));
    check_threads(&region);
}

#[test]
fn a_handler_may_be_the_first_to_record_in_a_thread() {
    let region = only(run(&[], || {
        first_visits();
        let work = || visit_from(&WORK, 1, || ());
        stepping::at_every_step_of_threads(|| visit_from(&HANDLER, 2, || ()), work);
    }));
    check_threads(&region);
}

/// All threads but the first did the work once, in one slot each, and ended.
fn check_threads(region: &crate::measured::Region) {
    let slots = region.slots();
    let is_live = |slot: &&Slot<'_>| slot.head().state.load(Relaxed) == SlotState::Live as u32;
    let live = slots.iter().filter(is_live).count();
    assert_eq!(live, 1, "a thread had two slots, or none at its end");
    let visits: u64 = slots.iter().map(|slot| slot.visits(&["work"])).sum();
    assert_eq!(visits, slots.len() as u64, "the measurement was given up");
    assert!(slots.len() > 50, "only {} threads", slots.len());
    slots.iter().for_each(Slot::check_whole);
}

const THREADS: u64 = 100;

extern "C" fn on_signal(_: libc::c_int) {
    visit_from(&HANDLER, 2, || ());
}

/// To a thread of this process, 0 for none.
fn signal(thread: i32) {
    if thread != 0 {
        // SAFETY: this process has a handler for the signal.
        unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, libc::SIGUSR1) };
    }
}
