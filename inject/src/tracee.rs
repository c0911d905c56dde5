//! One thread of another process, held by `ptrace`: stopped, looked at, changed, let go.
//!
//! It is taken by `PTRACE_SEIZE`, which sends no signal. All calls for one thread must come from one
//! thread of ours, which is why nothing here is `Sync`.

use std::ffi::c_void;
use std::io;
use std::marker::PhantomData;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitOptions, waitpid};

/// The registers of a thread.
pub(crate) type Registers = libc::user_regs_struct;

/// A thread that is being traced.
#[derive(Debug)]
pub(crate) struct Tracee {
    tid: libc::pid_t,
    /// Only the thread that seized it may speak for it.
    here: PhantomData<*const ()>,
}

/// Why a thread stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Because it was asked to.
    Asked,
    /// With its whole process, by a signal such as SIGSTOP.
    Group,
    /// About to be given this signal.
    Signal(i32),
    /// At the begin or the end of a system call.
    Call,
    /// It is gone.
    Ended,
}

/// How a stopped thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Go {
    /// Until something happens.
    On,
    /// At most until the next begin or end of a system call.
    ToCall,
}

impl Tracee {
    /// Takes a thread, which goes on running.
    pub(crate) fn seize(tid: u32) -> io::Result<Self> {
        let tid = libc::pid_t::try_from(tid).map_err(io::Error::other)?;
        let tracee = Self { tid, here: PhantomData };
        tracee.request(libc::PTRACE_SEIZE, 0, libc::PTRACE_O_TRACESYSGOOD as usize)?;
        Ok(tracee)
    }

    /// Asks it to stop; [`wait`](Self::wait) tells when it has.
    pub(crate) fn interrupt(&self) -> io::Result<()> {
        self.request(libc::PTRACE_INTERRUPT, 0, 0)
    }

    /// Lets it go on, with a signal if that is not 0.
    pub(crate) fn resume(&self, go: Go, signal: i32) -> io::Result<()> {
        let request = match go {
            Go::On => libc::PTRACE_CONT,
            Go::ToCall => libc::PTRACE_SYSCALL,
        };
        self.request(request, 0, signal as usize)
    }

    /// Lets it go for good.
    pub(crate) fn detach(&self, signal: i32) -> io::Result<()> {
        self.request(libc::PTRACE_DETACH, 0, signal as usize)
    }

    /// Waits until it stops; `None` when it has not by then.
    pub(crate) fn wait(&self, until: Instant) -> Option<Stop> {
        let pid = Pid::from_raw(self.tid);
        loop {
            match waitpid(pid, WaitOptions::NOHANG) {
                Ok(Some((_, status))) => return Some(stop(status.as_raw())),
                Ok(None) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(_) => return Some(Stop::Ended),
            }
            if Instant::now() >= until {
                return None;
            }
            thread::sleep(LOOK);
        }
    }

    /// Its registers while it is stopped.
    pub(crate) fn registers(&self) -> io::Result<Registers> {
        let mut registers = BLANK;
        self.request(libc::PTRACE_GETREGS, 0, &raw mut registers as usize)?;
        Ok(registers)
    }

    /// Gives it other registers.
    pub(crate) fn set_registers(&self, registers: &Registers) -> io::Result<()> {
        self.request(libc::PTRACE_SETREGS, 0, std::ptr::from_ref(registers) as usize)
    }

