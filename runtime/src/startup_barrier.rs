//! The startup barrier: a process waits before `main` until the functions that a user named are switched
//! on, so that no call of them is missed.
//!
//! ```text
//!   process   "at the barrier" ──► sleeps ───────────────► goes on
//!   daemon                           maps, arms, switches ──► "go on"
//! ```
//! The daemon may be gone: without a sign of life from it the process goes on soon, and in any case after
//! some seconds.

use crate::environ::options;
use crate::{birth, clock, creation, kernel};
use core::sync::atomic::Ordering;

/// Goes on after so many nanoseconds, whatever is in place by then.
const LONGEST: u64 = 3_000_000_000;
/// The same when no daemon reads.
const LONELY: u64 = 300_000_000;
const STEP: u64 = 20_000_000;

/// Waits, where a user named functions.
pub fn wait() {
    if !options().startup_barrier {
        return;
    }
    let Some(tables) = creation::make() else { return };
    let (header, commands) = (tables.header(), tables.commands());
    header.at_startup_barrier.store(1, Ordering::Relaxed);
    let begin = clock::nanos();
    let may_go = || commands.go_on.load(Ordering::Relaxed) != 0;
    while !may_go() {
        let waited = clock::nanos().wrapping_sub(begin);
        let is_read = commands.heartbeat.load(Ordering::Relaxed) != 0;
        if waited > LONGEST || (waited > LONELY && !is_read) {
            break;
        }
        kernel::futex_wait(&commands.go_on, 0, STEP);
    }
    header.at_startup_barrier.store(0, Ordering::Relaxed);
}

/// In a forked child: its region is made at once, so that the daemon can bring its functions into place.
pub(crate) fn child() {
    if options().startup_barrier {
        birth::begin();
    }
}
