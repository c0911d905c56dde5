//! The program's signal dispositions: while code changes, no handler begins that blocks a trap, and the program does not
//! see dispositions of ours.

use super::gate::Closed;
use super::signal_disposition::{self, SignalDisposition};
use super::{front, handlers, inspection, trap_choice};
use crate::kernel::{self, Disposition};
use crate::lock::Held;
use crate::sigbus_handler;

/// The handlers of which the masks were changed.
#[derive(Debug, Default)]
pub(super) struct Unblocked {
    /// Those from whose masks each of the unwanted signals was taken, a bit for each handler's signal.
    taken: [u64; 3],
}

impl Unblocked {
    /// Takes the traps, and the signal that asks where a thread stands, out of the masks of all handlers. No other
    /// thread changes them: the gate is closed.
    pub(super) fn new(_: &Closed) -> Self {
        let mut changed = Self::default();
        let all = unwanted().iter().fold(0, |all, one| all | one);
        for signal in 1..=signal_disposition::LAST {
            let Some(now) = kernel::disposition(signal) else { continue };
            let is_handled = !matches!(now.handler, libc::SIG_DFL | libc::SIG_IGN);
            let blocked = now.mask & all;
            if is_handled
                && blocked != 0
                && put(signal, Disposition { mask: now.mask & !all, ..now })
            {
                for (taken, one) in changed.taken.iter_mut().zip(unwanted()) {
                    *taken |= if blocked & one == 0 { 0 } else { bit(signal) };
                }
            }
        }
        changed
    }
}

impl Drop for Unblocked {
    fn drop(&mut self) {
        for signal in 1..=signal_disposition::LAST {
            let taken = self.taken.iter().zip(unwanted());
            let taken = taken.filter(|(handlers, _)| **handlers & bit(signal) != 0);
            let mask = taken.fold(0, |mask, (_, one)| mask | one);
            if mask != 0
                && let Some(now) = kernel::disposition(signal)
            {
                put(signal, Disposition { mask: now.mask | mask, ..now });
            }
        }
    }
}

/// The signals that no handler is to block, each in a set of its own.
fn unwanted() -> [u64; 3] {
    let question = inspection::signal().map_or(0, bit);
    [bit(libc::SIGTRAP), bit(libc::SIGILL), question]
}

/// The same handler, with the program's own way back.
fn put(signal: i32, new: Disposition) -> bool {
    // SAFETY: handler, flags and routine are those that the kernel told of; only the mask is another.
    unsafe { kernel::dispose_as_it_is(signal, &new) }
}

const fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// The program replaces what happens at a signal, or asks, by `real`, between `gate::enter` and `gate::leave`.
/// Answers what `real` did, `None` when it was not needed, and what the program had wanted before, should `real`
/// tell of ours.
pub fn exchange(
    signal: i32,
    new: Option<SignalDisposition>,
    real: impl FnOnce() -> usize,
) -> (Option<usize>, SignalDisposition) {
    let held = Held::take();
    let before = signal_disposition::behind(signal);
    let is_ours = handlers::are_in_front();
    let result = if is_ours && trap_choice::stays(signal, new) { None } else { Some(real()) };
    if is_ours && result.is_some() {
        handlers::cover(signal);
    }
    drop(held);
    (result, before)
}

/// What the program learns of the handler that the kernel told of, before which it had wanted that; `None` when it is
/// not ours.
#[must_use]
pub fn behind(handler: usize, before: SignalDisposition) -> Option<SignalDisposition> {
    let nothing = SignalDisposition { handler: libc::SIG_DFL, flags: 0, mask: 0 };
    let is_front = front::is_front(handler);
    // Those are there only where the program had nothing.
    let is_alone = inspection::is_handler(handler) || sigbus_handler::is_handler(handler);
    is_front.then_some(before).or_else(|| is_alone.then_some(nothing))
}
