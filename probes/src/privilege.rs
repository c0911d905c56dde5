//! Calls about users, capabilities and namespaces, made without the agent: some are refused to a
//! process of several threads, the others change the calling thread, or those that the C library
//! knows.
//!
//! ```text
//!   program ── setuid ──────────────► send the agent away, the real setuid, call it back
//!           ── syscall(SYS_setuid) ─► the same        ── syscall(anything else) ─► straight on
//! ```

use core::ffi::c_int;

use whyperf_runtime::{agent_thread, sandbox};

use crate::next::Next;
use crate::sandbox::before;
use crate::wrapped::{accompanied, between, real};

accompanied! {
    chroot(path) sandbox::enter_if_alone() => agent_thread::call_back;
    pivot_root(new, old) sandbox::enter_if_alone() => agent_thread::call_back;
    unshare(flags) sandbox::enter_if_alone() => agent_thread::call_back;
    setns(fd, kind) sandbox::enter_if_alone() => agent_thread::call_back;
    setuid(user) sandbox::enter_if_alone() => agent_thread::call_back;
    seteuid(user) sandbox::enter_if_alone() => agent_thread::call_back;
    setreuid(real, effective) sandbox::enter_if_alone() => agent_thread::call_back;
    setresuid(real, effective, saved) sandbox::enter_if_alone() => agent_thread::call_back;
    setfsuid(user) sandbox::enter_if_alone() => agent_thread::call_back;
    setgid(group) sandbox::enter_if_alone() => agent_thread::call_back;
    setegid(group) sandbox::enter_if_alone() => agent_thread::call_back;
    setregid(real, effective) sandbox::enter_if_alone() => agent_thread::call_back;
    setresgid(real, effective, saved) sandbox::enter_if_alone() => agent_thread::call_back;
    setfsgid(group) sandbox::enter_if_alone() => agent_thread::call_back;
    setgroups(count, list) sandbox::enter_if_alone() => agent_thread::call_back;
    initgroups(user, group) sandbox::enter_if_alone() => agent_thread::call_back;
    capset(header, data) sandbox::enter_if_alone() => agent_thread::call_back;
}

/// Looks `syscall` up, too.
pub(crate) fn resolve_all() {
    resolve();
    SYSCALL.address();
}

static SYSCALL: Next = Next::new(c"syscall");

// SAFETY: a naked function of the platform's C convention; it changes r10 and r11, which the
// convention leaves to the callee, and jumps to a function of the same signature. It touches no
// thread-local memory: threads that the C library does not know may make system calls by it.
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[doc = "`syscall`, interposed."]
pub(crate) unsafe extern "C" fn syscall() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "endbr64",
        "mov r11, qword ptr [rip + {next} + {detour}]",
        "test r11, r11",
        "jne 3f",
        "lea r11, [rdi - {first}]",
        "cmp r11, {count}",
        "jae 2f",
        "lea r10, [rip + {special}]",
        "cmp byte ptr [r10 + r11], 0",
        "jne {wrapper}",
        "2:",
        "jmp qword ptr [rip + {next} + {found}]",
        "3:",
        "lea r10, [rip + {next}]",
        "jmp r11",
        ".cfi_endproc",
        next = sym SYSCALL,
        detour = const Next::DETOUR,
        found = const Next::FOUND,
        first = const FIRST,
        count = const COUNT,
        special = sym IS_SPECIAL,
        wrapper = sym wrapper,
    )
}

/// The system calls that are accompanied.
const SPECIAL: &[i64] = &[
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setreuid,
    libc::SYS_setregid,
    libc::SYS_setgroups,
    libc::SYS_setresuid,
    libc::SYS_setresgid,
    libc::SYS_setfsuid,
    libc::SYS_setfsgid,
    libc::SYS_capset,
    libc::SYS_prctl,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_seccomp,
];
const FIRST: usize = libc::SYS_setuid as usize;
const COUNT: usize = libc::SYS_seccomp as usize - FIRST + 1;

static IS_SPECIAL: [bool; COUNT] = {
    let mut table = [false; COUNT];
    let mut at = 0;
    while at < SPECIAL.len() {
        table[SPECIAL[at] as usize - FIRST] = true;
        at += 1;
    }
    table
};

unsafe extern "C" fn wrapper(
    number: usize,
    first: usize,
    second: usize,
    third: usize,
    fourth: usize,
    fifth: usize,
    sixth: usize,
) -> usize {
    between(
        || prepare(number as i64, first),
        || real!(SYSCALL, number, first, second, third, fourth, fifth, sixth),
        agent_thread::call_back,
    )
}

/// Answers whether the agent was sent away.
fn prepare(number: i64, first: usize) -> bool {
    match number {
        libc::SYS_prctl => before(first as c_int),
        libc::SYS_seccomp => {
            // What else it does is to ask.
            if matches!(first as u32, libc::SECCOMP_SET_MODE_STRICT | libc::SECCOMP_SET_MODE_FILTER)
            {
                sandbox::enter();
            }
            false
        }
        _ => sandbox::enter_if_alone(),
    }
}
