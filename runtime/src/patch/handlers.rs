//! The program's signal handlers: which of them the front lies before, and what of it the program sees.
//!
//! The front lies before every handler of the program's from the first change of code on, until the measurement ends.
//! It has the flags and the mask of the handler behind it, so the kernel does what the program said.

use super::disposition::Wish;
use super::{front, gate, inspection, trap};
use crate::kernel::{self, Disposition};
use crate::{attach_request, process, sigbus_handler};
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use whyperf_layout::attach_request::SIGNAL;

/// Signals are numbered from 1 to this.
pub(super) const LAST: i32 = 64;
/// The second signal that the C library keeps for itself; what it does about it never looks at the context.
const PRIVATE: i32 = 33;

/// What the program wants to happen at a signal before which the front lies.
#[derive(Debug)]
struct Behind {
    handler: AtomicUsize,
    flags: AtomicU64,
    mask: AtomicU64,
}

static BEHIND: [Behind; LAST as usize + 1] = [const {
    Behind {
        handler: AtomicUsize::new(libc::SIG_DFL),
        flags: AtomicU64::new(0),
        mask: AtomicU64::new(0),
    }
}; LAST as usize + 1];

/// Whether the front lies before handlers, and the process in which it does: a child of `vfork` has this memory, but
/// handlers of its own.
static IS_IN_FRONT: AtomicBool = AtomicBool::new(false);
static PROCESS: AtomicUsize = AtomicUsize::new(0);

/// From here on the front lies before every handler of the program's. Nobody else changes handlers: the gate is closed.
pub(super) fn lie_in_front(_: &gate::Closed) {
    PROCESS.store(kernel::process_id() as usize, Ordering::Relaxed);
    IS_IN_FRONT.store(true, Ordering::Relaxed);
    (1..=LAST).for_each(cover);
}

/// Whether it does, in this process.
pub fn are_in_front() -> bool {
    IS_IN_FRONT.load(Ordering::Relaxed)
        && PROCESS.load(Ordering::Relaxed) == kernel::process_id() as usize
}

/// Lays the front before the handler of a signal if it is the program's, or the C library's.
pub fn cover(signal: i32) {
    let Some(now) = kernel::disposition(signal) else { return };
    let is_ours = front::is_front(now.handler)
        || sigbus_handler::is_handler(now.handler)
        || inspection::is_handler(now.handler)
        || attach_request::is_handler(now.handler);
    if is_none(now.handler) || is_ours || signal == PRIVATE {
        return;
    }
    keep(signal, Wish { handler: now.handler, flags: now.flags, mask: now.mask });
    // SAFETY: the front goes on to the handler that was there, with the flags and the way back of that.
    unsafe { kernel::dispose_as_it_is(signal, &Disposition { handler: front::address(), ..now }) };
}

/// Whether the C library handles the signal that it cancels threads with.
#[must_use]
pub fn has_library_handler() -> bool {
    let now = kernel::disposition(SIGNAL).map_or(libc::SIG_DFL, |now| now.handler);
    !is_none(now) && !attach_request::is_handler(now)
}

/// Lays the front before it.
pub fn cover_library_handler() {
    if are_in_front() {
        cover(SIGNAL);
    }
}

/// Blocks every signal in the calling thread; answers what it blocked before.
#[must_use]
pub fn block_all() -> u64 {
    kernel::block_signals()
}

/// The calling thread blocks these again.
pub fn unblock(before: u64) {
    kernel::restore_signals(before);
}

/// Gives the program's handlers back to the kernel; the traps', while no thread has one on its way.
pub(crate) fn step_aside() {
    IS_IN_FRONT.store(false, Ordering::Relaxed);
    for signal in 1..=LAST {
        let Some(now) = kernel::disposition(signal).filter(|now| front::is_front(now.handler))
        else {
            continue;
        };
        let behind = behind(signal);
        if is_none(behind.handler) {
            trap::remove(signal);
        } else if !trap::may_lie(signal) || trap::is_over(signal) {
            // SAFETY: the handler that was there before the front, with its own flags and way back.
            unsafe {
                kernel::dispose_as_it_is(signal, &Disposition { handler: behind.handler, ..now })
            };
        }
    }
}

/// What the program wants to happen at a signal before which the front lies.
pub(super) fn behind(signal: i32) -> Wish {
    let Some(behind) = BEHIND.get(signal as usize) else {
        return Wish { handler: libc::SIG_DFL, flags: 0, mask: 0 };
    };
    Wish {
        handler: behind.handler.load(Ordering::Relaxed),
        flags: behind.flags.load(Ordering::Relaxed),
        mask: behind.mask.load(Ordering::Relaxed),
    }
}

/// The handler that the program wants for a signal, if the kernel tells.
pub(super) fn wanted(signal: i32) -> Option<usize> {
    let now = kernel::disposition(signal)?.handler;
    Some(if front::is_front(now) { behind(signal).handler } else { now })
}

/// Keeps what the program wants.
pub(super) fn keep(signal: i32, wish: Wish) {
    if let Some(behind) = BEHIND.get(signal as usize) {
        behind.flags.store(wish.flags, Ordering::Relaxed);
        behind.mask.store(wish.mask, Ordering::Relaxed);
        behind.handler.store(wish.handler, Ordering::Relaxed);
    }
}

/// Whether this number stands for no handler.
pub(super) fn is_none(handler: usize) -> bool {
    matches!(handler, libc::SIG_DFL | libc::SIG_IGN)
}

/// A thread is about to have this mask, in a way that is not asked at the gate: it blocks the traps of it at once.
pub fn block_traps(mask: u64) {
    let traps = mask & trap::SIGNALS;
    if traps != 0 && process::is_measured() {
        gate::enter();
        kernel::block_also(traps);
        gate::leave();
    }
}

/// A mask to wait with, in which traps that may lie in the code are blocked as they are now.
#[must_use]
pub fn with_traps_as_outside(mask: u64) -> u64 {
    let mut traps = trap::SIGNALS;
    for signal in [libc::SIGTRAP, libc::SIGILL] {
        // What the program handles is no trap.
        if !trap::may_lie(signal) {
            traps &= !(1 << (signal - 1));
        }
    }
    mask & !traps | kernel::blocked() & traps
}
