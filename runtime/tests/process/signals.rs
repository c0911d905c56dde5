//! Signal handlers that record events, between any two instructions of an event.
//!
//! The processor's own single step: a trap after every instruction, and at one of them, each in
//! its turn, the handler records a visit of its own.

use crate::measured::{only, run};
use crate::visit_from;
use std::arch::asm;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use whyperf_layout::Kind;
use whyperf_runtime::Region;

static WORK: Region = Region::new(c"work", Kind::Read);
static HANDLER: Region = Region::new(c"handler", Kind::Read);
static STEPS: AtomicU64 = AtomicU64::new(0);
static WANTED: AtomicU64 = AtomicU64::new(0);

extern "C" fn on_step(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if STEPS.fetch_add(1, Relaxed) == WANTED.load(Relaxed) {
        visit_from(&HANDLER, 2, || ());
        // SAFETY: the kernel passes the interrupted context, whose trap flag is cleared here.
        unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[FLAGS] &= !TRAP };
    }
}

const FLAGS: usize = libc::REG_EFL as usize;
const TRAP: i64 = 0x100;
/// Instructions that are tried at most; where there are more, evenly spread ones.
const TRIED: u64 = 120;

/// Runs `work` again and again, with the handler's visit after another instruction each time.
fn at_every_step(work: impl Fn(u64)) {
    // SAFETY: the handler has the right type, and does what a handler may do.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_step as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGTRAP, &raw const action, std::ptr::null_mut());
    }
    let all = steps_until(u64::MAX, || work(0));
    for (round, wanted) in (0..all).step_by(all.div_ceil(TRIED) as usize).enumerate() {
        steps_until(wanted, || work(round as u64 + 1));
    }
}

/// Runs `work` with the handler's visit after instruction `wanted`; answers how many there were.
fn steps_until(wanted: u64, work: impl Fn()) -> u64 {
    WANTED.store(wanted, Relaxed);
    STEPS.store(0, Relaxed);
    // SAFETY: sets the trap flag, which the handler above serves.
    unsafe { asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq") };
    work();
    // SAFETY: clears it again.
    unsafe { asm!("pushfq", "and qword ptr [rsp], ~0x100", "popfq") };
    STEPS.load(Relaxed)
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
