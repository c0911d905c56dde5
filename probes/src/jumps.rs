//! Wrappers of long jumps: they end the calls of instrumented functions that the jump leaves.
//!
//! The C library hides the stack pointer in the buffer of a jump; for glibc it is known how. Each of these functions goes
//! on to the real one, which does not return.

use core::arch::asm;

use whyperf_runtime::patch::{departure, trap};

use crate::wrapped::{accompanied, keep_errno};

accompanied! {
    longjmp(buffer, value) leave(buffer);
    _longjmp(buffer, value) leave(buffer);
    siglongjmp(buffer, value) leave(buffer);
    __longjmp_chk(buffer, value) leave(buffer);
}

/// The word of the buffer that holds the stack pointer.
const STACK: usize = 6;
/// Where the buffer says whether `sigsetjmp` put a mask into it, and the mask.
const HAS_MASK: usize = 64;
const MASK: usize = 72;
/// Where glibc keeps the guard that it mixes into it, from the thread pointer on.
const GUARD: usize = 0x30;

/// # Safety
/// It must be a buffer that `setjmp` or one of its kin filled.
unsafe fn leave(buffer: usize) {
    // SAFETY: the caller's promise: eight words at least.
    let hidden = unsafe { (buffer as *const u64).add(STACK).read() };
    // SAFETY: behind them the buffer says whether it has a mask, and has one.
    let mask = unsafe {
        let is_there = (buffer as *const u32).byte_add(HAS_MASK).read() != 0;
        if is_there { (buffer as *const u64).byte_add(MASK).read() } else { 0 }
    };
    keep_errno(|| {
        departure::jump(hidden.rotate_right(17) ^ guard());
        trap::block_traps(mask);
    });
}

fn guard() -> u64 {
    let guard: u64;
    // SAFETY: a word of the thread control block, there in every thread that glibc knows.
    unsafe {
        asm!(
            "mov {guard}, qword ptr fs:[{at}]",
            guard = out(reg) guard,
            at = const GUARD,
            options(nostack, readonly, preserves_flags),
        );
    }
    guard
}
