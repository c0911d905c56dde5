//! The outermost wrapper of a thread: wrapped calls made inside it pass through unseen.
//!
//! The thread's block holds the stack pointer of the wrapper it is in. Stacks grow downwards, so a
//! holder at or below the present stack pointer has been left by a jump, without `leave`.

use crate::thread_local::{Block, thread};
use crate::view::Slot;
use crate::{kernel, measurement, slow};
use core::arch::asm;
use core::sync::atomic::Ordering;
use whyperf_layout::slot::node_of;

/// Return address of the wrapped call: the Fortran routine's where one is on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct CallerAddress(pub u64);

/// Some when the caller is the outermost wrapper of this thread and the process is measured; then
/// [`leave`] must be called.
#[inline(always)]
#[must_use]
pub fn enter() -> Option<CallerAddress> {
    if !measurement::is_measured() {
        return None;
    }
    let block = thread();
    let stack = stack_pointer();
    let holder = block.guard_stack.load(Ordering::Relaxed);
    if holder != 0 && !left_behind(block, holder, stack) {
        return None;
    }
    block.guard_stack.store(stack, Ordering::Relaxed);
    let slot = block.slot.load(Ordering::Relaxed);
    let node = if slot.is_null() {
        0
    } else {
        // SAFETY: not null, so it is this thread's slot, mapped and populated.
        node_of(unsafe { Slot::at(slot) }.head().word.load(Ordering::Relaxed))
    };
    block.guard_node.store(node, Ordering::Relaxed);
    if block.fortran_site.load(Ordering::Relaxed) != 0 {
        Some(fortran(block))
    } else {
        Some(CallerAddress(block.site.load(Ordering::Relaxed)))
    }
}

/// Leaves what [`enter`] answered Some for.
#[inline(always)]
pub fn leave() {
    thread().guard_stack.store(0, Ordering::Relaxed);
}

/// Whether the thread is inside a wrapper.
#[inline(always)]
#[must_use]
pub fn is_inside() -> bool {
    let holder = thread().guard_stack.load(Ordering::Relaxed);
    holder >= stack_pointer()
}

#[inline(always)]
fn stack_pointer() -> u64 {
    let stack: u64;
    // SAFETY: copies a register.
    unsafe { asm!("mov {}, rsp", out(reg) stack, options(nomem, nostack, preserves_flags)) };
    stack
}

/// Whether the holder was jumped out of; then what it left open is closed.
#[inline(always)]
fn left_behind(block: Block, holder: u64, stack: u64) -> bool {
    holder <= stack && clean_up(block)
}

#[cold]
fn clean_up(block: Block) -> bool {
    // A handler on its own stack may well be above a wrapper that will go on.
    if kernel::on_signal_stack() {
        return false;
    }
    let node = block.guard_node.load(Ordering::Relaxed);
    if node != 0 {
        slow::abandon(node);
    }
    true
}

/// The Fortran routine's address if its call is still going on. Its stub jumped on, so its return
/// address still lies where the stub found it, a little above here.
#[cold]
fn fortran(block: Block) -> CallerAddress {
    const FAR: u64 = 64 << 10;
    let stack = stack_pointer();
    let site = block.fortran_site.load(Ordering::Relaxed);
    block.fortran_site.store(0, Ordering::Relaxed);
    let at = block.fortran_stack.load(Ordering::Relaxed);
    let plain = block.site.load(Ordering::Relaxed);
    let near = at > stack && at - stack < FAR && at.is_multiple_of(8);
    // SAFETY: an aligned word of this thread's own stack, above the stack pointer.
    if near && unsafe { (at as *const u64).read_volatile() } == site {
        CallerAddress(site)
    } else {
        CallerAddress(plain)
    }
}
