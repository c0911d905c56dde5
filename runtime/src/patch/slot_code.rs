//! The slots: prepared thunks inside this library, each with its own call and its own unwinding row.
//!
//! ```text
//!   armed function ─jmp─► stub ─jmp [word]─► slot i   push          a word of the program's stack
//!                                                     call entered
//!                                                     call [targets + 8 i]   the function itself
//!                                                T i: call left
//!                                                     drop the word, ret     to the true caller
//! ```
//! No return address is ever overwritten: the function is called again, so calls and returns stay paired, and an unwinder
//! finds a plain frame of 16 bytes by the assembler's tables. All integer registers come back as they were, because a
//! caller may know which of them the function leaves alone; vector registers are kept only where the cold path needs it, on
//! its way.
//!
//! A function that *jumps* into another one has T on top of the stack when that one begins. The first is over then: its
//! visit ends, and the second takes its frame, so chains of such jumps need no more stack than before. The second counts as
//! inside of the first, as it does where the second is not watched.

use super::form::form;
use super::personality;
use crate::functions::pool::{self, CHAINED, SCRATCH, SIZE};
use crate::region::RESERVED;
use core::arch::global_asm;
use core::arch::x86_64::__cpuid;
use core::sync::atomic::{AtomicU32, Ordering};

// SAFETY: the symbols are defined below with these types; the word is written atomically only.
unsafe extern "C" {
    static whyperf_keeps_all: AtomicU32;
    fn whyperf_slots();
    fn whyperf_empty();
    fn whyperf_chained(number: f64) -> f64;
}

/// Address of a slot.
pub(crate) fn address(slot: usize) -> u64 {
    (whyperf_slots as *const () as u64).wrapping_add((slot * SIZE) as u64)
}

/// Prepares the slots of the calibration.
pub(crate) fn prepare() {
    learn_registers();
    let (empty, chained) = (whyperf_empty as *const () as u64, whyperf_chained as *const () as u64);
    // SAFETY: these two slots are called by the library alone, as these functions of its own.
    unsafe {
        pool::bind(SCRATCH, u32::from(RESERVED), empty);
        pool::bind(CHAINED, u32::from(RESERVED), chained);
    }
}

/// Learns how vector registers can be kept, before a slot is called.
pub(crate) fn learn_registers() {
    const SAVES_EXTENDED_STATE: u32 = 1 << 27;
    let has = u32::from(__cpuid(1).ecx & SAVES_EXTENDED_STATE != 0);
    // SAFETY: a word of the library's own.
    unsafe { &whyperf_keeps_all }.store(has, Ordering::Relaxed);
}

/// Some hundred ticks of work, through which a number goes.
pub(crate) fn chained(number: f64) -> f64 {
    // SAFETY: it computes, no more.
    unsafe { whyperf_chained(number) }
}

// The word, and the functions of the last two slots.
global_asm!(
    ".bss",
    ".balign 4",
    ".globl whyperf_keeps_all",
    ".hidden whyperf_keeps_all",
    "whyperf_keeps_all: .zero 4",
    ".section .data.rel.ro.whyperf_personality,\"aw\",@progbits",
    ".balign 8",
    "whyperf_personality: .quad {personality}",
    ".text",
    ".balign 64",
    ".globl whyperf_empty",
    ".hidden whyperf_empty",
    ".type whyperf_empty,@function",
    "whyperf_empty: retq",
    ".size whyperf_empty, 1",
    ".globl whyperf_chained",
    ".hidden whyperf_chained",
    ".type whyperf_chained,@function",
    "whyperf_chained:",
    ".rept 64",
    "mulsd %xmm0, %xmm0",
    ".endr",
    "retq",
    ".size whyperf_chained, . - whyperf_chained",
    personality = sym personality::unwound,
    options(att_syntax),
);

form!("whyperf_slots", "whyperf_function_entered", "whyperf_function_left", room = 0);

// Calls rcx with the frame, the slot and the code in eax, while everything that holds arguments or
// results of the program and is no integer stays as it is: the cold path is compiled for vector
// registers, and the C library's memory functions clear upper halves.
global_asm!(
    ".text",
    ".balign 16",
    ".globl whyperf_keeping_vectors",
    ".hidden whyperf_keeping_vectors",
    ".type whyperf_keeping_vectors,@function",
    "whyperf_keeping_vectors:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_adjust_cfa_offset 8",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "mov r10d, eax",
    "sub rsp, {area}",
    "and rsp, -64",
    "cmp dword ptr [rip + whyperf_keeps_all], 0",
    "je 2f",
    "xor eax, eax",
    "mov [rsp + 512], rax",
    "mov [rsp + 520], rax",
    "mov [rsp + 528], rax",
    "mov [rsp + 536], rax",
    "mov [rsp + 544], rax",
    "mov [rsp + 552], rax",
    "mov [rsp + 560], rax",
    "mov [rsp + 568], rax",
    "mov eax, {state}",
    "xor edx, edx",
    "xsave64 [rsp]",
    "mov edx, r10d",
    "call rcx",
    "mov eax, {state}",
    "xor edx, edx",
    "xrstor64 [rsp]",
    "jmp 3f",
    "2:",
    "fxsave64 [rsp]",
    "mov edx, r10d",
    "call rcx",
    "fxrstor64 [rsp]",
    "3:",
    "mov rsp, rbp",
    "pop rbp",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_endproc",
    ".size whyperf_keeping_vectors, . - whyperf_keeping_vectors",
    // As far as the upper halves of the sixteen upper registers of 512 bits.
    area = const 2688,
    // Of the extended state: vectors and masks; neither x87, of which nothing is touched, nor tiles.
    state = const 0xe6,
);
