//! Long jumps: what they leave of instrumented functions is ended.
//!
//! The C library hides the stack pointer in the buffer of a jump; of glibc's it is known how. Each of
//! these functions goes on to the real one, which does not return.

use core::arch::asm;

use whyperf_runtime::patch::departure;

use crate::wrapped::{accompanied, keep_errno};

accompanied! {
    longjmp(buffer, value) leave(buffer);
    _longjmp(buffer, value) leave(buffer);
    siglongjmp(buffer, value) leave(buffer);
    __longjmp_chk(buffer, value) leave(buffer);
}

/// The word of the buffer that holds the stack pointer.
const STACK: usize = 6;
/// Where glibc keeps the guard that it mixes into it, from the thread pointer on.
const GUARD: usize = 0x30;

fn leave(buffer: usize) {
    // SAFETY: the program passes the buffer that `setjmp` filled: eight words at least.
    let hidden = unsafe { (buffer as *const u64).add(STACK).read() };
    keep_errno(|| departure::jump(hidden.rotate_right(17) ^ guard()));
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
