//! The program's signal handlers: which of them the front lies before, and what of it the program sees.
//!
//! The front lies before every handler of the program's from the first change of code on, until the measurement ends.
//! It has the flags and the mask of the handler behind it, so the kernel does what the program said.

use super::signal_disposition::{LAST, SignalDisposition, behind, is_none, keep};
use super::{front, gate, inspection, trap_choice, trap_signals};
use crate::kernel::{self, Disposition};
use crate::{attach_request, sigbus_handler};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use whyperf_layout::attach_request::SIGNAL;

/// The second signal that the C library keeps for itself; what it does about it never looks at the context.
const PRIVATE: i32 = 33;

/// Whether the front lies before handlers, and the process in which it does: a child of `vfork` has this memory, but
/// handlers of its own.
static IS_IN_FRONT: AtomicBool = AtomicBool::new(false);
static PROCESS: AtomicUsize = AtomicUsize::new(0);

/// From here on the front lies before every handler of the program's. No other thread changes handlers: the gate is closed.
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
    keep(signal, SignalDisposition { handler: now.handler, flags: now.flags, mask: now.mask });
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

/// Gives the program's handlers back to the kernel, and the signals of ours that have none behind; each of those only while no
/// thread has one on its way, for its default action ends the program.
pub(crate) fn step_aside() {
    IS_IN_FRONT.store(false, Ordering::Relaxed);
    for signal in 1..=LAST {
        let Some(now) = kernel::disposition(signal).filter(|now| front::is_front(now.handler))
        else {
            continue;
        };
        let behind = behind(signal);
        if is_none(behind.handler) {
            trap_choice::remove(signal);
        } else if !trap_choice::may_lie(signal) || trap_choice::wait_until_over(signal) {
            // SAFETY: the handler that was there before the front, with its own flags and way back.
            unsafe {
                kernel::dispose_as_it_is(signal, &Disposition { handler: behind.handler, ..now })
            };
        }
    }
    inspection::end();
}

/// A mask to wait with, in which traps that may lie in the code are blocked as they are now.
#[must_use]
pub fn with_traps_as_outside(mask: u64) -> u64 {
    let mut traps = trap_signals::SIGNALS;
    for signal in [libc::SIGTRAP, libc::SIGILL] {
        // What the program handles is no trap.
        if !trap_choice::may_lie(signal) {
            traps &= !(1 << (signal - 1));
        }
    }
    mask & !traps | kernel::blocked() & traps
}
