//! Finds where every thread stands, before instructions are replaced that a thread may be between.
//!
//! ```text
//!   not running   the kernel shows its pc and sp
//!   running       a signal asks it; its handler moves it into the copy if it stands inside
//!   both          the stack from sp on: an interrupted place inside means a thread may come back there
//! ```
//! No thread can come to stand inside meanwhile: the first byte is a trap, or nothing leads there any
//! more. What cannot be proved is answered as if a thread stood there.

use super::batch::Batch;
use super::maps;
use super::text::Text;
use super::threads::{self, TaskPath};
use super::{trap_choice, trap_signals, trap_wait};
use crate::interrupted_call::{self, Context};
use crate::kernel;
use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use whyperf_layout::Outcome;

/// The thread that is asked, until it begins to answer.
static ASKED: AtomicU32 = AtomicU32::new(0);
/// Its stack pointer, when it has answered; 0 before.
static STACK: AtomicU64 = AtomicU64::new(0);
/// What it looks into.
static BATCH: AtomicPtr<Batch> = AtomicPtr::new(core::ptr::null_mut());

/// The signal that asks, once one was chosen. Not the trap: of that one only one can be pending, and
/// the other's cause would be lost.
static SIGNAL: AtomicU32 = AtomicU32::new(0);

/// Nanoseconds between looks whether a thread has answered, and looks.
const PAUSE: u64 = 50_000;
const LOOKS: u32 = 1000;
/// Looks whether a thread still runs in the handler of traps.
const MOMENTS: u32 = 100;
/// Words of a stack that are read at once.
const WORDS: usize = 128;

/// Makes sure that no thread stands where the batch is about to change instructions.
pub(super) fn clear(batch: &Batch, text: &Text) -> Result<(), Outcome> {
    BATCH.store(core::ptr::from_ref(batch).cast_mut(), Ordering::Relaxed);
    if !choose_signal() {
        return Err(Outcome::ThreadInside);
    }
    let own = kernel::thread_id();
    let mut outcome = Ok(());
    let listed = threads::each(|thread| {
        if thread != own && outcome.is_ok() {
            outcome = look_at(thread, batch, text);
        }
    });
    if listed { outcome } else { Err(Outcome::ThreadInside) }
}

/// Makes sure that a signal is ours: a real-time signal that the program does not use.
fn choose_signal() -> bool {
    const FIRST: i32 = 35;
    const LAST: i32 = 64;
    let is_ours = |signal| kernel::disposition(signal).is_some_and(|now| is_handler(now.handler));
    if signal().is_some_and(is_ours) {
        return true;
    }
    let install = |signal: &i32| {
        // SAFETY: `asked` uses atomics, system calls and the interrupted context only.
        unsafe { kernel::handle_if_default(*signal, asked, u64::MAX) }
    };
    let free = (FIRST..=LAST).rev().find(install);
    SIGNAL.store(free.unwrap_or(0) as u32, Ordering::Relaxed);
    free.is_some()
}

/// The signal that asks, if one was chosen.
pub(super) fn signal() -> Option<i32> {
    let signal = SIGNAL.load(Ordering::Relaxed) as i32;
    (signal != 0).then_some(signal)
}

/// Gives the signal back: nobody is asked any more.
pub(super) fn end() {
    let is_ours =
        |signal: &i32| kernel::disposition(*signal).is_some_and(|now| is_handler(now.handler));
    if let Some(signal) = signal().filter(is_ours) {
        trap_choice::remove(signal);
    }
}

/// Whether this is the handler that answers.
pub(super) fn is_handler(handler: usize) -> bool {
    handler == asked as *const () as usize
}

/// # Safety
/// Called as the kernel calls a handler: `info` describes the signal, `context` is what it interrupted.
unsafe extern "C" fn asked(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the caller's promise.
    if unsafe { is_ours(info) } {
        // SAFETY: the same.
        unsafe { answer(context) };
        return;
    }
    // Sent by other code: it does what it would have done.
    kernel::set_default(signal);
    kernel::send_to_thread(signal);
}

