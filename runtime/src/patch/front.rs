//! The front, code that runs before each of the program's signal handlers: it gives them the program's own address as the
//! place of the interruption, also where that was in an arena.
//!
//! ```text
//!   signal ──► front: arena address in the context? the program's in its place ──jump──► the program's handler
//!              return to there ◄── back: unchanged? the arena's again ◄──return──┘
//! ```
//! The front jumps to the handler, so its own frame is gone: an unwinder finds the program's address in the context, and
//! the compiler's own tables for that address. Where a handler sets another address, the thread goes on there.

use super::{place, signal_disposition, trap, trap_signals};
use crate::interrupted_call::Context;
use crate::measurement;
use core::arch::global_asm;

/// Whether this is the front.
pub(super) fn is_front(handler: usize) -> bool {
    handler == address()
}

/// The front's address.
pub(super) fn address() -> usize {
    whyperf_front_of_handler as *const () as usize
}

/// Where the front goes on: a handler, or nowhere, and where that returns to if not to where it would.
#[repr(C)]
struct Further {
    handler: usize,
    back: usize,
}

/// What the front does; called with the mask of the handler behind it.
///
/// # Safety
/// Called as the kernel calls a handler: `info` describes the signal, `context` is what it interrupted.
unsafe extern "C" fn arrive(
    signal: i32,
    info: *mut libc::siginfo_t,
    context: *mut Context,
) -> Further {
    let nowhere = Further { handler: 0, back: 0 };
    // SAFETY: the caller's promise; the context is the handler's to change.
    let context = unsafe { &mut *context };
    if trap::is_met(signal, context) {
        return nowhere;
    }
    let disposition = signal_disposition::behind(signal);
    if signal_disposition::is_none(disposition.handler) {
        trap::strike(signal);
        return nowhere;
    }
    let is_told = disposition.flags & libc::SA_SIGINFO as u64 != 0;
    let info = if is_told { info } else { core::ptr::null_mut() };
    // SAFETY: null, or the kernel's description.
    let is_moved = unsafe { tell_own_place(context, info) };
    let is_blocking = blocked(context) & trap_signals::SIGNALS != 0 && measurement::is_measured();
    let back =
        if is_moved || is_blocking { whyperf_back_of_handler as *const () as usize } else { 0 };
    Further { handler: disposition.handler, back }
}

/// Puts the program's address into the context of a thread that was interrupted in an arena; answers whether it was.
/// The arena's is kept in the link to another context, which the kernel leaves empty and never follows.
///
/// # Safety
/// `info` is null or the kernel's description of the signal.
unsafe fn tell_own_place(context: &mut Context, info: *mut libc::siginfo_t) -> bool {
    let at = register(context, libc::REG_RIP);
    let Some(place) = place::of(at) else { return false };
    context.uc_link = place.stub as *mut Context;
    let stack = register(context, libc::REG_RSP).wrapping_add(place.pushed);
    set(context, libc::REG_RSP, stack);
    set(context, libc::REG_RIP, place.own);
    if !info.is_null() {
        // SAFETY: the caller's promise; the third word is an address, or something else.
        let address = unsafe { &mut *info.cast::<u64>().add(ADDRESS) };
        if *address == at {
            *address = place.own;
        }
    }
    true
}

/// Where in a signal's description an address lies, in words.
const ADDRESS: usize = 2;

/// What is done when the program's handler has returned, before the kernel takes the context back.
///
/// # Safety
/// `context` is the one that the kernel interrupted and takes back next.
unsafe extern "C" fn return_from(context: *mut Context) {
    // SAFETY: the caller's promise: it lies above the frame of the handler that returned.
    let context = unsafe { &mut *context };
    let arena = context.uc_link as u64;
    let at = register(context, libc::REG_RIP);
    if let Some(place) = place::of(arena) {
        context.uc_link = core::ptr::null_mut();
        let goes_on = if place.own == at { Some(arena) } else { place::moved(at) };
        if let Some(goes_on) = goes_on {
            set(context, libc::REG_RIP, goes_on);
        }
    }
    // The context's mask comes back in a moment: that must not happen while a trap lies in the code.
    trap::block_traps(blocked(context));
}

