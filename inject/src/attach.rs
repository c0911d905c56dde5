//! Attaching to a process that runs already: making it load the library, and nothing else of it. One that carries
//! the library is asked by a signal (attach_request).
//!
//! ```text
//!   facts ─► refusal, or maps + memory ─► threads: one is stopped at a safe point (walk, safe_point)
//!            hijacked_thread: it maps code and data, and calls pthread_create; stands in the restore_trampoline
//!            it goes on as it was │ the fresh thread: dlopen, whyperf_attach, and away (stub)
//! ```
//! From there on the process is like one that was started with the library.

use std::path::Path;
use std::thread;

use whyperf_layout::attach_request::{AttachOutcome, AttachScope};

use crate::maps::Maps;
use crate::owner::Owner;
use crate::refusal::AttachRefusal;
use crate::request::{LIBRARY, Request};
use crate::{attach_request, facts, loader};

/// Attaches to a process. It runs on all the time but for one of its threads, which is stopped for about
/// a millisecond; where the process carries the library already, none is.
///
/// # Errors
/// When that is not possible; then the process is as it was.
pub fn attach(pid: u32, request: &Request<'_>) -> Result<(), AttachRefusal> {
    facts::check(pid)?;
    let request = Request { take_over: check_measured(pid)?, ..request.clone() };
    match attach_request::send(pid, &request, AttachScope::Whole) {
        None | Some(AttachOutcome::InPart) => {}
        Some(outcome) => return AttachRefusal::judge(pid, outcome),
    }
    let refused = match load(pid, &request) {
        Err(refused @ AttachRefusal::NotAllowed { .. }) => refused,
        other => return other,
    };
    // Then what it sees by itself has to do.
    let outcome = attach_request::send(pid, &request, AttachScope::InPart);
    outcome.map_or(Err(refused), |outcome| AttachRefusal::judge(pid, outcome))
}

/// Asks a process that carries the library, as a forked child of a measured one does, to begin what it else
/// begins at its first event; `None` when it does not hear. One of another kind goes on as it was.
#[must_use]
pub fn begin_forked(pid: u32) -> Option<AttachOutcome> {
    let request = Request::new(Path::new(LIBRARY), Path::new("/"), 0);
    attach_request::send(pid, &request, AttachScope::ForkedChild)
}

/// By a thread of the process, which is hijacked.
fn load(pid: u32, request: &Request<'_>) -> Result<(), AttachRefusal> {
    let loader = loader::Loader::new(pid, request)?;
    // Whatever a thread still traces at its end is let go by the system.
    thread::scope(|scope| {
        let done = scope.spawn(|| loader.load());
        done.join().unwrap_or(Err(AttachRefusal::NoAnswer(pid)))
    })
}

/// Whether it is being measured by a daemon that is gone; refused when that daemon is alive.
fn check_measured(pid: u32) -> Result<bool, AttachRefusal> {
    let maps = Maps::of(pid);
    let mut regions =
        maps.paths().filter(|path| path.extension().is_some_and(|end| end == "region"));
    let Some(region) = regions.next() else { return Ok(false) };
    match Owner::of(region.parent().unwrap_or(region)) {
        Some(owner) if owner.is_there() => Err(AttachRefusal::Measured { pid, by: owner.pid }),
        _ => Ok(true),
    }
}