fn look_at(thread: u32, batch: &Batch, text: &Text) -> Result<(), Outcome> {
    let stack = match ThreadStatus::of(thread) {
        ThreadStatus::Running => ask_running(thread, batch)?,
        still => standing(still, batch)?,
    };
    if stack.is_some_and(|stack| is_on_stack(stack, batch, text)) {
        return Err(Outcome::ThreadInside);
    }
    Ok(())
}

/// The stack pointer of a thread that does not run and does not stand inside; `None` of one that is gone.
fn standing(status: ThreadStatus, batch: &Batch) -> Result<Option<u64>, Outcome> {
    match status {
        ThreadStatus::Gone => Ok(None),
        ThreadStatus::Still { stack, at } if batch.moved(at).is_none() => Ok(Some(stack)),
        ThreadStatus::Still { .. } | ThreadStatus::Running => Err(Outcome::ThreadInside),
    }
}

/// The same of a thread that runs. In the handler of traps it blocks all signals for a moment: that is over when it is looked at again.
#[inline(never)]
fn ask_running(thread: u32, batch: &Batch) -> Result<Option<u64>, Outcome> {
    for _ in 0..MOMENTS {
        let blocked = threads::blocked(thread);
        if blocked & trap_signals::SIGNALS == 0 {
            // It would stay with the thread, which might take it for another signal in the end.
            let takes_it = signal().is_some_and(|signal| blocked & 1 << (signal - 1) == 0);
            // It may have ended, or gone to sleep without taking the signal.
            let answer = takes_it.then(|| ask(thread)).flatten();
            return answer.map(Some).ok_or(Outcome::SigtrapBlocked);
        }
        kernel::futex_wait(&AtomicU32::new(0), 0, PAUSE);
        let status = ThreadStatus::of(thread);
        if status != ThreadStatus::Running {
            return standing(status, batch);
        }
    }
    Err(Outcome::SigtrapBlocked)
}

/// What the kernel shows of a thread.
#[derive(Debug, PartialEq, Eq)]
enum ThreadStatus {
    Gone,
    Running,
    Still { stack: u64, at: u64 },
}

impl ThreadStatus {
    fn of(thread: u32) -> Self {
        let mut text = [0; 256];
        let length = kernel::read_file(TaskPath::of(thread, b"/syscall").as_c_str(), &mut text);
        Self::read(text.get(..length).unwrap_or(&[]))
    }

    /// `running`, or a call and its arguments, and in the end stack pointer and place.
    fn read(line: &[u8]) -> Self {
        let mut words = line.trim_ascii().rsplit(|byte| *byte == b' ');
        let (Some(at), Some(stack)) = (words.next(), words.next()) else {
            return if line.is_empty() { Self::Gone } else { Self::Running };
        };
        Self::Still { stack: number(stack), at: number(at) }
    }
}

fn number(word: &[u8]) -> u64 {
    let digits = word.strip_prefix(b"0x").unwrap_or(word);
    digits
        .iter()
        .fold(0, |sum, byte| sum << 4 | char::from(*byte).to_digit(16).map_or(0, u64::from))
}

/// Asks a running thread; answers its stack pointer, `None` when it does not take the signal.
///
/// Sending and taking the signal order what is written before; the answer is one word.
fn ask(thread: u32) -> Option<u64> {
    STACK.store(0, Ordering::Relaxed);
    ASKED.store(thread, Ordering::Relaxed);
    if !send(thread) {
        ASKED.store(0, Ordering::Relaxed);
        return Some(0);
    }
    for _ in 0..LOOKS {
        let stack = STACK.load(Ordering::Relaxed);
        if stack != 0 {
            return Some(stack);
        }
        // It may have begun to wait for the end of the change since it was found running.
        trap_wait::wake_all();
        kernel::futex_wait(&ASKED, ASKED.load(Ordering::Relaxed), PAUSE);
    }
    if ASKED.compare_exchange(thread, 0, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
        return None;
    }
    // Who has begun to answer must be let finish: it reads the batch.
    loop {
        let stack = STACK.load(Ordering::Relaxed);
        if stack != 0 {
            return Some(stack);
        }
        kernel::give_way();
    }
}

