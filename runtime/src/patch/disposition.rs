//! The program's handlers of signals: while code changes none begins that blocks the trap, and what of ours is
//! among them the program does not see.

use super::gate::Closed;
use super::{inspection, trap};
use crate::kernel::{self, Disposition};

/// Signals are numbered from 1 to this.
const LAST: i32 = 64;

/// The handlers of which the masks were changed, a bit for each signal.
#[derive(Debug)]
pub(super) struct Unblocked {
    trap: u64,
    question: u64,
}

impl Unblocked {
    /// Takes the trap, and the signal that asks where a thread stands, out of the masks of all handlers. Nobody
    /// else changes them: the gate is closed.
    pub(super) fn new(_: &Closed) -> Self {
        let mut changed = Self { trap: 0, question: 0 };
        let (trap, question) = (bit(libc::SIGTRAP), inspection::signal().map_or(0, bit));
        for signal in 1..=LAST {
            let Some(now) = kernel::disposition(signal) else { continue };
            if matches!(now.handler, libc::SIG_DFL | libc::SIG_IGN) {
                continue;
            }
            if now.mask & (trap | question) == 0 {
                continue;
            }
            let (had_trap, had_question) = (now.mask & trap != 0, now.mask & question != 0);
            if put(signal, Disposition { mask: now.mask & !(trap | question), ..now }) {
                changed.trap |= if had_trap { bit(signal) } else { 0 };
                changed.question |= if had_question { bit(signal) } else { 0 };
            }
        }
        changed
    }
}

impl Drop for Unblocked {
    fn drop(&mut self) {
        for signal in (1..=LAST).filter(|signal| (self.trap | self.question) & bit(*signal) != 0) {
            if let Some(now) = kernel::disposition(signal) {
                let trap = if self.trap & bit(signal) != 0 { bit(libc::SIGTRAP) } else { 0 };
                let is_asked = self.question & bit(signal) != 0;
                let question = inspection::signal().filter(|_| is_asked).map_or(0, bit);
                put(signal, Disposition { mask: now.mask | trap | question, ..now });
            }
        }
    }
}

/// The same handler, with the program's own way back.
fn put(signal: i32, new: Disposition) -> bool {
    // SAFETY: handler, flags and routine are those that the kernel told of; only the mask is another.
    unsafe { kernel::dispose_as_it_is(signal, &new) }
}

const fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// What the program wants to happen, or learns that would happen, at a signal: the kernel's view of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The handler's address, or one of the two numbers that stand for none.
    pub handler: usize,
    /// `SA_` flags.
    pub flags: u64,
    /// Signals that are blocked meanwhile.
    pub mask: u64,
}

/// The program replaces what happens at a signal, between `gate::enter` and `gate::leave`. What it learns
/// had happened before; `None` when the kernel has to be asked.
#[must_use]
pub fn replace(signal: i32, new: Option<Wish>) -> Option<Wish> {
    (signal == libc::SIGTRAP).then(|| trap::replace(new)).flatten()
}

/// What the program learns of the handler that the kernel told of; `None` when it is not ours.
#[must_use]
pub fn behind(handler: usize) -> Option<Wish> {
    let nothing = Wish { handler: libc::SIG_DFL, flags: 0, mask: 0 };
    trap::behind(handler).or_else(|| inspection::is_handler(handler).then_some(nothing))
}
