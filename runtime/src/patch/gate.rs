//! The gate: calls that run with every signal blocked keep code from being changed, and wait for a
//! change that goes on.
//!
//! Making a thread or a process blocks all signals for a while, in the child, too. Whoever met a
//! trap there would be killed.

use crate::lock::Held;
use crate::process;
use crate::switch::WIPED;
use core::sync::atomic::Ordering;

/// A call that blocks signals is about to begin. A change of code holds the lock; it is waited for.
pub fn enter() {
    if process::is_measured() {
        let held = Held::take();
        WIPED.blocking.fetch_add(1, Ordering::Relaxed);
        drop(held);
    }
}

/// Such a call has ended.
pub fn leave() {
    let one_less = |calls: u32| calls.checked_sub(1);
    // None is left where the measurement began, or a child was forked, in between.
    let _ = WIPED.blocking.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
}

/// Whether none of them goes on; none begins while the lock is held.
pub(super) fn is_open(_: &Held) -> bool {
    WIPED.blocking.load(Ordering::Relaxed) == 0
}
