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
                $crate::reroute::listed!(),
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
                $crate::reroute::listed!(),
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

/// Where a stub jumps until its `Next`, whose address is in r10, was looked up.
///
/// # Safety
/// As for [`keep_and_jump`].
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn first_call() {
    core::arch::naked_asm!(
        "lea r11, [rip + {look_up}]",
        "jmp {keep}",
        look_up = sym look_up,
        keep = sym keep_and_jump,
    )
}

// SAFETY: called by `keep_and_jump`, which passes r10 on; jumps to a function of this argument.
#[unsafe(naked)]
unsafe extern "C" fn look_up() {
    core::arch::naked_asm!("mov rdi, r10", "jmp {at_first}", at_first = sym crate::next::at_first)
}

/// Calls the function in r11 with the arguments as they came and jumps to the address that it
/// answers, with all arguments still as they came: also floating point ones, and `al`, which says
/// how many of these a variadic call has.
///
/// # Safety
/// Only for a jump from the first instructions of an exported function.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn keep_and_jump() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "push rdi",
        ".cfi_adjust_cfa_offset 8",
        "push rsi",
        ".cfi_adjust_cfa_offset 8",
        "push rdx",
        ".cfi_adjust_cfa_offset 8",
        "push rcx",
        ".cfi_adjust_cfa_offset 8",
        "push r8",
        ".cfi_adjust_cfa_offset 8",
        "push r9",
        ".cfi_adjust_cfa_offset 8",
        "push rax",
        ".cfi_adjust_cfa_offset 8",
        "sub rsp, 128",
        ".cfi_adjust_cfa_offset 128",
        "movups xmmword ptr [rsp], xmm0",
        "movups xmmword ptr [rsp + 16], xmm1",
        "movups xmmword ptr [rsp + 32], xmm2",
        "movups xmmword ptr [rsp + 48], xmm3",
        "movups xmmword ptr [rsp + 64], xmm4",
        "movups xmmword ptr [rsp + 80], xmm5",
        "movups xmmword ptr [rsp + 96], xmm6",
        "movups xmmword ptr [rsp + 112], xmm7",
        "call r11",
        "mov r11, rax",
        "movups xmm0, xmmword ptr [rsp]",
        "movups xmm1, xmmword ptr [rsp + 16]",
        "movups xmm2, xmmword ptr [rsp + 32]",
        "movups xmm3, xmmword ptr [rsp + 48]",
        "movups xmm4, xmmword ptr [rsp + 64]",
        "movups xmm5, xmmword ptr [rsp + 80]",
        "movups xmm6, xmmword ptr [rsp + 96]",
        "movups xmm7, xmmword ptr [rsp + 112]",
        "add rsp, 128",
        ".cfi_adjust_cfa_offset -128",
        "pop rax",
        ".cfi_adjust_cfa_offset -8",
        "pop r9",
        ".cfi_adjust_cfa_offset -8",
        "pop r8",
        ".cfi_adjust_cfa_offset -8",
        "pop rcx",
        ".cfi_adjust_cfa_offset -8",
        "pop rdx",
        ".cfi_adjust_cfa_offset -8",
        "pop rsi",
        ".cfi_adjust_cfa_offset -8",
        "pop rdi",
        ".cfi_adjust_cfa_offset -8",
        "jmp r11",
        ".cfi_endproc",
    )
}
