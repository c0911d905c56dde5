//! The hooks that a compiler calls at the beginning of each function under `-pg`: the call graph that the C library keeps
//! must get the true caller.
//!
//! ```text
//!   function ── mcount ──► caller = the word above the frame ──► the C library's table of calls
//!                            └─ a slot's, when the function is on: its caller lies higher up
//! ```
//! Such functions announce no exit, so they are patched like others; the caller's address in their frame is then one in the
//! slot, which the table of calls does not know. The C library's own inner function gets the true address instead. An
//! interposer of these two hooks is called unchanged.

use core::sync::atomic::{AtomicUsize, Ordering};

use whyperf_runtime::patch::{SLOTS_LENGTH, TO_CALLER, TO_CALLER_OF_WIDE};

use crate::definition;
use crate::next::Next;

static MCOUNT: Next = Next::new(c"mcount");
static UNDERSCORED: Next = Next::new(c"_mcount");
static FENTRY: Next = Next::new(c"__fentry__");

/// The C library's function that enters a call into its table; 0 when it is not known.
static INNER: AtomicUsize = AtomicUsize::new(0);

/// Looks all up.
pub(crate) fn resolve() {
    UNDERSCORED.address();
    FENTRY.address();
    let real = MCOUNT.address();
    if !real.is_null() && real == definition::of_c_library(MCOUNT.name()) {
        // SAFETY: it is the C library's own.
        INNER.store(unsafe { inner(real as usize) }, Ordering::Relaxed);
    }
}

/// Where glibc's `mcount` calls on: the call behind the load of its caller's word.
///
/// # Safety
/// It must be the address of the C library's `mcount`.
unsafe fn inner(mcount: usize) -> usize {
    const LOAD_AND_CALL: [u8; 5] = [0x48, 0x8b, 0x7d, 0x08, 0xe8];
    const LONGEST: usize = 64;
    // SAFETY: the function and what follows it are code of the C library, longer than that.
    let code = unsafe { core::slice::from_raw_parts(mcount as *const u8, LONGEST) };
    let Some(at) = code.windows(LOAD_AND_CALL.len()).position(|window| window == LOAD_AND_CALL)
    else {
        return 0;
    };
    let Some([a, b, c, d]) = code.get(at + LOAD_AND_CALL.len()..).and_then(<[u8]>::first_chunk)
    else {
        return 0;
    };
    let distance = i32::from_le_bytes([*a, *b, *c, *d]) as isize;
    (mcount + at + LOAD_AND_CALL.len() + 4).wrapping_add_signed(distance)
}

/// Exports one of them: where it finds its caller, and where it goes on when that is a slot.
macro_rules! counted {
    ($($name:ident, $next:ident, $caller:literal => $told:ident, $told_of_wide:ident;)*) => { $(
        // SAFETY: jumps to the next definition with all registers as they came but those that callers of
        // it leave to it.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[doc = concat!("`", stringify!($name), "`, interposed.")]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                crate::stub::listed!(),
                "endbr64",
                "mov r11, qword ptr [rip + {next} + {detour}]",
                "test r11, r11",
                "jne 3f",
                "lea r11, [rip + whyperf_slots]",
                "neg r11",
                concat!("add r11, qword ptr ", $caller),
                "cmp r11, {length}",
                "jb 2f",
                "lea r11, [rip + whyperf_wide_slots]",
                "neg r11",
                concat!("add r11, qword ptr ", $caller),
                "cmp r11, {length}",
                "jb 4f",
                "1:",
                "jmp qword ptr [rip + {next} + {found}]",
                "2:",
                "cmp qword ptr [rip + {inner}], 0",
                "je 1b",
                "jmp {told}",
                "4:",
                "cmp qword ptr [rip + {inner}], 0",
                "je 1b",
                "jmp {told_of_wide}",
                "3:",
                "lea r10, [rip + {next}]",
                "jmp r11",
                ".cfi_endproc",
                next = sym $next,
                detour = const Next::DETOUR,
                found = const Next::FOUND,
                length = const SLOTS_LENGTH,
                inner = sym INNER,
                told = sym $told,
                told_of_wide = sym $told_of_wide,
            )
        }
    )* };
}

counted! {
    mcount, MCOUNT, "[rbp + 8]" => tell_by_frame, tell_by_wide_frame;
    _mcount, UNDERSCORED, "[rbp + 8]" => tell_by_frame, tell_by_wide_frame;
    __fentry__, FENTRY, "[rsp + 8]" => tell_at_entry, tell_at_wide_entry;
}

/// What glibc's own does, but for the place of the caller's address; `room` keeps the stack aligned.
macro_rules! tell {
    ($($name:ident, $room:literal, $caller:literal, $distance:ident;)*) => { $(
        // SAFETY: called by a jump of one of the above; calls the C library's function as its own does,
        // which keeps these registers and no others.
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "sub rsp, {room}",
                ".cfi_adjust_cfa_offset {room}",
                "mov [rsp], rax",
                "mov [rsp + 8], rcx",
                "mov [rsp + 16], rdx",
                "mov [rsp + 24], rsi",
                "mov [rsp + 32], rdi",
                "mov [rsp + 40], r8",
                "mov [rsp + 48], r9",
                "mov rsi, [rsp + {room}]",
                concat!("mov rdi, [", $caller, " + {distance}]"),
                "call qword ptr [rip + {inner}]",
                "mov r9, [rsp + 48]",
                "mov r8, [rsp + 40]",
                "mov rdi, [rsp + 32]",
                "mov rsi, [rsp + 24]",
                "mov rdx, [rsp + 16]",
                "mov rcx, [rsp + 8]",
                "mov rax, [rsp]",
                "add rsp, {room}",
                ".cfi_adjust_cfa_offset -{room}",
                "ret",
                ".cfi_endproc",
                room = const $room,
                distance = const $distance,
                inner = sym INNER,
            )
        }
    )* };
}

tell! {
    tell_by_frame, 56, "rbp + 8", TO_CALLER;
    tell_by_wide_frame, 56, "rbp + 8", TO_CALLER_OF_WIDE;
    tell_at_entry, 64, "rsp + 72", TO_CALLER;
    tell_at_wide_entry, 64, "rsp + 72", TO_CALLER_OF_WIDE;
}