/// Sends the signal with a mark that no other sender has; false when there is no such thread any more.
fn send(thread: u32) -> bool {
    // SAFETY: a structure of integers, for which zero is valid.
    let mut info: libc::siginfo_t = unsafe { core::mem::zeroed() };
    let signal = SIGNAL.load(Ordering::Relaxed);
    info.si_signo = signal as i32;
    info.si_code = libc::SI_QUEUE;
    // SAFETY: the mark lies where the kernel keeps a queued signal's value, inside the structure.
    unsafe { (&raw mut info).cast::<u64>().add(VALUE).write(mark()) };
    let process = kernel::process_id() as usize;
    let arguments = [process, thread as usize, signal as usize, &raw const info as usize, 0, 0];
    // SAFETY: the structure has the type the call takes.
    unsafe { kernel::call(libc::SYS_rt_tgsigqueueinfo, arguments) == 0 }
}

/// Where in a signal's description its value lies, in words.
const VALUE: usize = 3;

fn mark() -> u64 {
    &raw const ASKED as u64
}

/// Whether a signal was sent by [`ask`], however late it comes.
///
/// # Safety
/// `info` is a signal's description of the kernel's.
unsafe fn is_ours(info: *const libc::siginfo_t) -> bool {
    // SAFETY: the caller's promise.
    let (code, value) = unsafe { ((*info).si_code, info.cast::<u64>().add(VALUE).read()) };
    code == libc::SI_QUEUE && value == mark()
}

/// In the thread that is asked: moves it out of what is about to change.
///
/// # Safety
/// `context` is what the kernel interrupted, which a handler may change.
unsafe fn answer(context: *mut c_void) {
    let thread = kernel::thread_id();
    if ASKED.compare_exchange(thread, 0, Ordering::Relaxed, Ordering::Relaxed).is_err() {
        return;
    }
    // SAFETY: the caller's promise; the batch lives while it is asked for.
    let (context, batch) =
        unsafe { (&mut *context.cast::<Context>(), &*BATCH.load(Ordering::Relaxed)) };
    let registers = &mut context.uc_mcontext.gregs;
    if let Some(at) = registers.get_mut(libc::REG_RIP as usize)
        && let Some(copy) = batch.moved(*at as u64)
    {
        *at = copy as i64;
    }
    let stack = registers.get(libc::REG_RSP as usize).map_or(1, |stack| *stack as u64);
    // The program must not see that it was interrupted.
    interrupted_call::make_again(context);
    STACK.store(stack, Ordering::Relaxed);
}

/// Whether a word from `stack` to the end of its mapping is a place inside.
fn is_on_stack(stack: u64, batch: &Batch, text: &Text) -> bool {
    let Some(end) = maps::end_of_memory_around(stack) else { return false };
    let mut at = stack & !7;
    let mut bytes = [0; WORDS * 8];
    while at < end {
        let length = bytes.len().min((end - at) as usize);
        let Some(piece) = bytes.get_mut(..length) else { return true };
        if !text.read(at, piece) {
            return true;
        }
        let found = piece.chunks_exact(8).any(|word| {
            let word = word.try_into().map_or(0, u64::from_le_bytes);
            batch.moved(word).is_some()
        });
        if found {
            return true;
        }
        at += length as u64;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_shows_is_understood() {
        let blocked = b"7 0x7ffd 0x1 0xffffffffffffffff 0x0 0x0 0x0 0x7ffdc0a8 0x7f12e8\n";
        let still = ThreadStatus::Still { stack: 0x7ffd_c0a8, at: 0x7f_12e8 };
        assert_eq!(ThreadStatus::read(blocked), still);
        assert_eq!(ThreadStatus::read(b"-1 0x7ffdc0a8 0x7f12e8\n"), still);
        assert_eq!(ThreadStatus::read(b"running\n"), ThreadStatus::Running);
        assert_eq!(ThreadStatus::read(b""), ThreadStatus::Gone);
    }
}
