//! Attaching to a process that runs already: making it load the library, and nothing else of it. One that carries
//! the library is asked by a signal (attach_request).
//!
//! ```text
//!   facts ─► refusal, or maps + memory ─► threads: one is stopped at a safe point (walk, safe_point)
//!            hijacked_thread: it maps code and data, and calls pthread_create; stands in the restore_trampoline
//!            it goes on as it was │ the fresh thread: dlopen, whyperf_attach, and away (stub)
//! ```
//! From there on the process is like one that was started with the library.

use std::thread;

use crate::maps::Maps;
use crate::owner::Owner;
use crate::refusal::{self, AttachRefusal};
use crate::region_file::RegionFile;
use crate::request::Request;
use crate::{attach_request, facts, loader};

/// Attaches to a process. It runs on all the time but for one of its threads, which is stopped for about
/// a millisecond; where the process carries the library already, none is.
///
/// # Errors
/// When that is not possible; then the process is as it was.
pub fn attach(pid: u32, request: &Request<'_>) -> Result<(), AttachRefusal> {
    facts::check(pid)?;
    let request = Request { take_over: check_measured(pid)?, ..request.clone() };
    match attach_request::send(pid, &request, false) {
        Some(answer) if answer != refusal::IN_PART => return AttachRefusal::judge(pid, answer),
        _ => {}
    }
    let refused = match load(pid, &request) {
        Err(refused @ AttachRefusal::NotAllowed { .. }) => refused,
        other => return other,
    };
    // Then what it sees by itself has to do.
    let answer = attach_request::send(pid, &request, true);
    answer.map_or(Err(refused), |answer| AttachRefusal::judge(pid, answer))
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
    let mut regions = maps.paths().filter(|path| RegionFile::at(path).is_some());
    let Some(region) = regions.next() else { return Ok(false) };
    match Owner::of(region.parent().unwrap_or(region)) {
        Some(owner) if owner.is_there() => Err(AttachRefusal::Measured { pid, by: owner.pid }),
        _ => Ok(true),
    }
}
