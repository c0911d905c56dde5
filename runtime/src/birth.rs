//! The birth of a thread: the program's own are measured from their first instruction on, those
//! that a library starts for itself never.
//!
//! A thread that only computes has no event; were it not registered here, its time would be
//! missing from every total. A progress thread of an MPI sleeps all its life; were it registered,
//! every rank would look three quarters idle. Which is which is known when it is created: a
//! library's threads are created inside one of its calls, or by another thread of it.

use crate::registration;
use crate::thread::{self, ENDED, FOREIGN};
use crate::thread_local::thread;
use core::sync::atomic::Ordering;

/// Registers the calling thread now, before its first event.
pub fn begin() {
    let _registered = registration::private(&thread());
}

/// Says that the calling thread is not the program's: nothing of it is recorded, ever.
pub fn disown() {
    thread::raise(&thread(), FOREIGN | ENDED);
}

/// Whether the calling thread was disowned.
#[must_use]
pub fn is_disowned() -> bool {
    thread().flags.load(Ordering::Relaxed) & FOREIGN != 0
}
