//! The state of a thread when it was stopped: what is put back before it goes on.

use crate::tracee::Registers;

/// How a thread stood when it was stopped.
#[derive(Debug)]
pub(crate) struct StoppedThread {
    pub(crate) registers: Registers,
    /// Floating-point, vector and other extended registers.
    pub(crate) extended: Vec<u8>,
    /// Signals that it blocked.
    pub(crate) blocked: u64,
}

impl StoppedThread {
    /// The registers with which it goes on where the kernel does not look: it makes an interrupted call
    /// again by itself.
    pub(crate) fn alone(&self) -> Registers {
        let registers = restarted(&self.registers);
        let again = match registers.rax.cast_signed() {
            _ if registers.orig_rax.cast_signed() < 0 => return registers,
            RESTART_SYS | RESTART_ALWAYS | RESTART_NO_HANDLER => registers.orig_rax,
            RESTART_BLOCK => libc::SYS_restart_syscall.cast_unsigned(),
            _ => return registers,
        };
        Registers { rax: again, rip: registers.rip.wrapping_sub(2), ..registers }
    }
}

/// The registers with which it goes on. Most interrupted system calls are restarted by the kernel, which
/// sees by their error that it is to; some answer "interrupted" at once, as if a signal had come. None
/// came, and the program is not to learn of us.
pub(crate) fn restarted(registers: &Registers) -> Registers {
    let interrupted = -i64::from(libc::EINTR);
    let number = registers.orig_rax.cast_signed();
    if registers.rax.cast_signed() == interrupted && WAITING.contains(&number) {
        return Registers {
            rax: registers.orig_rax,
            rip: registers.rip.wrapping_sub(2),
            orig_rax: u64::MAX,
            ..*registers
        };
    }
    *registers
}

/// What the kernel answers to itself when a call is to be made again.
const RESTART_SYS: i64 = -512;
const RESTART_ALWAYS: i64 = -513;
const RESTART_NO_HANDLER: i64 = -514;
const RESTART_BLOCK: i64 = -516;
/// Calls that wait and answer EINTR where others are restarted, and that may simply be made again.
const WAITING: [i64; 15] = [
    libc::SYS_epoll_wait,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_io_getevents,
    libc::SYS_io_uring_enter,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_recvmmsg,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_read,
    libc::SYS_futex,
];
