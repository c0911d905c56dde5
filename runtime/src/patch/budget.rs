//! The agent's part of the budget: functions that rested go on, and those that are too hot get their bytes back.

use super::arm;
use crate::functions::site::Ran;
use crate::functions::{budget, site, windows};
use crate::lock::Held;
use crate::replies::tell;
use crate::switch::WIPE_ON_FORK;
use crate::view::Tables;
use core::sync::atomic::Ordering;
use whyperf_layout::{Answer, Reply};

/// The agent: functions that were too hot get their bytes back, those that rested go on if there is
/// room.
pub(crate) fn turn(tables: Tables, held: &Held) {
    for id in WIPE_ON_FORK.hot.drain() {
        cool(tables, id, held);
    }
    if WIPE_ON_FORK.resting.is_empty() {
        return;
    }
    let has_room = budget::wait() == 0;
    for id in WIPE_ON_FORK.resting.drain() {
        if WIPE_ON_FORK.in_windows.has(id) {
            windows::end_early(id);
        } else if !has_room {
            WIPE_ON_FORK.resting.add(id);
        } else if tables.region(id).switched.load(Ordering::Relaxed) != 0 {
            site::switch(tables, id, true, &mut Ran::default());
        }
    }
}

/// Tells the daemon that a function is too hot, and takes it out of the code: even off it would cost
/// the program something, so often it is called.
fn cool(tables: Tables, id: u16, held: &Held) {
    site::switch(tables, id, false, &mut Ran::default());
    let record = tables.region(id);
    record.switched.store(0, Ordering::Relaxed);
    let burst = budget::last_burst(id);
    let visits = (burst >> 32).max(1);
    record.hot_visits.store(visits, Ordering::Relaxed);
    let region = u32::from(id);
    tell(tables, Answer::unasked(Reply::TooHot { region, visits, burst }), held);
    let outcome = arm::disarm(tables, id, held);
    tell(tables, Answer::unasked(Reply::Disarmed { region, outcome }), held);
}
