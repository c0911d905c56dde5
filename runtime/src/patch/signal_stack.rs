//! The program's alternate signal stacks, on which its handlers run: whether a trap finds room on each of them.
//!
//! While code changes no handler blocks the traps, so one of ours may lie upon one of the program's, on the same stack.
//! A stack that was given before the library was loaded is not known here.

use core::sync::atomic::{AtomicBool, Ordering};

/// Bytes of the smallest stack with room for a handler and a trap upon it, with registers of 512 bits.
const ROOM: usize = 8192;

/// Whether the program ever gave a smaller one. It is set behind the gate, whose lock each change of code holds.
static HAS_SMALL: AtomicBool = AtomicBool::new(false);

/// Whether the trap finds no room on a stack of so many bytes.
#[must_use]
pub const fn is_small(bytes: usize) -> bool {
    bytes < ROOM
}

/// From now on code stays as it is. Between `gate::enter` and `gate::leave`, as is the call that gives the stack.
pub fn forbid_traps() {
    HAS_SMALL.store(true, Ordering::Relaxed);
}

/// Whether a trap finds room wherever a handler runs.
pub(super) fn has_room() -> bool {
    !HAS_SMALL.load(Ordering::Relaxed)
}
