//! Resumes a system call that a signal of ours cut short, so that the program does not learn of it.
//!
//! ```text
//!   the kernel makes it again    most calls, because the handler asks for it
//!   made again from here         calls that answer EINTR in any case
//!   resumed                      those whose end is known to the kernel alone: it resumes the call that a
//!                                handler cut short only when the handler does not return by its own
//!                                call; so registers and mask are put back by hand
//! ```
//! A signal of the program's that waits meanwhile cuts the call short in its own right.

use crate::own_memory;
use core::arch::global_asm;

/// What of the kernel's description of the interrupted thread is of use here.
pub(crate) type Context = libc::ucontext_t;

/// Calls that may simply be made again. What waits for a certain time is told the time that is left by the
/// kernel, but for `epoll_wait`, `semtimedop`, `sigtimedwait` and sockets, which begin anew.
const AGAIN: &[i64] = &[
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_epoll_wait,
    libc::SYS_io_getevents,
    libc::SYS_io_uring_enter,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_pause,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_recvfrom,
    libc::SYS_recvmmsg,
    libc::SYS_recvmsg,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_select,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_sendmsg,
    libc::SYS_sendto,
    libc::SYS_write,
    libc::SYS_writev,
];
/// Calls that the kernel resumes.
const RESUMED: &[i64] =
    &[libc::SYS_clock_nanosleep, libc::SYS_futex, libc::SYS_nanosleep, libc::SYS_poll];

/// Lets the interrupted call be made again; answers whether the handler has to end by [`resume`].
pub(crate) fn continue_call(context: &mut Context) -> bool {
    let Some(number) = cut_short(context) else { return false };
    if AGAIN.contains(&number) {
        again(context, number);
    }
    RESUMED.contains(&number) && can_be_resumed(context)
}

/// For a handler that returns as handlers do: what the kernel would resume is made again, too, so that its time begins
/// anew.
pub(crate) fn make_again(context: &mut Context) {
    let is_known = |number: &i64| AGAIN.contains(number) || RESUMED.contains(number);
    if let Some(number) = cut_short(context).filter(is_known) {
        again(context, number);
    }
}

/// The number of the call that was cut short, by our signal alone.
fn cut_short(context: &Context) -> Option<i64> {
    let is_cut = register(context, libc::REG_RAX) == -i64::from(libc::EINTR);
    if !is_cut || is_signal_due(context) {
        return None;
    }
    call_before(register(context, libc::REG_RIP) as usize)
}

fn again(context: &mut Context, number: i64) {
    let place = register(context, libc::REG_RIP);
    set(context, libc::REG_RAX, number);
    set(context, libc::REG_RIP, place - SYSTEM_CALL);
}

/// The call that the instructions just before this place make: `mov eax, number; syscall`.
fn call_before(place: usize) -> Option<i64> {
    match own_memory::word(place.checked_sub(8)?)?.to_le_bytes() {
        [_, 0xb8, a, b, c, d, 0x0f, 0x05] => Some(i64::from(u32::from_le_bytes([a, b, c, d]))),
        _ => None,
    }
}

/// Whether a signal waits that the program does not block.
fn is_signal_due(context: &Context) -> bool {
    let mut waiting = 0_u64;
    let arguments = [&raw mut waiting as usize, 8, 0, 0, 0, 0];
    // SAFETY: the set is ours and has the size passed on.
    unsafe { crate::kernel::call(libc::SYS_rt_sigpending, arguments) };
    // SAFETY: the kernel's set is the first word of the C library's.
    let blocked = unsafe { (&raw const context.uc_sigmask).cast::<u64>().read() };
    waiting & !blocked != 0
}

/// Whether all that the kernel would put back can be put back by hand.
fn can_be_resumed(context: &Context) -> bool {
    /// The kernel takes an alternate stack of this kind away while it is used.
    const AUTODISARM: i32 = i32::MIN;
    /// How the kernel says that the extended registers are complete.
    const COMPLETE: u32 = 0x4650_5853;
    let registers = context.uc_mcontext.fpregs.cast::<u8>();
    if registers.is_null() || context.uc_stack.ss_flags & AUTODISARM != 0 {
        return false;
    }
    // SAFETY: the kernel saved at least 512 bytes of extended registers there.
    unsafe { registers.wrapping_add(SAID).cast::<u32>().read() == COMPLETE }
}

fn register(context: &Context, which: i32) -> i64 {
    context.uc_mcontext.gregs.get(which as usize).copied().unwrap_or(0)
}

fn set(context: &mut Context, which: i32, value: i64) {
    if let Some(register) = context.uc_mcontext.gregs.get_mut(which as usize) {
        *register = value;
    }
}

/// Where the kernel says among the extended registers that they are complete, and which of them it saved (`struct _fpx_sw_bytes`).
const SAID: usize = 464;
const SAVED: usize = SAID + 8;
/// Bytes of the instruction.
const SYSTEM_CALL: i64 = 2;

// SAFETY: the routine below. It is jumped to, with the context in `rbx`; only its address is taken.
unsafe extern "C" {
    #[link_name = "whyperf_resume_call"]
    pub(crate) fn resume();
}

// Signals may come from the moment on when they are unblocked; the context lies above the stack pointer
// until that is put back, last of all. `rcx` and `r11` are lost in any call. Of the extended registers only those are put back that the kernel
// saved, as it says itself: a processor with tiles looks at the end of 8 KiB for them, which is beyond the stack of a thread that is near its top.
global_asm!(
    ".text",
    ".hidden whyperf_resume_call",
    ".globl whyperf_resume_call",
    ".type whyperf_resume_call,@function",
    "whyperf_resume_call:",
    "mov rcx, [rbx + {extended}]",
    "mov eax, [rcx + {saved}]",
    "mov edx, [rcx + {saved} + 4]",
    "xrstor64 [rcx]",
    "mov edi, {set_mask}",
    "lea rsi, [rbx + {mask}]",
    "xor edx, edx",
    "mov r10d, 8",
    "mov eax, {change_mask}",
    "syscall",
    "mov rcx, rbx",
    "mov r8, [rcx + 40]",
    "mov r9, [rcx + 48]",
    "mov r10, [rcx + 56]",
    "mov r12, [rcx + 72]",
    "mov r13, [rcx + 80]",
    "mov r14, [rcx + 88]",
    "mov r15, [rcx + 96]",
    "mov rdi, [rcx + 104]",
    "mov rsi, [rcx + 112]",
    "mov rbp, [rcx + 120]",
    "mov rbx, [rcx + 128]",
    "mov rdx, [rcx + 136]",
    "mov r11, [rcx + 168]",
    "mov rsp, [rcx + 160]",
    "lea r11, [r11 - 2]",
    "mov eax, {again}",
    "jmp r11",
    ".size whyperf_resume_call, . - whyperf_resume_call",
    extended = const core::mem::offset_of!(Context, uc_mcontext) + 184,
    saved = const SAVED,
    mask = const core::mem::offset_of!(Context, uc_sigmask),
    set_mask = const libc::SIG_SETMASK,
    change_mask = const libc::SYS_rt_sigprocmask,
    again = const libc::SYS_restart_syscall,
);
const _: () = assert!(core::mem::offset_of!(Context, uc_mcontext) == 40);
