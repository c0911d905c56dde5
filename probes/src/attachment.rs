//! The two ways by which a process that runs already is measured.
//!
//! ```text
//!   whyperf_attach   called once the library was loaded into it, in a thread of its own that the C library made
//!   requested        called by a signal that the process listens to, in a thread that the C library does not know
//! ```
//! Both block all signals. Neither is part of the interface for programs.

use core::ffi::{CStr, c_char};

use whyperf_layout::attach_request::AttachOptions;
use whyperf_runtime::attach_request::{self, AttachOutcome};
use whyperf_runtime::attachment;
use whyperf_runtime::environ::Late;

use crate::wrapped::keep_errno;
use crate::{c_library, mpi, process, reroute};

/// What the caller knows; the daemon writes these bytes.
#[derive(Debug)]
#[repr(C)]
struct RequestBytes {
    directory: *const c_char,
    callpath_depth: u32,
    /// Negative when no launcher announced one.
    rank: i32,
    size: u32,
    /// Whether a measurement is to end whose daemon is gone.
    take_over: u32,
    threads: *const u32,
    thread_count: u64,
    /// Share of a thread's time, in thousandths, that events of one region may cost; 0: no limit.
    cost_limit: u32,
}

/// Measures this process from now on; answers an [`AttachOutcome`].
///
/// # Safety
/// The request must be complete, its directory a string, its threads so many as it says. No other thread begins a measurement.
#[unsafe(no_mangle)]
unsafe extern "C" fn whyperf_attach(request: &RequestBytes) -> u32 {
    if request.directory.is_null() || request.threads.is_null() || !c_library::is_glibc() {
        return AttachOutcome::Failed as u32;
    }
    // SAFETY: the caller's promise.
    let (directory, threads) = unsafe {
        let threads = core::slice::from_raw_parts(request.threads, request.thread_count as usize);
        (CStr::from_ptr(request.directory).to_bytes(), threads)
    };
    let late = Late {
        directory,
        callpath_depth: request.callpath_depth,
        rank: Some(request.rank).filter(|rank| *rank >= 0),
        size: request.size,
        cost_limit: request.cost_limit,
        threads,
    };
    let reroute = || {
        process::follow_forks();
        reroute::begin();
    };
    // SAFETY: the caller's promise.
    keep_errno(|| unsafe { begin(&late, request.take_over != 0, reroute) }) as u32
}

/// `reroute` is what else it takes until calls are seen.
///
/// # Safety
/// No other thread begins a measurement.
unsafe fn begin(late: &Late<'_>, take_over: bool, reroute: fn()) -> AttachOutcome {
    if take_over {
        attachment::take_over();
    }
    // SAFETY: the caller's promise.
    let outcome = unsafe { attachment::begin(late, reroute::end) };
    if outcome == AttachOutcome::Measured {
        mpi::forget();
        reroute();
    }
    outcome
}

/// Calls that take the signal from us: where one of them does not come to us, the signal would do harm.
const TAKE_SIGNAL: [&CStr; 10] = [
    c"pthread_cancel",
    c"execve",
    c"execv",
    c"execvp",
    c"execvpe",
    c"fexecve",
    c"execveat",
    c"execl",
    c"execlp",
    c"execle",
];

/// Listens to attach requests, if this process may be measured at all. What a signal must not do is done now. A library
/// that is loaded late does not: before and after a measurement the program's calls do not come to it.
pub(crate) fn listen() {
    if reroute::are_first(&TAKE_SIGNAL) && attach_request::listen(requested) {
        process::follow_forks();
        reroute::look_around();
    }
}

fn requested(late: &Late<'_>, options: AttachOptions) -> AttachOutcome {
    if !reroute::sees_all() && !options.in_part {
        return AttachOutcome::InPart;
    }
    // SAFETY: one thread answers requests, and whyperf sends none to a process that it loads the library into.
    unsafe { begin(late, options.take_over, || ()) }
}