    /// Its floating-point, vector and other extended registers, in the processor's own form.
    pub(crate) fn extended(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0_u8; EXTENDED];
        let mut whole = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: EXTENDED };
        self.request(libc::PTRACE_GETREGSET, NT_X86_XSTATE, &raw mut whole as usize)?;
        bytes.truncate(whole.iov_len);
        Ok(bytes)
    }

    /// Gives it the extended registers that it had.
    pub(crate) fn set_extended(&self, bytes: &mut [u8]) -> io::Result<()> {
        let base: *mut c_void = bytes.as_mut_ptr().cast();
        let mut whole = libc::iovec { iov_base: base, iov_len: bytes.len() };
        self.request(libc::PTRACE_SETREGSET, NT_X86_XSTATE, &raw mut whole as usize)
    }

    /// The signals it blocks, one bit each.
    pub(crate) fn blocked(&self) -> io::Result<u64> {
        let mut mask = 0_u64;
        self.request(PTRACE_GETSIGMASK, 8, &raw mut mask as usize)?;
        Ok(mask)
    }

    /// Lets it block these signals.
    pub(crate) fn set_blocked(&self, mask: u64) -> io::Result<()> {
        self.request(PTRACE_SETSIGMASK, 8, &raw const mask as usize)
    }

    /// Whether somebody sent the signal that it is about to be given, by a call such as `kill`.
    pub(crate) fn is_sent(&self) -> io::Result<bool> {
        // SAFETY: a structure of numbers, for which 0 is a value.
        let mut signal: libc::siginfo_t = unsafe { std::mem::zeroed() };
        self.request(libc::PTRACE_GETSIGINFO, 0, &raw mut signal as usize)?;
        Ok(signal.si_code <= 0)
    }

    fn request(&self, what: libc::c_uint, address: usize, data: usize) -> io::Result<()> {
        // SAFETY: each caller above hands, for the request it makes, a number or the address of a
        // value of its own of the type and size which that request reads or fills. The memory that
        // changes besides is another process's.
        let answer = unsafe { libc::ptrace(what, self.tid, address, data) };
        if answer == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

/// What a status of `waitpid` says.
fn stop(status: i32) -> Stop {
    if !libc::WIFSTOPPED(status) {
        return Stop::Ended;
    }
    let signal = libc::WSTOPSIG(status);
    match (status >> 16, signal) {
        (libc::PTRACE_EVENT_STOP, libc::SIGTRAP) => Stop::Asked,
        (libc::PTRACE_EVENT_STOP, _) => Stop::Group,
        (_, signal) if signal == libc::SIGTRAP | CALL => Stop::Call,
        (_, signal) => Stop::Signal(signal),
    }
}

/// Registers that are all 0.
pub(crate) const BLANK: Registers = Registers {
    r15: 0,
    r14: 0,
    r13: 0,
    r12: 0,
    rbp: 0,
    rbx: 0,
    r11: 0,
    r10: 0,
    r9: 0,
    r8: 0,
    rax: 0,
    rcx: 0,
    rdx: 0,
    rsi: 0,
    rdi: 0,
    orig_rax: 0,
    rip: 0,
    cs: 0,
    eflags: 0,
    rsp: 0,
    ss: 0,
    fs_base: 0,
    gs_base: 0,
    ds: 0,
    es: 0,
    fs: 0,
    gs: 0,
};
/// How often it is looked whether a thread has stopped.
const LOOK: Duration = Duration::from_micros(50);
/// Room for every extended register there is, tiles included.
const EXTENDED: usize = 16 << 10;
/// What `PTRACE_O_TRACESYSGOOD` adds to the number of the signal.
const CALL: i32 = 0x80;
const NT_X86_XSTATE: usize = 0x202;
const PTRACE_GETSIGMASK: libc::c_uint = 0x420a;
const PTRACE_SETSIGMASK: libc::c_uint = 0x420b;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_tells_why_a_thread_stopped() {
        let stopped = |event: i32, signal: i32| stop(event << 16 | signal << 8 | 0x7f);
        assert_eq!(stopped(libc::PTRACE_EVENT_STOP, libc::SIGTRAP), Stop::Asked);
        assert_eq!(stopped(libc::PTRACE_EVENT_STOP, libc::SIGSTOP), Stop::Group);
        assert_eq!(stopped(0, libc::SIGTRAP | CALL), Stop::Call);
        assert_eq!(stopped(0, libc::SIGUSR1), Stop::Signal(libc::SIGUSR1));
        assert_eq!(stop(0), Stop::Ended);
        assert_eq!(stop(libc::SIGKILL), Stop::Ended);
    }
}
