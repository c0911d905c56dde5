//! The 64 bytes each thread has: found by two instructions, without a call.
//!
//! `thread_local!` in a shared object calls `__tls_get_addr`, which costs 2 ns an event and forces
//! registers to be saved. So the block is a symbol of its own in `.tbss`, reached by the
//! initial-exec model. New thread-local storage is zero; zero means "not registered".

use core::arch::{asm, global_asm};
use core::marker::PhantomData;
use core::ops::Deref;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};

/// What a thread keeps for itself. The thread and the signal handlers that interrupt it are the only
/// ones that read and write it, so every word is an atomic that is loaded and stored relaxed: plain
/// instructions, and no exclusive reference that a handler could break into.
#[derive(Debug)]
#[repr(C)]
pub struct Thread {
    /// Its slot, null while it has none or while the cold path works on it.
    pub(crate) slot: AtomicPtr<u8>,
    /// Its direct-mapped cache of children, valid while `slot` is.
    pub(crate) cache: AtomicPtr<AtomicU32>,
    /// Return address of the wrapped call being entered, stored by the entry stub.
    pub site: AtomicU64,
    /// Return address of the Fortran routine being entered, 0 when none is.
    pub(crate) fortran_site: AtomicU64,
    /// Stack pointer at that moment, to tell a stale one.
    pub(crate) fortran_stack: AtomicU64,
    /// Stack pointer of the outermost wrapper the thread is in, 0 when it is in none.
    pub(crate) guard_stack: AtomicU64,
    /// Node that was current when that wrapper was entered.
    pub(crate) guard_node: AtomicU32,
    /// Flags of the cold path (see `thread.rs`).
    pub(crate) flags: AtomicU32,
    /// Private memory of the cold path.
    pub(crate) private: AtomicPtr<u8>,
}

/// The calling thread's own block; it stays on this thread.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Block {
    thread: &'static Thread,
    /// Neither sent nor shared: the block ends with its thread.
    stays: PhantomData<*mut ()>,
}

impl Deref for Block {
    type Target = Thread;

    #[inline(always)]
    fn deref(&self) -> &Thread {
        self.thread
    }
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
pub fn thread() -> Block {
    let block: *const Thread;
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
    // SAFETY: so many bytes of this thread's storage, aligned, zero at first; they stay as long as the
    // thread, which a block cannot leave. All of them are atomics.
    Block { thread: unsafe { &*block }, stays: PhantomData }
}
