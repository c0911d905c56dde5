//! The outermost wrapper of a thread: wrapped calls made inside it pass through unseen.
//!
//! The thread's block holds the stack pointer of the wrapper it is in. Stacks grow downwards, so a
//! holder at or below the present stack pointer has been left by a jump, without `leave`.

use crate::thread_local::{Thread, thread};
use crate::view::Slot;
use crate::{kernel, process, slow};
use core::arch::asm;
use core::sync::atomic::Ordering;
use whyperf_layout::slot::node_of;

/// Return address of the wrapped call: the Fortran routine's where one is on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Site(pub u64);

/// Some when the caller is the outermost wrapper of this thread and the process is measured; then
/// [`leave`] must be called.
#[inline(always)]
#[must_use]
pub fn enter() -> Option<Site> {
    if !process::is_measured() {
        return None;
    }
    let block = thread();
    let stack = stack_pointer();
    // SAFETY: the calling thread's own block, here and below.
    let holder = unsafe { (*block).guard_stack };
    if holder != 0 && !left_behind(block, holder, stack) {
        return None;
    }
    // SAFETY: as above; a slot that is not null is mapped.
    unsafe {
        (*block).guard_stack = stack;
        let slot = (*block).slot;
        (*block).guard_node = if slot.is_null() {
            0
        } else {
            node_of(Slot::at(slot).head().word.load(Ordering::Relaxed))
        };
        if (*block).fortran_site != 0 {
            Some(fortran(block, stack))
        } else {
            Some(Site((*block).site))
        }
    }
}

/// Leaves what [`enter`] answered Some for.
#[inline(always)]
pub fn leave() {
    // SAFETY: the calling thread's own block.
    unsafe { (*thread()).guard_stack = 0 };
}

/// Whether the thread is inside a wrapper.
#[inline(always)]
#[must_use]
pub fn is_inside() -> bool {
    // SAFETY: the calling thread's own block.
    let holder = unsafe { (*thread()).guard_stack };
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
fn left_behind(block: *mut Thread, holder: u64, stack: u64) -> bool {
    holder <= stack && clean_up(block)
}

#[cold]
fn clean_up(block: *mut Thread) -> bool {
    // A handler on its own stack may well be above a wrapper that will go on.
    if kernel::on_signal_stack() {
        return false;
    }
    // SAFETY: the calling thread's own block.
    let node = unsafe { (*block).guard_node };
    if node != 0 {
        slow::abandon(node);
    }
    true
}

/// The Fortran routine's address if its call is still going on. Its stub jumped on, so its return
/// address still lies where the stub found it, a little above here.
#[cold]
fn fortran(block: *mut Thread, stack: u64) -> Site {
    const FAR: u64 = 64 << 10;
    // SAFETY: the calling thread's own block.
    let (site, at, plain) = unsafe {
        let site = core::mem::take(&mut (*block).fortran_site);
        (site, (*block).fortran_stack, (*block).site)
    };
    let near = at > stack && at - stack < FAR && at.is_multiple_of(8);
    // SAFETY: an aligned word of this thread's own stack, above the stack pointer.
    if near && unsafe { (at as *const u64).read_volatile() } == site {
        Site(site)
    } else {
        Site(plain)
    }
}
