//! Signal handlers that record events, between any two instructions of an event.

use crate::measured::{only, run};
use crate::{stepping, visit_from};
use std::sync::atomic::Ordering::Relaxed;
use whyperf_layout::Kind;
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
