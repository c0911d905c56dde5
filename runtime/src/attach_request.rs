//! The attach request inside the process: a signal asks a process that carries the library to begin a measurement.
//!
//! ```text
//!   handler, in any thread of the program   starts a thread, continues the call that the signal cut short
//!   that thread                             reads the mailbox, begins, answers, ends
//! ```
//! The mailbox lies in this process's memory, where the kernel lets only those write that may trace it
//! ([`listening_page`]). Nothing that the signal carries is obeyed, and no file is read.
//!
//! The signal is one that the C library hides from the program (see `whyperf_layout::attach_request`). The
//! C library uses it itself once a thread is cancelled: then its handler takes the place of this one.
//!
//! The thread is none of the C library's: at any place a signal may come the C library's locks may be
//! held. So the function that begins the measurement may not call the C library either.

use crate::environ::Late;
use crate::kernel::{self, Disposition};
use crate::thread_local::{Thread, thread};
use crate::{environ, interrupted_call, listening_page, own_memory};
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use whyperf_layout::attach_request::{AttachOptions, Mailbox, RequestNumber, SIGNAL};

/// What became of an attempt to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum AttachOutcome {
    /// It is measured now.
    Measured = 0,
    /// It was measured already.
    Already = 1,
    /// It is one that is never measured.
    Declined = 2,
    /// No region could be made.
    Failed = 3,
    /// Calls of some objects would not be seen, and that is not enough.
    InPart = 4,
}

/// Begins a measurement, in a thread that the C library does not know.
pub type Begin = fn(&Late<'_>, AttachOptions) -> AttachOutcome;

static BEGIN: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
/// Whether the signal is handled here.
static LISTENS: AtomicBool = AtomicBool::new(false);
/// Whether the signal was ignored before.
static IGNORED: AtomicBool = AtomicBool::new(false);
/// The process in which a thread is being started; 0 for none.
static STARTING: AtomicU32 = AtomicU32::new(0);
/// The process whose thread [`THREAD`] is.
static OWNER: AtomicU32 = AtomicU32::new(0);
/// Number of the thread; the kernel clears it when that ends.
static THREAD: AtomicU32 = AtomicU32::new(0);
/// Number of its request.
static NUMBER: AtomicU64 = AtomicU64::new(0);
/// Its memory, once there was one: stack, thread-local storage, mailbox.
static MEMORY: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());

const STACK: usize = 128 << 10;
const PAGE: usize = 4096;
/// Signals that tell of a fault: they cannot wait.
const FAULTS: u64 = 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7 | 1 << 10 | 1 << 30;
/// Where in a signal's description its value lies, in words.
const VALUE: usize = 3;

/// Listens to attach requests, unless the process is one that is never measured, or the signal is in use
/// already; answers whether it listens.
pub fn listen(begin: Begin) -> bool {
    let handler = kernel::disposition(SIGNAL).map(|now| now.handler);
    // Children that the C library spawns ignore it.
    let is_ignored = handler == Some(libc::SIG_IGN);
    let is_free = is_ignored || handler == Some(libc::SIG_DFL);
    if !is_free || !environ::may_ever_be_measured() {
        return false;
    }
    IGNORED.store(is_ignored, Ordering::Relaxed);
    BEGIN.store(begin as *mut (), Ordering::Relaxed);
    let flags = (libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART) as u64;
    let handler = handle as *const () as usize;
    let new = Disposition { handler, flags, mask: !FAULTS, ..Disposition::default() };
    // SAFETY: `handle` has the type that the flags say; it and all that it calls use atomics and
    // system calls only.
    let listens = unsafe { kernel::dispose(SIGNAL, new) };
    if listens {
        LISTENS.store(true, Ordering::Relaxed);
        listening_page::show();
    }
    listens
}

/// The C library is about to take the signal for itself: nobody asks any more.
pub fn give_way() {
    if LISTENS.swap(false, Ordering::Relaxed) {
        listening_page::hide();
    }
}