/// The mask that comes back when the handler returns.
fn blocked(context: &Context) -> u64 {
    // SAFETY: the kernel keeps a mask of one word there.
    unsafe { (&raw const context.uc_sigmask).cast::<u64>().read() }
}

fn register(context: &Context, which: i32) -> u64 {
    context.uc_mcontext.gregs.get(which as usize).map_or(0, |value| *value as u64)
}

fn set(context: &mut Context, which: i32, value: u64) {
    if let Some(register) = context.uc_mcontext.gregs.get_mut(which as usize) {
        *register = value as i64;
    }
}

// SAFETY: the two routines below; only their addresses are taken.
unsafe extern "C" {
    fn whyperf_front_of_handler();
    fn whyperf_back_of_handler();
}

// The front changes no argument of the handler, and nothing of the stack but the address to return to. What is
// returned to finds the context at the stack pointer, as the kernel left it; its table is that of any routine that
// returns from handlers: each register's place in the context, from the stack pointer on.
global_asm!(
    ".text",
    ".balign 16",
    ".globl whyperf_front_of_handler",
    ".hidden whyperf_front_of_handler",
    ".type whyperf_front_of_handler,@function",
    "whyperf_front_of_handler:",
    ".cfi_startproc",
    "push rdi",
    ".cfi_adjust_cfa_offset 8",
    "push rsi",
    ".cfi_adjust_cfa_offset 8",
    "push rdx",
    ".cfi_adjust_cfa_offset 8",
    "call {arrive}",
    "mov r11, rdx",
    "pop rdx",
    ".cfi_adjust_cfa_offset -8",
    "pop rsi",
    ".cfi_adjust_cfa_offset -8",
    "pop rdi",
    ".cfi_adjust_cfa_offset -8",
    "test rax, rax",
    "je 2f",
    "test r11, r11",
    "je 1f",
    "mov [rsp], r11",
    "1:",
    "jmp rax",
    "2:",
    "ret",
    ".cfi_endproc",
    ".size whyperf_front_of_handler, . - whyperf_front_of_handler",
    ".balign 16",
    ".globl whyperf_back_of_handler",
    ".hidden whyperf_back_of_handler",
    ".type whyperf_back_of_handler,@function",
    ".cfi_startproc simple",
    ".cfi_signal_frame",
    ".cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 6",
    ".cfi_escape 0x10, 8, 3, 0x77, 0xa8, 0",
    ".cfi_escape 0x10, 9, 3, 0x77, 0xb0, 0",
    ".cfi_escape 0x10, 10, 3, 0x77, 0xb8, 0",
    ".cfi_escape 0x10, 11, 3, 0x77, 0xc0, 0",
    ".cfi_escape 0x10, 12, 3, 0x77, 0xc8, 0",
    ".cfi_escape 0x10, 13, 3, 0x77, 0xd0, 0",
    ".cfi_escape 0x10, 14, 3, 0x77, 0xd8, 0",
    ".cfi_escape 0x10, 15, 3, 0x77, 0xe0, 0",
    ".cfi_escape 0x10, 5, 3, 0x77, 0xe8, 0",
    ".cfi_escape 0x10, 4, 3, 0x77, 0xf0, 0",
    ".cfi_escape 0x10, 6, 3, 0x77, 0xf8, 0",
    ".cfi_escape 0x10, 3, 3, 0x77, 0x80, 1",
    ".cfi_escape 0x10, 1, 3, 0x77, 0x88, 1",
    ".cfi_escape 0x10, 0, 3, 0x77, 0x90, 1",
    ".cfi_escape 0x10, 2, 3, 0x77, 0x98, 1",
    ".cfi_escape 0x10, 7, 3, 0x77, 0xa0, 1",
    ".cfi_escape 0x10, 16, 3, 0x77, 0xa8, 1",
    // Some unwinders look one byte before the address that is returned to.
    "nop",
    "whyperf_back_of_handler:",
    "mov rdi, rsp",
    "call {return_from}",
    "mov eax, {number}",
    "syscall",
    ".cfi_endproc",
    ".size whyperf_back_of_handler, . - whyperf_back_of_handler",
    arrive = sym arrive,
    return_from = sym return_from,
    number = const libc::SYS_rt_sigreturn,
);

const _: () = assert!(core::mem::offset_of!(Context, uc_mcontext) == 40);
