//! The choice of the trap by which code is changed, and its handler.
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

use super::signal_disposition::{SignalDisposition, behind, is_none, keep};
use super::trap::{self, TRAPS, Trap};
use super::{front, gate, threads};
use crate::kernel::{self, Disposition};
use core::sync::atomic::AtomicU32;

/// Chooses the trap for the next change and sees that it is caught; false when the program, or the kernel,
/// leaves none. No other thread changes handlers.
pub(super) fn choose(_: &gate::Closed) -> bool {
    let free = TRAPS.iter().position(|trap| is_ours(trap) || install(trap));
    let free = free.or_else(|| TRAPS.iter().position(|trap| is_before_report(trap.signal)));
    trap::choose(free.unwrap_or(0));
    free.is_some()
}

/// Whether a trap of this signal may lie in the code: the program does nothing about the signal, or only reports its
/// own end at it.
pub(super) fn may_lie(signal: i32) -> bool {
    is_none(behind(signal).handler) || is_before_report(signal)
}

/// Whether the front lies before a handler of the program's that only reports how the program ends.
fn is_before_report(signal: i32) -> bool {
    let behind = behind(signal);
    let is_kept = behind.flags & libc::SA_RESETHAND as u64 == 0;
    is_kept
        && !is_none(behind.handler)
        && wanted(libc::SIGABRT) == Some(behind.handler)
        && kernel::disposition(signal).is_some_and(|now| front::is_front(now.handler))
}

/// The handler that the program wants for a signal, if the kernel tells.
fn wanted(signal: i32) -> Option<usize> {
    let now = kernel::disposition(signal)?.handler;
    Some(if front::is_front(now) { behind(signal).handler } else { now })
}

/// Whether its handler is there, and none of the program's behind it.
fn is_ours(trap: &Trap) -> bool {
    let is_front = |now: Disposition| front::is_front(now.handler);
    behind(trap.signal).handler == libc::SIG_DFL
        && kernel::disposition(trap.signal).is_some_and(is_front)
}

/// Installs the handler where nothing else is. One that ignores the signal hands that down to the programs that it
/// starts. It stays: a trap that was taken may arrive late.
fn install(trap: &Trap) -> bool {
    let is_free = |now: Disposition| now.handler == libc::SIG_DFL;
    if !kernel::disposition(trap.signal).is_some_and(is_free) {
        return false;
    }
    keep(trap.signal, SignalDisposition { handler: libc::SIG_DFL, flags: 0, mask: 0 });
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
pub(super) fn stays(signal: i32, new: Option<SignalDisposition>) -> bool {
    let is_default = new.is_some_and(|new| new.handler == libc::SIG_DFL);
    let is_trap = TRAPS.iter().any(|trap| trap.signal == signal);
    let is_front = |now: Disposition| front::is_front(now.handler);
    is_default && is_trap && kernel::disposition(signal).is_some_and(is_front) && {
        keep(signal, SignalDisposition { handler: libc::SIG_DFL, flags: 0, mask: 0 });
        put(signal)
    }
}

/// Gives a signal of ours its default disposition back, once no thread has one on its way.
pub(super) fn remove(signal: i32) {
    if wait_until_over(signal) {
        kernel::set_default(signal);
    }
}

/// Waits until no thread has this signal on its way; false when one has it for long.
pub(super) fn wait_until_over(signal: i32) -> bool {
    const LOOKS: u32 = 1000;
    const PAUSE: u64 = 100_000;
    let unshared = AtomicU32::new(0);
    (0..LOOKS).any(|_| {
        let is_over = !threads::is_pending(signal);
        if !is_over {
            kernel::futex_wait(&unshared, 0, PAUSE);
        }
        is_over
    })
}
