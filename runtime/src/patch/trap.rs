//! Traps: a thread that runs into a site while its bytes change goes on in the copy.
//!
//! A change begins with a trap in the first byte, which alone may be swapped at any time. A thread that meets it is sent to
//! the copy of the function's first instructions, is not counted, and sees no difference.

use super::{gate, trap_signals, trap_wait};
use crate::functions::site;
use crate::interrupted_call::Context;
use crate::{kernel, measurement};
use core::sync::atomic::{AtomicUsize, Ordering};

/// A way to trap.
#[derive(Debug)]
pub(super) struct Trap {
    /// The signal that it raises.
    pub(super) signal: i32,
    /// The instruction.
    byte: u8,
    /// The processor's number for it, as the context has it.
    number: i64,
    /// How far behind the instruction the context says that the thread is.
    past: u64,
}

/// The first that the program leaves alone is taken.
pub(super) const TRAPS: [Trap; 2] = [
    Trap { signal: libc::SIGTRAP, byte: 0xcc, number: 3, past: 1 },
    Trap { signal: libc::SIGILL, byte: 0x06, number: 6, past: 0 },
];

/// The one by which code is changed now.
static CHOSEN: AtomicUsize = AtomicUsize::new(0);

/// Changes code by this one from here on.
pub(super) fn choose(number: usize) {
    CHOSEN.store(number, Ordering::Relaxed);
}

/// The byte of the chosen one.
pub(super) fn byte() -> u8 {
    TRAPS.get(CHOSEN.load(Ordering::Relaxed)).map_or(0xcc, |trap| trap.byte)
}

/// The bytes of all of them.
pub(super) fn bytes() -> impl Iterator<Item = u8> {
    TRAPS.iter().map(|trap| trap.byte)
}

/// Whether the signal tells of a trap of ours; then the thread goes on in the copy.
pub(super) fn is_met(signal: i32, context: &mut Context) -> bool {
    let registers = &mut context.uc_mcontext.gregs;
    let stack = registers.get(libc::REG_RSP as usize).map_or(0, |stack| *stack as u64);
    let number = registers.get(libc::REG_TRAPNO as usize).copied();
    let is_one = |trap: &&Trap| trap.signal == signal && Some(trap.number) == number;
    let Some(trap) = TRAPS.iter().find(is_one) else { return false };
    if let Some(place) = registers.get_mut(libc::REG_RIP as usize)
        && let Some(copy) = site::copy_of((*place as u64).wrapping_sub(trap.past))
    {
        *place = copy as i64;
        trap_wait::met(stack);
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

/// A thread is about to have this mask, in a way that is not asked at the gate: it blocks the traps of it at once.
pub fn block_traps(mask: u64) {
    let traps = mask & trap_signals::SIGNALS;
    if traps != 0 && measurement::is_measured() {
        gate::enter();
        kernel::block_also(traps);
        gate::leave();
    }
}
