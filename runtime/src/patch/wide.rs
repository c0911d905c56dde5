//! The slots for functions with arguments on the stack: as those of the pool, with copies of the arguments
//! in between.
//!
//! ```text
//!   the caller's arguments
//!   the caller's return address      what a function of the other form has right below ...
//!   the slot's word
//!   copies of the arguments          ... this one has here
//!   T i                              the stack pointer at the function's entry
//! ```
//! The planner proved how many words above its return address the function uses, and that it uses
//! them by their distance from its frame alone; so it cannot tell. They belong to the callee, and
//! the caller never looks at them again.
//!
//! A function that jumps into another one of this form passes on what it was passed: its frame, and the copies with
//! whatever it wrote there, become the other one's.

use super::pool::{self, SLOTS, give_back, keep};
use super::{personality, visit};
use core::arch::global_asm;
use core::sync::atomic::{AtomicU8, Ordering};
use whyperf_layout::patch::COPIED;

/// Bytes of copied arguments.
pub(super) const ROOM: usize = COPIED as usize * 8;
/// Bytes of one slot: as many as of the pool's.
const SIZE: usize = pool::SIZE;

// SAFETY: the symbols are defined below with these types; the table is written atomically only.
unsafe extern "C" {
    static whyperf_widths: [AtomicU8; SLOTS];
    fn whyperf_wide_slots();
}

/// Words that are copied for a slot's function: none where the pool's slot serves it.
pub(super) fn width(slot: usize) -> u64 {
    // SAFETY: the table above has as many elements, and lives as long as the library.
    let widths = unsafe { &whyperf_widths };
    widths.get(slot).map_or(0, |width| u64::from(width.load(Ordering::Relaxed)))
}

/// Says how many words are copied for a slot's function.
pub(super) fn widen(slot: usize, words: u64) {
    // SAFETY: as above.
    let widths = unsafe { &whyperf_widths };
    if let Some(width) = widths.get(slot) {
        width.store(words.min(COPIED) as u8, Ordering::Relaxed);
    }
}

/// Where calls of a slot's function go while it is on.
pub(super) fn address(slot: usize) -> u64 {
    if width(slot) == 0 {
        return pool::address(slot);
    }
    (whyperf_wide_slots as *const () as u64).wrapping_add((slot * SIZE) as u64)
}

// The slots and their table.
global_asm!(
    ".bss",
    ".balign 64",
    ".globl whyperf_widths",
    ".hidden whyperf_widths",
    "whyperf_widths: .zero {slots}",
    ".text",
    ".balign 64",
    ".globl whyperf_wide_slots",
    ".hidden whyperf_wide_slots",
    ".type whyperf_wide_slots,@function",
    ".set whyperf_wide_slot, 0",
    "whyperf_wide_slots:",
    ".rept {slots}",
    ".cfi_startproc",
    ".cfi_personality 0x1b, {personality}",
    "pushq %rax",
    ".cfi_adjust_cfa_offset 8",
    "leaq -{room}(%rsp), %rsp",
    ".cfi_adjust_cfa_offset {room}",
    "callq whyperf_wide_entered",
    "callq *whyperf_targets + 8 * whyperf_wide_slot(%rip)",
    "callq whyperf_wide_left",
    "leaq {room} + 8(%rsp), %rsp",
    ".cfi_adjust_cfa_offset -({room} + 8)",
    "retq",
    ".cfi_endproc",
    ".balign {size}, 0xcc",
    ".set whyperf_wide_slot, whyperf_wide_slot + 1",
    ".endr",
    ".size whyperf_wide_slots, . - whyperf_wide_slots",
    slots = const SLOTS,
    size = const SIZE,
    room = const ROOM,
    personality = sym personality::unwound,
    options(att_syntax),
);

/// The number of the slot that the address in rsi lies in; rax becomes the first one's.
macro_rules! number {
    () => {
        "lea rax, [rip + whyperf_wide_slots]
        sub rsi, rax
        shr rsi, {shift}"
    };
}

