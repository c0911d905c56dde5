//! Entry stubs: the few instructions before a wrapper that note the caller.
//!
//! ```text
//!   program ── call read ──► read (stub)         ──► the wrapper, all arguments as they came
//!                            thread.site = [rsp]
//! ```
//! A wrapped call's return address is part of its node. Rust has no stable way to ask for it, so
//! the exported symbol is a naked function that stores it in the thread's block and jumps on. It
//! touches r10 and r11 only: every argument register, `al` and the stack stay as they came.
//!
//! A program's own library may have a function of that name with another meaning. Nothing is known
//! of its arguments and its result, so the stub jumps to it and is never seen again.

/// Exports each `name`, which notes its caller and jumps to `wrapper` of the same arguments, or to
/// what `next` found to have nothing but the name in common.
macro_rules! entry {
    ($($name:ident => $wrapper:path, before $next:path;)*) => { $(
        // SAFETY: a naked function of the platform's C convention; it changes r10 and r11, which
        // the convention leaves to the callee, and jumps to a function of the same signature.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[doc = concat!("`", stringify!($name), "`, interposed.")]
        pub(crate) unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                $crate::stub::listed!(),
                "endbr64",
                "mov r11, qword ptr [rip + {next} + {detour}]",
                "test r11, r11",
                "jne 2f",
                "mov r11, qword ptr [rip + whyperf_thread@GOTTPOFF]",
                "mov r10, qword ptr [rsp]",
                "mov qword ptr fs:[r11 + {site}], r10",
                "jmp {wrapper}",
                "2:",
                "lea r10, [rip + {next}]",
                "jmp r11",
                ".cfi_endproc",
                next = sym $next,
                detour = const $crate::next::Next::DETOUR,
                site = const whyperf_runtime::thread_local::SITE,
                wrapper = sym $wrapper,
            )
        }
    )* };
}
pub(crate) use entry;

/// The same for one name that is put together from parts.
macro_rules! entry_named {
    ($symbol:expr => $wrapper:path, before $next:path) => {
        // SAFETY: as for `entry`.
        #[unsafe(export_name = $symbol)]
        #[unsafe(naked)]
        unsafe extern "C" fn exported() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                $crate::stub::listed!(),
                "endbr64",
                "mov r11, qword ptr [rip + whyperf_thread@GOTTPOFF]",
                "mov r10, qword ptr [rsp]",
                "mov qword ptr fs:[r11 + {site}], r10",
                "jmp {wrapper}",
                ".cfi_endproc",
                next = sym $next,
                site = const whyperf_runtime::thread_local::SITE,
                wrapper = sym $wrapper,
            )
        }
    };
}
pub(crate) use entry_named;

/// Enters an exported function into the list of `reroute`: a line of its assembly, just before its first instruction, with
/// the operand `next`. Its exported name would not do: to the linker that is whatever comes first.
macro_rules! listed {
    () => {
        concat!(
            "77: .pushsection whyperf_listed,\"aR\",@progbits\n",
            ".balign 4\n.long {next} - .\n.long 77b - .\n.popsection"
        )
    };
}
pub(crate) use listed;
