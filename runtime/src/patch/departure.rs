//! Ways out of a function that are no return: long jumps and other contexts.
//!
//! The calls that were left are ended at once, and the current node is corrected. A way out that is not announced is
//! corrected by the next return of a function further out.

use super::calls;
use crate::kernel;
use crate::thread_local::thread;
use core::arch::asm;
use whyperf_layout::slot;

/// Stacks are smaller than this; what lies further away is another one.
const STACK: u64 = 64 << 20;

/// A long jump to the frame with this stack pointer is about to be made.
pub fn jump(to: u64) {
    let from = stack_pointer();
    let aside = if to.wrapping_sub(from) < STACK {
        0..0
    } else if let Some(handlers) = kernel::signal_stack() {
        // Out of a handler on a stack of its own.
        handlers
    } else {
        return;
    };
    calls::leave(|frame| frame < to || aside.contains(&frame));
}

/// The context with this stack pointer is about to be made current for good.
pub fn jump_to_context(to: u64) {
    if to.wrapping_sub(stack_pointer()) < STACK {
        jump(to);
    }
}

/// What was current on a thread when it left a context.
#[derive(Clone, Copy, Debug)]
pub struct DepartureState {
    tag: u32,
    node: u32,
    top: usize,
}

/// Another context is about to be made current; [`come_back`] wants the answer.
#[must_use]
pub fn leave_context() -> DepartureState {
    let block = thread();
    calls::recordable(&block).map_or(
        DepartureState { tag: 0, node: 0, top: 0 },
        |(private, calls)| DepartureState {
            tag: calls.tag(),
            node: calls::current(private),
            top: calls.depth(),
        },
    )
}

/// This context is current again, maybe on another thread, which it does not concern then.
pub fn come_back(place: DepartureState) {
    let block = thread();
    let Some((private, calls)) = calls::recordable(&block) else { return };
    if place.tag == 0 || place.tag != calls.tag() {
        return;
    }
    calls.restore(place.top);
    let current = calls::current(private);
    if current != place.node && calls::exists(private, place.node) {
        let slot = private.slot();
        let (head, node) = (slot.head(), slot.node(current));
        slot::begin(head, node, slot.stamp(current), place.node, crate::clock::now());
    }
}

#[inline(always)]
fn stack_pointer() -> u64 {
    let stack: u64;
    // SAFETY: copies a register.
    unsafe { asm!("mov {}, rsp", out(reg) stack, options(nomem, nostack, preserves_flags)) };
    stack
}