/// Calls the cold twin `$twin` with the frame in rdi and the address of the slot in rsi.
macro_rules! cold {
    ($twin:literal) => {
        concat!(
            "lea rcx, [rip + whyperf_wide_slots]
            sub rsi, rcx
            lea rcx, [rip + whyperf_slots]
            add rsi, rcx
            lea rcx, [rip + ",
            $twin,
            "]
            call whyperf_keeping_vectors"
        )
    };
}

// Entered: above the nine registers lie the way back into the slot, room for the copies, the word,
// the return address of the function's caller and the arguments.
global_asm!(
    ".text",
    ".balign 64",
    ".type whyperf_wide_entered,@function",
    "whyperf_wide_entered:",
    ".cfi_startproc",
    keep!(),
    "mov rsi, [rsp + 72]",
    number!(),
    "mov rdx, [rsp + {room} + 88]",
    "sub rdx, rax",
    "cmp rdx, {pool}",
    "jb 3f",
    "lea rcx, [rip + whyperf_widths]",
    "movzx ecx, byte ptr [rcx + rsi]",
    "0:",
    "mov rax, [rsp + {room} + 88 + 8 * rcx]",
    "mov [rsp + 72 + 8 * rcx], rax",
    "sub ecx, 1",
    "jnz 0b",
    "lea rdi, [rsp + {room} + 80]",
    "call {enter}",
    "test eax, eax",
    "jnz 2f",
    "1:",
    ".cfi_remember_state",
    give_back!(),
    "ret",
    ".cfi_restore_state",
    "2:",
    "lea rdi, [rsp + {room} + 80]",
    "mov rsi, [rsp + 72]",
    cold!("{enter_cold}"),
    "jmp 1b",
    // A jump from another function of this form: its visit ends, its frame is taken over.
    "3:",
    "mov rsi, rdx",
    "shr rsi, {shift}",
    "lea rdi, [rsp + 2 * {room} + 96]",
    "call {exit}",
    "test eax, eax",
    "jz 4f",
    "lea rdi, [rsp + 2 * {room} + 96]",
    "mov rsi, [rsp + {room} + 88]",
    cold!("{exit_cold}"),
    "4:",
    "lea rdi, [rsp + 2 * {room} + 96]",
    "mov rsi, [rsp + 72]",
    number!(),
    "call {enter}",
    "test eax, eax",
    "jz 5f",
    "lea rdi, [rsp + 2 * {room} + 96]",
    "mov rsi, [rsp + 72]",
    cold!("{enter_cold}"),
    "5:",
    "mov rax, [rsp + 72]",
    "mov [rsp + {room} + 88], rax",
    give_back!(),
    "lea rsp, [rsp + {room} + 16]",
    "ret",
    ".cfi_endproc",
    ".size whyperf_wide_entered, . - whyperf_wide_entered",
    ".balign 64",
    ".type whyperf_wide_left,@function",
    "whyperf_wide_left:",
    ".cfi_startproc",
    keep!(),
    "mov rsi, [rsp + 72]",
    number!(),
    "lea rdi, [rsp + {room} + 80]",
    "call {exit}",
    "test eax, eax",
    "jnz 2f",
    "1:",
    ".cfi_remember_state",
    give_back!(),
    "ret",
    ".cfi_restore_state",
    "2:",
    "lea rdi, [rsp + {room} + 80]",
    "mov rsi, [rsp + 72]",
    cold!("{exit_cold}"),
    "jmp 1b",
    ".cfi_endproc",
    ".size whyperf_wide_left, . - whyperf_wide_left",
    shift = const SIZE.trailing_zeros(),
    pool = const SLOTS * SIZE,
    room = const ROOM,
    enter = sym visit::whyperf_function_enter,
    exit = sym visit::whyperf_function_exit,
    enter_cold = sym visit::enter_cold,
    exit_cold = sym visit::exit_cold,
);