/// What is done about the signal when the process does not become another program.
#[derive(Debug)]
pub struct IgnoredSignal(Option<Disposition>);

/// The process is about to become another program, which no signal of ours may reach: it is ignored from here on, and
/// what is on its way is gone.
#[must_use]
pub fn ignore_signal() -> IgnoredSignal {
    // One of the C library's may not be lost: it wakes a thread that is cancelled.
    let handled = kernel::disposition(SIGNAL).filter(|now| is_handler(now.handler));
    if handled.is_some() {
        let ignored = Disposition { handler: libc::SIG_IGN, ..Disposition::default() };
        // SAFETY: nothing is called.
        unsafe { kernel::dispose(SIGNAL, ignored) };
    }
    IgnoredSignal(handled)
}

impl IgnoredSignal {
    /// The process did not become another program: the signal is handled again, unless the C library took it meanwhile.
    pub fn restore(self) {
        let Some(handled) = self.0 else { return };
        if kernel::disposition(SIGNAL).is_none_or(|now| now.handler != libc::SIG_IGN) {
            return;
        }
        // SAFETY: what the kernel told of this signal before.
        let meanwhile = unsafe { kernel::exchange(SIGNAL, &handled) };
        if let Some(theirs) = meanwhile.filter(|now| now.handler != libc::SIG_IGN) {
            // SAFETY: the kernel has just told it.
            unsafe { kernel::dispose_as_it_is(SIGNAL, &theirs) };
        }
    }
}

/// Whether this is the handler of attach requests.
pub(crate) fn is_handler(handler: usize) -> bool {
    handler == handle as *const () as usize
}

/// The handler. Where [`handle_request`] answers so it returns by hand.
///
/// # Safety
/// Called by the kernel: it may return by hand.
// SAFETY: the kernel calls it with the signal, its description and the context. It keeps the stack
// aligned for the call, and `rbx`; what it jumps to takes the context in `rbx`.
#[unsafe(naked)]
unsafe extern "C" fn handle(_: i32, _: *mut libc::siginfo_t, _: *mut c_void) {
    core::arch::naked_asm!(
        "push rbx",
        "mov rbx, rdx",
        "call {handle_request}",
        "test al, al",
        "jne {resume}",
        "pop rbx",
        "ret",
        handle_request = sym handle_request,
        resume = sym interrupted_call::resume,
    )
}

/// Answers whether the interrupted call has to be resumed.
///
/// # Safety
/// Called as the kernel calls a handler: `info` describes the signal, `context` is what it interrupted.
unsafe extern "C" fn handle_request(
    signal: i32,
    info: *mut libc::siginfo_t,
    context: *mut c_void,
) -> bool {
    // SAFETY: the caller's promise.
    let (code, value) = unsafe { ((*info).si_code, info.cast::<u64>().add(VALUE).read()) };
    let is_ours = code == libc::SI_QUEUE && RequestNumber::of_signal(value).is_some();
    if is_ours {
        start_alone(value);
    } else if !IGNORED.load(Ordering::Relaxed) {
        // The signal is not ours: it does what it would have done.
        kernel::set_default(signal);
        kernel::send_to_thread(signal);
        return false;
    }
    // SAFETY: the caller's promise; the context is the handler's to change.
    interrupted_call::continue_call(unsafe { &mut *context.cast() })
}

/// Starts the thread, unless another thread is about to.
fn start_alone(value: u64) {
    let process = kernel::process_id();
    let before = STARTING.load(Ordering::Relaxed);
    let taken = STARTING.compare_exchange(before, process, Ordering::Relaxed, Ordering::Relaxed);
    if before != process && taken.is_ok() {
        start(value, process);
        STARTING.store(0, Ordering::Relaxed);
    }
}

