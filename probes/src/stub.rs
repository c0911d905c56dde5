//! Entry stubs: the few instructions before a wrapper that remember who called.
//!
//! ```text
//!   program ── call read ──► read (stub)         ──► the wrapper, all arguments as they came
//!                            thread.site = [rsp]
//! ```
//! A wrapped call's return address is part of its node. Rust has no stable way to ask for it, so
//! the exported symbol is a naked function that stores it in the thread's block and jumps on. It
//! touches r10 and r11 only: every argument register, `al` and the stack stay as they came.

/// Exports each `name`, which notes its caller and jumps to `wrapper` of the same arguments.
macro_rules! entry {
    ($($name:ident => $wrapper:path;)*) => { $(
        // SAFETY: a naked function of the platform's C convention; it changes r10 and r11, which
        // the convention leaves to the callee, and jumps to a function of the same signature.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[doc = concat!("`", stringify!($name), "`, interposed.")]
        pub(crate) unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "endbr64",
                "mov r11, qword ptr [rip + whyperf_thread@GOTTPOFF]",
                "mov r10, qword ptr [rsp]",
                "mov qword ptr fs:[r11 + {site}], r10",
                "jmp {wrapper}",
                site = const whyperf_runtime::thread_local::SITE,
                wrapper = sym $wrapper,
            )
        }
    )* };
}
pub(crate) use entry;
