//! The 64 bytes each thread has: found by two instructions, without a call.
//!
//! `thread_local!` in a shared object calls `__tls_get_addr`, which costs 2 ns an event and forces
//! registers to be saved. So the block is a symbol of its own in `.tbss`, reached by the
//! initial-exec model. New thread-local storage is zero; zero means "not registered".

use core::arch::{asm, global_asm};

/// What a thread keeps for itself; nobody else reads it.
#[derive(Debug)]
#[repr(C)]
pub struct Thread {
    /// Its slot, null while it has none or while the cold path works on it.
    pub slot: *mut u8,
    /// Its direct-mapped cache of children, valid while `slot` is.
    pub cache: *mut u32,
    /// Return address of the wrapped call being entered, stored by the entry stub.
    pub site: u64,
    /// Return address of the Fortran routine being entered, 0 when none is.
    pub fortran_site: u64,
    /// Stack pointer at that moment, to tell a stale one.
    pub fortran_stack: u64,
    /// Stack pointer of the outermost wrapper the thread is in, 0 when it is in none.
    pub guard_stack: u64,
    /// Node that was current when that wrapper was entered.
    pub guard_node: u32,
    /// Flags of the cold path (see `thread.rs`).
    pub flags: u32,
    /// Private memory of the cold path.
    pub private: *mut u8,
}

/// Offset of [`Thread::site`] for the entry stubs.
pub const SITE: usize = core::mem::offset_of!(Thread, site);
/// Offset of [`Thread::fortran_site`] for the entry stubs.
pub const FORTRAN_SITE: usize = core::mem::offset_of!(Thread, fortran_site);
/// Offset of [`Thread::fortran_stack`] for the entry stubs.
pub const FORTRAN_STACK: usize = core::mem::offset_of!(Thread, fortran_stack);
/// Offset of [`Thread::guard_stack`] for the entry stubs.
pub const GUARD_STACK: usize = core::mem::offset_of!(Thread, guard_stack);

const _: () = assert!(size_of::<Thread>() == 64);

global_asm!(
    ".section .tbss.whyperf_thread,\"awT\",@nobits",
    ".balign 64",
    ".globl whyperf_thread",
    ".hidden whyperf_thread",
    ".type whyperf_thread,@object",
    ".size whyperf_thread,64",
    "whyperf_thread:",
    ".zero 64",
    ".text",
);

/// The calling thread's block.
#[inline(always)]
#[must_use]
pub fn thread() -> *mut Thread {
    let block: *mut Thread;
    // SAFETY: reads the thread pointer and the constant distance of `whyperf_thread` from it; both
    // exist from a thread's first instruction on, and nothing is written.
    unsafe {
        asm!(
            "mov {block}, qword ptr fs:[0]",
            "add {block}, qword ptr [rip + whyperf_thread@GOTTPOFF]",
            block = out(reg) block,
            options(nostack, readonly),
        );
    }
    block
}