/// Starts the thread, unless it is there. What it inherits blocks every signal.
fn start(value: u64, process: u32) {
    let is_there = THREAD.load(Ordering::Relaxed) != 0;
    if is_there && OWNER.load(Ordering::Relaxed) == process {
        return;
    }
    let (thread_local, room) = storage();
    let Some(memory) = memory(room) else { return };
    OWNER.store(process, Ordering::Relaxed);
    NUMBER.store(value, Ordering::Relaxed);
    let stack = memory.wrapping_add(STACK);
    let storage = stack.wrapping_add(thread_local);
    // SAFETY: the memory is ours and stays; no thread uses it, for the kernel has cleared its number or
    // it was the parent's. `run` never returns and does not call the C library.
    unsafe {
        storage.cast::<*mut u8>().write(storage);
        kernel::start_thread(stack, storage, run, THREAD.as_ptr());
    }
}

/// How far below a thread pointer lie the thread-local words that are used, and the room for all.
fn storage() -> (usize, usize) {
    let block = core::ptr::from_ref::<Thread>(&thread()) as usize;
    // SAFETY: errno is a location of the calling thread.
    let errno = unsafe { libc::__errno_location() } as usize;
    let lowest = errno.min(block);
    let below = thread_pointer().saturating_sub(lowest).next_multiple_of(PAGE);
    (below, below + PAGE)
}

fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: the first word of a thread's storage holds its address.
    unsafe {
        core::arch::asm!("mov {}, fs:[0]", out(reg) pointer, options(nostack, readonly));
    }
    pointer
}

fn memory(room: usize) -> Option<*mut u8> {
    let known = MEMORY.load(Ordering::Relaxed);
    if !known.is_null() {
        return Some(known);
    }
    let memory = kernel::private_memory(STACK + room + size_of::<Mailbox>())?;
    MAILBOX.store(memory.wrapping_add(STACK + room).cast(), Ordering::Relaxed);
    MEMORY.store(memory, Ordering::Relaxed);
    Some(memory)
}

/// Where in that memory the mailbox is copied to.
static MAILBOX: AtomicPtr<Mailbox> = AtomicPtr::new(core::ptr::null_mut());

extern "C" fn run() -> ! {
    kernel::name_thread(c"whyperf");
    kernel::leave_descriptors();
    if let Some(number) = RequestNumber::of_signal(NUMBER.load(Ordering::Relaxed)) {
        answer(number);
    }
    kernel::end_thread(0)
}

fn answer(number: RequestNumber) {
    // SAFETY: set before this thread was started, zero at first, used by it alone. Any bytes are a mailbox.
    let Some(mailbox) = (unsafe { MAILBOX.load(Ordering::Relaxed).as_mut() }) else { return };
    let shared = listening_page::mailbox();
    shared.copy(mailbox);
    if !mailbox.is_fresh(kernel::process_id(), number) {
        return;
    }
    shared.receive(number);
    let begin = BEGIN.load(Ordering::Relaxed);
    let outcome = if is_withdrawn(number) || begin.is_null() {
        AttachOutcome::Failed
    } else {
        // SAFETY: only functions of this type are ever stored.
        let begin = unsafe { core::mem::transmute::<*mut (), Begin>(begin) };
        begin(&late(mailbox), mailbox.options())
    };
    shared.answer(number, outcome as u32);
}

/// Whether the request was withdrawn before it was received. The kernel reads the word, behind locked instructions of its
/// own, so it is not read before the word that says "received" is stored.
fn is_withdrawn(number: RequestNumber) -> bool {
    let word = own_memory::word(listening_page::mailbox().address(Mailbox::WITHDRAWN));
    word.is_none_or(|word| word as u64 == number.word())
}

fn late(mailbox: &Mailbox) -> Late<'_> {
    Late {
        directory: mailbox.directory(),
        callpath_depth: mailbox.callpath_depth,
        rank: Some(mailbox.rank).filter(|rank| *rank >= 0),
        size: mailbox.size,
        cost_limit: mailbox.cost_limit,
        threads: mailbox.threads(),
    }
}
