//! Traps: who runs into a site while its bytes change goes on in the copy.
//!
//! A change begins with a trap in the first byte, which alone may be swapped at any time. Whoever
//! meets it is led to the copy of the function's first instructions, uncounted, and sees no
//! difference.
//!
//! ```text
//!   SIGTRAP   int3                    where the program does nothing about SIGTRAP
//!   SIGILL    an invalid instruction  else, where it does nothing about SIGILL
//!   SIGTRAP   int3                    else, where its handler only reports how the program ends
//!   none      code is not changed     else: a handler of the program's runs with its own signal blocked, and a thread
//!                                     that meets a trap while its signal is blocked is killed
//! ```
//! A handler that is SIGABRT's, too, reports how the program ends, and never goes on: that of Fortran's library is one,
//! in every program of gfortran. A trap that is not ours goes on to it.

use super::disposition::Wish;
use super::{front, gate, handlers, site, threads};
use crate::interrupted_call::Context;
use crate::kernel::{self, Disposition};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// A way to trap.
#[derive(Debug)]
struct Trap {
    signal: i32,
    /// The instruction.
    byte: u8,
    /// The processor's number for it, as the context has it.
    number: i64,
    /// How far behind the instruction the context says that the thread is.
    past: u64,
}

/// The first that the program leaves alone is taken.
const TRAPS: [Trap; 2] = [
    Trap { signal: libc::SIGTRAP, byte: 0xcc, number: 3, past: 1 },
    Trap { signal: libc::SIGILL, byte: 0x06, number: 6, past: 0 },
];

/// The signals that any of them may raise, a bit for each: no thread blocks one while code changes.
pub const SIGNALS: u64 = bit(libc::SIGTRAP) | bit(libc::SIGILL);

/// The one by which code is changed now.
static CHOSEN: AtomicUsize = AtomicUsize::new(0);

/// Chooses the trap for the next change and sees that it is caught; false when the program, or the kernel,
/// leaves none. Nobody else changes handlers.
pub(super) fn choose(_: &gate::Closed) -> bool {
    let free = TRAPS.iter().position(|trap| is_ours(trap) || install(trap));
    let free = free.or_else(|| TRAPS.iter().position(|trap| is_before_report(trap.signal)));
    CHOSEN.store(free.unwrap_or(0), Ordering::Relaxed);
    free.is_some()
}

/// Whether a trap of this signal may lie in the code: the program does nothing about the signal, or only reports its
/// own end at it.
pub(super) fn may_lie(signal: i32) -> bool {
    handlers::is_none(handlers::behind(signal).handler) || is_before_report(signal)
}

/// Whether the front lies before a handler of the program's that only reports how the program ends.
fn is_before_report(signal: i32) -> bool {
    let behind = handlers::behind(signal);
    let is_kept = behind.flags & libc::SA_RESETHAND as u64 == 0;
    is_kept
        && !handlers::is_none(behind.handler)
        && handlers::wanted(libc::SIGABRT) == Some(behind.handler)
        && kernel::disposition(signal).is_some_and(|now| front::is_front(now.handler))
}

/// The byte of the chosen one.
pub(super) fn byte() -> u8 {
    TRAPS.get(CHOSEN.load(Ordering::Relaxed)).map_or(0xcc, |trap| trap.byte)
}

/// The bytes of all of them.
pub(super) fn bytes() -> impl Iterator<Item = u8> {
    TRAPS.iter().map(|trap| trap.byte)
}

/// Whether its handler is there, and none of the program's behind it.
fn is_ours(trap: &Trap) -> bool {
    let is_front = |now: Disposition| front::is_front(now.handler);
    handlers::behind(trap.signal).handler == libc::SIG_DFL
        && kernel::disposition(trap.signal).is_some_and(is_front)
}

/// Installs the handler where nothing else is. One that ignores the signal hands that down to the programs that it
/// starts. It stays: a trap that was taken may arrive late.
fn install(trap: &Trap) -> bool {
    let is_free = |now: Disposition| now.handler == libc::SIG_DFL;
    if !kernel::disposition(trap.signal).is_some_and(is_free) {
        return false;
    }
    handlers::keep(trap.signal, Wish { handler: libc::SIG_DFL, flags: 0, mask: 0 });
    put(trap.signal)
}

fn put(signal: i32) -> bool {
    let flags = (libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART) as u64;
    // Nothing comes in between: each handler takes kilobytes of a stack that the program made as small as it could.
    let new =
        Disposition { handler: front::address(), flags, mask: u64::MAX, ..Disposition::default() };
    // SAFETY: the front has the type that the flags say; it uses atomics and the interrupted context, or does what the
    // program itself would have done at this moment.
    unsafe { kernel::dispose(signal, new) }
}

/// The program wants the default again, but the handler of traps stays; false when the kernel is to do it.
pub(super) fn stays(signal: i32, new: Option<Wish>) -> bool {
    let is_default = new.is_some_and(|new| new.handler == libc::SIG_DFL);
    let is_trap = TRAPS.iter().any(|trap| trap.signal == signal);
    let is_front = |now: Disposition| front::is_front(now.handler);
    is_default && is_trap && kernel::disposition(signal).is_some_and(is_front) && {
        handlers::keep(signal, Wish { handler: libc::SIG_DFL, flags: 0, mask: 0 });
        put(signal)
    }
}

/// Gives a trap's signal its default disposition back, once no thread has one on its way.
pub(super) fn remove(signal: i32) {
    if is_over(signal) {
        kernel::set_default(signal);
    }
}

/// Waits until no thread has this signal on its way; false when one has it for long.
pub(super) fn is_over(signal: i32) -> bool {
    const LOOKS: u32 = 1000;
    const PAUSE: u64 = 100_000;
    let nobody = AtomicU32::new(0);
    (0..LOOKS).any(|_| {
        let is_over = !threads::is_pending(signal);
        if !is_over {
            kernel::futex_wait(&nobody, 0, PAUSE);
        }
        is_over
    })
}

/// Whether the signal tells of a trap of ours; then the thread goes on in the copy.
pub(super) fn is_met(signal: i32, context: &mut Context) -> bool {
    let registers = &mut context.uc_mcontext.gregs;
    let number = registers.get(libc::REG_TRAPNO as usize).copied();
    let is_one = |trap: &&Trap| trap.signal == signal && Some(trap.number) == number;
    let Some(trap) = TRAPS.iter().find(is_one) else { return false };
    if let Some(place) = registers.get_mut(libc::REG_RIP as usize)
        && let Some(copy) = site::copy_of((*place as u64).wrapping_sub(trap.past))
    {
        *place = copy as i64;
        return true;
    }
    false
}

/// Does what would have happened without the handler: a fault repeats, or is sent again, when it returns.
#[cold]
pub(super) fn strike(signal: i32) {
    kernel::set_default(signal);
    kernel::send_to_thread(signal);
}

const fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}
