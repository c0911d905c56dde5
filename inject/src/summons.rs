//! Asking a process that carries the library already, by a signal that the library listens to.
//!
//! It takes no more than the right to send signals. Nothing is left when this process is killed: the letter
//! goes with it, and a signal whose letter is gone does nothing.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::MemfdFlags;
use whyperf_layout::summons::{Call, Letter, MOST_THREADS, SIGNAL, Wishes};

use crate::Request;
use crate::facts::Status;
use crate::maps::Maps;
use crate::threads;

/// Asks; answers what the library answered, `None` when it is not there or does not hear.
pub(crate) fn call(pid: u32, request: &Request<'_>, in_part: bool) -> Option<u32> {
    request.loaded(&Maps::of(pid))?;
    Status::of(&pid.to_string()).filter(|status| status.has("SigCgt", SIGNAL))?;
    let file = post(&letter(pid, request, in_part)?).ok()?;
    let descriptor = u32::try_from(file.as_raw_fd()).ok()?;
    let value = Call { process: std::process::id(), descriptor }.value()?;
    for tid in hearing(pid) {
        send(pid, tid, value);
        if is_heard(&file, pid) {
            return answer(&file, pid);
        }
    }
    // Who begins to read it now finds that it is too late, or has said before that he reads it.
    file.write_all_at(&1_u32.to_le_bytes(), Letter::WITHDRAWN).ok()?;
    let heard = word(&file, Letter::HEARD)? != 0;
    heard.then(|| answer(&file, pid)).flatten()
}

fn letter(pid: u32, request: &Request<'_>, in_part: bool) -> Option<Letter> {
    let wishes = Wishes { take_over: request.take_over, in_part };
    let busy = threads::computing(pid, MOST_THREADS);
    let (rank, size) = threads::rank(pid);
    let directory = request.directory.as_os_str().as_bytes();
    let mut letter = Letter::new(directory, &busy, wishes)?;
    letter.callpath_depth = request.callpath_depth;
    (letter.rank, letter.size) = (rank, size);
    Some(letter)
}

fn post(letter: &Letter) -> io::Result<File> {
    let file = File::from(rustix::fs::memfd_create("whyperf", MemfdFlags::CLOEXEC)?);
    file.write_all_at(letter.bytes(), 0)?;
    Ok(file)
}

/// Threads that take the signal, first those that run: no call of theirs is cut short.
fn hearing(pid: u32) -> Vec<u32> {
    let status = |tid: &u32| Status::of(&format!("{pid}/task/{tid}"));
    let all = threads::of(pid).into_iter().filter_map(|tid| Some((tid, status(&tid)?)));
    let mut all: Vec<_> = all.filter(|(_, status)| !status.has("SigBlk", SIGNAL)).collect();
    all.sort_by_key(|(tid, status)| (!status.is_running(), *tid != pid));
    all.into_iter().map(|(tid, _)| tid).take(MOST_ASKED).collect()
}

fn is_heard(file: &File, pid: u32) -> bool {
    waited(HEARING, pid, || word(file, Letter::HEARD).filter(|word| *word != 0)).is_some()
}

fn answer(file: &File, pid: u32) -> Option<u32> {
    waited(BEGINNING, pid, || word(file, Letter::ANSWER)?.checked_sub(1))
}

/// Looks until there is something, the time is over, or the process.
fn waited(time: Duration, pid: u32, mut look: impl FnMut() -> Option<u32>) -> Option<u32> {
    let end = Instant::now() + time;
    loop {
        let over = Instant::now() >= end || !Path::new(&format!("/proc/{pid}/exe")).exists();
        let found = look();
        if found.is_some() || over {
            return found;
        }
        thread::sleep(LOOK);
    }
}

fn word(file: &File, at: u64) -> Option<u32> {
    let mut bytes = [0; 4];
    file.read_exact_at(&mut bytes, at).ok()?;
    Some(u32::from_le_bytes(bytes))
}

/// The kernel's description of a signal that carries a value.
#[repr(C)]
struct Description {
    signal: i32,
    error: i32,
    code: i32,
    pad: i32,
    process: u32,
    user: u32,
    value: u64,
    rest: [u64; 12],
}

const _: () = assert!(size_of::<Description>() == size_of::<libc::siginfo_t>());

/// A thread that is gone takes none, which shows by itself.
fn send(pid: u32, tid: u32, value: u64) {
    let user = rustix::process::getuid().as_raw();
    let process = std::process::id();
    let (signal, code) = (SIGNAL, libc::SI_QUEUE);
    let description =
        Description { signal, error: 0, code, pad: 0, process, user, value, rest: [0; 12] };
    // SAFETY: the kernel reads the description, which has its size and lives here.
    unsafe {
        libc::syscall(libc::SYS_rt_tgsigqueueinfo, pid, tid, signal, &raw const description);
    }
}

/// Threads that are asked before it is given up.
const MOST_ASKED: usize = 3;
/// How long one may take to start another: it must run for that, which others may keep it from.
const HEARING: Duration = Duration::from_secs(1);
/// How long it may take to begin.
const BEGINNING: Duration = Duration::from_secs(15);
/// How often it is looked.
const LOOK: Duration = Duration::from_micros(200);
