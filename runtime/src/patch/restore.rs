//! Restores all functions: each gets the compiler's bytes back, for good, or as far as that can be done now.

use super::arm;
use crate::functions::announced;
use crate::functions::site::{self, SiteState};
use crate::lock::Held;
use crate::switch;
use crate::view::Tables;
use core::sync::atomic::{AtomicU64, Ordering};

/// When functions are tried again whose change could not be finished, in nanoseconds of the clock.
static NEXT_TRY: AtomicU64 = AtomicU64::new(0);
/// Nanoseconds between two tries.
const AGAIN: u64 = 10_000_000;

/// Switches all functions off, at once and for good; their bytes come later.
pub(crate) fn rest_all() {
    switch::forget_functions();
    site::all().filter(|site| site.is(SiteState::Armed)).for_each(site::rest);
}

/// Gives all functions their bytes back; answers how many still lead to us. Their records say why.
pub(crate) fn restore(tables: Tables, held: &Held) -> u32 {
    switch::forget_functions();
    announced::rest(tables, 0);
    arm::disarm_those(tables, &|_| true, held);
    site::all().filter(|site| site.is_changed()).count() as u32
}

/// Restores a forked child that is not measured. It has one thread and no daemon, so this is the only try;
/// what fails works on, switched off.
pub(crate) fn restore_fork() {
    if site::is_any_changed() {
        let held = Held::take();
        let _ = arm::disarm_fork(&held);
    }
}

/// The agent: tries again what could not be finished.
pub(crate) fn finish(tables: Tables, now: u64, held: &Held) {
    if !is_unfinished() || now < NEXT_TRY.load(Ordering::Relaxed) {
        return;
    }
    let is_one = |id| site::of_region(id).is_some_and(|(_, site)| site.is(SiteState::Trapped));
    arm::disarm_those(tables, &is_one, held);
    NEXT_TRY.store(now.saturating_add(AGAIN), Ordering::Relaxed);
}

/// When [`finish`] has something to do.
pub(crate) fn due() -> u64 {
    if is_unfinished() { NEXT_TRY.load(Ordering::Relaxed) } else { u64::MAX }
}

fn is_unfinished() -> bool {
    site::all().any(|site| site.is(SiteState::Trapped))
}
