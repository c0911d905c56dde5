//! The variadic functions of stdio, each by its twin that takes a `va_list`.
//!
//! ```text
//!   rsp + 224   arguments that were passed on the stack
//!   rsp + 216   return address
//!   rsp + 80    xmm0 .. xmm7, saved when al says that any is used
//!   rsp + 32    rdi rsi rdx rcx r8 r9
//!   rsp         the va_list: offsets of the next argument, and where both areas lie
//! ```

use super::file::{STANDARD_INPUT, STANDARD_OUTPUT, descriptor, stream};
use super::moved::{nothing, sent_int};

/// Exports `name(arguments, ...)` as `twin(arguments, va_list)`; `$register` is where an argument
/// after the named ones goes, `$offset` eight times their number.
macro_rules! variadic {
    ($($name:ident($($argument:ident),*) $offset:literal $register:literal as $twin:ident =>
        $kind:ident, $object:expr, $moved:expr;)*) => {
        $(
            mod $name {
                use super::*;

                /// The function itself, called only where it is not the C library's.
                pub(super) static NEXT: $crate::next::Next =
                    $crate::next::Next::new($crate::wrapped::c_name!($name));
                pub(super) static TWIN: $crate::next::Next =
                    $crate::next::Next::inner($crate::wrapped::c_name!($twin));
                static REGION: whyperf_runtime::Region = whyperf_runtime::Region::new(
                    $crate::wrapped::c_name!($name),
                    whyperf_layout::Kind::$kind,
                );

                pub(super) unsafe extern "C" fn wrapper(
                    $($argument: usize,)*
                    list: usize,
                ) -> usize {
                    $crate::wrapped::observe(
                        &REGION,
                        || $crate::wrapped::of_this_call!($object),
                        || $crate::wrapped::real!(TWIN, $($argument,)* list),
                        $moved,
                    )
                }
            }

            // SAFETY: a naked function of the platform's C convention for variadic functions; it
            // writes below the stack pointer it was given only, and passes the named arguments on
            // in the registers in which they came.
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
                    "jne 3f",
                    "mov r11, qword ptr [rip + whyperf_thread@GOTTPOFF]",
                    "mov r10, qword ptr [rsp]",
                    "mov qword ptr fs:[r11 + {site}], r10",
                    "sub rsp, 216",
                    ".cfi_adjust_cfa_offset 216",
                    "mov qword ptr [rsp + 32], rdi",
                    "mov qword ptr [rsp + 40], rsi",
                    "mov qword ptr [rsp + 48], rdx",
                    "mov qword ptr [rsp + 56], rcx",
                    "mov qword ptr [rsp + 64], r8",
                    "mov qword ptr [rsp + 72], r9",
                    "test al, al",
                    "je 2f",
                    "movaps xmmword ptr [rsp + 80], xmm0",
                    "movaps xmmword ptr [rsp + 96], xmm1",
                    "movaps xmmword ptr [rsp + 112], xmm2",
                    "movaps xmmword ptr [rsp + 128], xmm3",
                    "movaps xmmword ptr [rsp + 144], xmm4",
                    "movaps xmmword ptr [rsp + 160], xmm5",
                    "movaps xmmword ptr [rsp + 176], xmm6",
                    "movaps xmmword ptr [rsp + 192], xmm7",
                    "2:",
                    "mov dword ptr [rsp], {offset}",
                    "mov dword ptr [rsp + 4], 48",
                    "lea r10, [rsp + 224]",
                    "mov qword ptr [rsp + 8], r10",
                    "lea r10, [rsp + 32]",
                    "mov qword ptr [rsp + 16], r10",
                    concat!("mov ", $register, ", rsp"),
                    "call {wrapper}",
                    "add rsp, 216",
                    ".cfi_adjust_cfa_offset -216",
                    "ret",
                    "3:",
                    "lea r10, [rip + {next}]",
                    "jmp r11",
                    ".cfi_endproc",
                    next = sym $name::NEXT,
                    detour = const $crate::next::Next::DETOUR,
                    site = const whyperf_runtime::thread_local::SITE,
                    offset = const $offset,
                    wrapper = sym $name::wrapper,
                )
            }
        )*

        /// Looks every function of this table up.
        pub(crate) fn resolve() {
            $(
                $name::NEXT.address();
                $name::TWIN.address();
            )*
        }
    };
}

variadic! {
    printf(format) 8 "rsi" as vprintf => Write, descriptor(STANDARD_OUTPUT), sent_int;
    fprintf(file, format) 16 "rdx" as vfprintf => Write, stream(file), sent_int;
    dprintf(fd, format) 16 "rdx" as vdprintf => Write, descriptor(fd), sent_int;
    __printf_chk(flag, format) 16 "rdx" as __vprintf_chk =>
        Write, descriptor(STANDARD_OUTPUT), sent_int;
    __fprintf_chk(file, flag, format) 24 "rcx" as __vfprintf_chk => Write, stream(file), sent_int;
    __dprintf_chk(fd, flag, format) 24 "rcx" as __vdprintf_chk => Write, descriptor(fd), sent_int;
    scanf(format) 8 "rsi" as vscanf => Read, descriptor(STANDARD_INPUT), nothing;
    fscanf(file, format) 16 "rdx" as vfscanf => Read, stream(file), nothing;
    __isoc99_scanf(format) 8 "rsi" as __isoc99_vscanf => Read, descriptor(STANDARD_INPUT), nothing;
    __isoc99_fscanf(file, format) 16 "rdx" as __isoc99_vfscanf => Read, stream(file), nothing;
    __isoc23_scanf(format) 8 "rsi" as __isoc23_vscanf => Read, descriptor(STANDARD_INPUT), nothing;
    __isoc23_fscanf(file, format) 16 "rdx" as __isoc23_vfscanf => Read, stream(file), nothing;
}
