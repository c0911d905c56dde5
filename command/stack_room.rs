//! A stack for whyperf's own work where `ulimit -s` leaves next to none.

use std::process::ExitCode;
use std::thread;

use rustix::process::{Resource, getrlimit};

use crate::measuring::launch::FAILURE;

/// Does the work: on a thread with a stack of its own, where that of this one may not grow. The program has the limit as it was.
pub(crate) fn with_room(work: fn() -> ExitCode) -> ExitCode {
    if getrlimit(Resource::Stack).current.is_none_or(|limit| limit >= LEAST) {
        return work();
    }
    let thread = thread::Builder::new().name("whyperf".to_owned()).stack_size(ROOM);
    // A panic ends the process, or has been told of.
    thread
        .spawn(work)
        .map_or_else(|_| work(), |thread| thread.join().unwrap_or_else(|_| ExitCode::from(FAILURE)))
}

/// What whyperf uses is some hundred KiB; a debug build takes several times as much.
const LEAST: u64 = 2 << 20;
const ROOM: usize = 8 << 20;
