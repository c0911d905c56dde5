//! The gate: calls that block every signal, or are about to, keep code from being changed, and wait for a
//! change that goes on.
//!
//! Making a thread or a process blocks all signals for a while, in the child, too, so does the end of a thread, and a program may
//! block them itself at any moment. A thread that met a trap then would be killed.

use super::thread_ends;
use crate::kernel;
use crate::lock::Held;
use crate::measurement;
use crate::switch::WIPE_ON_FORK;
use core::sync::atomic::Ordering;

/// Nanoseconds between looks whether the others are through, and looks.
const PAUSE: u64 = 100_000;
const LOOKS: u32 = 20;

/// Such a call is about to begin. A change of code holds the lock; it is waited for.
pub fn enter() {
    if measurement::is_measured() {
        let held = Held::take();
        WIPE_ON_FORK.blocking.fetch_add(1, Ordering::Relaxed);
        drop(held);
    }
}

/// Such a call has ended.
pub fn leave() {
    let one_less = |calls: u32| calls.checked_sub(1);
    // None is left where the measurement began, or a child was forked, in between.
    let _ = WIPE_ON_FORK.blocking.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
}

/// None of these calls goes on, and none begins while the lock is held.
#[derive(Debug)]
pub(super) struct Closed(());

/// Waits a little for those that go on; `None` when there are some still. Most take microseconds, `system` as
/// long as its child.
pub(super) fn close(held: &Held) -> Option<Closed> {
    for _ in 0..LOOKS {
        let going = WIPE_ON_FORK.blocking.load(Ordering::Relaxed);
        if going == 0 && thread_ends::are_over(held) {
            return Some(Closed(()));
        }
        kernel::futex_wait(&WIPE_ON_FORK.blocking, going, PAUSE);
    }
    None
}
