//! The attach request from outside: asks a process that carries the library already, by a signal that the library handles.
//!
//! It takes the right to trace, for the request is written into the process's memory ([`OpenMailbox`]). Nothing is left when
//! this process is killed: a request that no signal told of does nothing, and a signal without its request does nothing.
//!
//! ```text
//!   thread's descriptor ─► does the library listen, is the signal caught? ─► sent to that descriptor
//! ```
//! The descriptor stays that of the same thread whatever becomes of its number. A process that becomes another program
//! ignores the signal first (the library's wrappers of `exec`), so between the look and the signal its default action
//! cannot come back.

use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use whyperf_layout::attach_request::{AttachOptions, MOST_THREADS, Mailbox, SIGNAL};

use crate::mailbox::{OpenMailbox, is_listening};
use crate::namespaces::{own_number, own_numbers};
use crate::request::AttachRequest;
use crate::schedstat::Schedstat;
use crate::status::ProcessStatus;
use crate::threads;

/// Asks; answers what the library answered, `None` when it is not there, does not take the signal, or this process may not
/// trace that one.
pub(crate) fn send(pid: u32, request: &AttachRequest<'_>, in_part: bool) -> Option<u32> {
    let open = OpenMailbox::open(pid, request)?;
    open.put(mailbox(pid, request, in_part)?)?;
    let value = open.number.signal_value();
    for tid in listening_soon(pid) {
        let turns = turns(pid, tid);
        let send = || Listener::of(pid, tid, request).is_some_and(|listener| listener.send(value));
        let has_turn = || turns != self::turns(pid, tid);
        if send() && is_received(&open, pid, has_turn, &send) {
            return answer(&open, pid);
        }
    }
    open.withdraw()?;
    open.is_received().then(|| answer(&open, pid)).flatten()
}

fn mailbox(pid: u32, request: &AttachRequest<'_>, in_part: bool) -> Option<Mailbox> {
    let options = AttachOptions { take_over: request.take_over, in_part };
    let busy = own_numbers(pid, &threads::computing(pid, MOST_THREADS));
    let (rank, size) = threads::rank(pid);
    let directory = request.directory.as_os_str().as_bytes();
    let mut mailbox = Mailbox::new(own_number(pid), directory, &busy, options)?;
    mailbox.callpath_depth = request.callpath_depth;
    mailbox.cost_limit = request.cost_limit;
    (mailbox.rank, mailbox.size) = (rank, size);
    Some(mailbox)
}

/// A thread that takes the signal.
struct Listener {
    pid: u32,
    tid: u32,
    /// It, and no other thread that gets its number later; `None` where the kernel has no such descriptor.
    descriptor: Option<OwnedFd>,
}

impl Listener {
    /// Proves that it takes the signal: what is looked at is looked at after the descriptor was opened.
    fn of(pid: u32, tid: u32, request: &AttachRequest<'_>) -> Option<Self> {
        let descriptor = open(tid);
        if !is_listening(pid, request) {
            return None;
        }
        let status = ProcessStatus::of(&format!("{pid}/task/{tid}"))?;
        let takes_it = status.has("SigCgt", SIGNAL) && !status.has("SigBlk", SIGNAL);
        takes_it.then_some(Self { pid, tid, descriptor })
    }

    /// A thread that is gone takes none, which shows by itself.
    fn send(&self, value: u64) -> bool {
        let description = Description::new(value);
        let description = &raw const description;
        // SAFETY: the kernel reads the description, which has its size and lives here.
        let answer = unsafe {
            match &self.descriptor {
                Some(thread) => {
                    let thread = thread.as_raw_fd();
                    let call = libc::SYS_pidfd_send_signal;
                    libc::syscall(call, thread, SIGNAL, description, TO_THREAD)
                }
                None => {
                    let call = libc::SYS_rt_tgsigqueueinfo;
                    libc::syscall(call, self.pid, self.tid, SIGNAL, description)
                }
            }
        };
        answer == 0
    }
}

/// A descriptor of a thread, where the kernel has them (since 6.9).
fn open(tid: u32) -> Option<OwnedFd> {
    const OF_THREAD: libc::c_int = libc::O_EXCL;
    // SAFETY: takes numbers only.
    let answer = unsafe { libc::syscall(libc::SYS_pidfd_open, tid, OF_THREAD) };
    let descriptor = i32::try_from(answer).ok().filter(|descriptor| *descriptor >= 0)?;
    // SAFETY: the kernel has just made it, and nothing else has it.
    Some(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// The signal is for the thread alone.
const TO_THREAD: libc::c_int = 1;

/// The same, awaited: a thread that has not come back from the handler of the request before takes none until it does.
fn listening_soon(pid: u32) -> Vec<u32> {
    let end = Instant::now() + RECEIVING;
    loop {
        let found = listening(pid);
        let catches_it =
            ProcessStatus::of(&pid.to_string()).is_some_and(|status| status.has("SigCgt", SIGNAL));
        if !found.is_empty() || !catches_it || Instant::now() >= end {
            return found;
        }
        thread::sleep(LOOK);
    }
}

/// Threads that take the signal, first those that run: no call of theirs is cut short.
fn listening(pid: u32) -> Vec<u32> {
    let status = |tid: &u32| ProcessStatus::of(&format!("{pid}/task/{tid}"));
    let all = threads::of(pid).into_iter().filter_map(|tid| Some((tid, status(&tid)?)));
    let mut all: Vec<_> = all.filter(|(_, status)| !status.has("SigBlk", SIGNAL)).collect();
    all.sort_by_key(|(tid, status)| (!status.is_running(), *tid != pid));
    all.into_iter().map(|(tid, _)| tid).take(MOST_ASKED).collect()
}

/// How often a thread got a processor.
fn turns(pid: u32, tid: u32) -> Option<u64> {
    Schedstat::of(pid, tid).map(|counted| counted.turns)
}

/// Whether it is received in time, which begins when the thread that got the signal has its next turn. It is sent again meanwhile: while the
/// thread that answered the request before has not ended, the library starts no other.
fn is_received(
    open: &OpenMailbox,
    pid: u32,
    has_turn: impl Fn() -> bool,
    send: &impl Fn() -> bool,
) -> bool {
    let received = || open.is_received().then_some(1);
    let begun = || received().or_else(|| has_turn().then_some(0));
    let mut again = Instant::now() + AGAIN;
    waited(BEGINNING, pid, begun).is_some()
        && waited(RECEIVING, pid, || {
            if received().is_none() && Instant::now() >= again {
                again = Instant::now() + AGAIN;
                send();
            }
            received()
        })
        .is_some()
}

fn answer(open: &OpenMailbox, pid: u32) -> Option<u32> {
    waited(BEGINNING, pid, || open.answer())
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

impl Description {
    fn new(value: u64) -> Self {
        let user = rustix::process::getuid().as_raw();
        let process = std::process::id();
        let (signal, code) = (SIGNAL, libc::SI_QUEUE);
        Self { signal, error: 0, code, pad: 0, process, user, value, rest: [0; 12] }
    }
}

/// Threads that are asked before it is given up.
const MOST_ASKED: usize = 3;
/// How long a thread that runs may take to start another, which must get a processor, too.
const RECEIVING: Duration = Duration::from_secs(3);
/// How long a request may remain unheard before it is sent again.
const AGAIN: Duration = Duration::from_millis(100);
/// How long the library may take to begin.
const BEGINNING: Duration = Duration::from_secs(15);
/// How often it is looked.
const LOOK: Duration = Duration::from_micros(200);
