//! The cancellation of threads: the C library's own handler is one of those that get the program's own addresses.
//!
//! ```text
//!   pthread_cancel, the first time ──► attach requests are not received any more: the C library takes their signal
//!                                      a thread of ours is made, cancelled, joined: the handler is there
//!                                      ours lies in front of it ──► the real pthread_cancel
//! ```
//! The C library installs that handler with its first cancellation and sends its signal at once: a thread that is
//! interrupted in an arena would be unwound from there, without cleanup handlers and destructors.

use core::ffi::c_void;

use whyperf_runtime::patch::{gate, handlers};
use whyperf_runtime::{attach_request, measurement};

use crate::creation;
use crate::next::Next;
use crate::wrapped::{accompanied, keep_errno, real};

accompanied! {
    pthread_cancel(thread) keep_errno(|| prepare(thread));
}

static SELF: Next = Next::inner(c"pthread_self");
static JOIN: Next = Next::inner(c"pthread_join");
static TEST: Next = Next::inner(c"pthread_testcancel");
static YIELD: Next = Next::inner(c"sched_yield");

/// Looks every function of this file up.
pub(crate) fn resolve_all() {
    resolve();
    for next in [&SELF, &JOIN, &TEST, &YIELD] {
        next.address();
    }
}

fn prepare(thread: usize) {
    attach_request::give_way();
    // Whoever cancels itself is unwound from here.
    if !measurement::is_measured() || thread == real!(SELF,) {
        return;
    }
    gate::enter();
    if !handlers::has_library_handler() {
        have_it_installed();
    }
    handlers::cover_library_handler();
    gate::leave();
}

/// Cancels a thread that was made for that. It blocks all signals, so it takes none of the program's.
fn have_it_installed() {
    let signals = handlers::block_all();
    let mut thread = 0_usize;
    if creation::make_plainly(&mut thread, wait) {
        let nowhere = 0_usize;
        let _ = real!(pthread_cancel::NEXT, thread);
        let _ = real!(JOIN, thread, nowhere);
    }
    handlers::unblock(signals);
}

/// Until it is cancelled.
extern "C" fn wait(_: *mut c_void) -> *mut c_void {
    loop {
        let _ = real!(TEST,);
        let _ = real!(YIELD,);
    }
}
