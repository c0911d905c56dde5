//! A hijacked thread: it makes system calls and calls functions for whyperf, and then goes on as before.
//!
//! ```text
//!   stop ─ save its state ─ ... ─ restore all ─ let go
//!          call(f): in the restore trampoline, up to a last system call
//! ```
//! No signal is needed to learn that a function has returned: the kernel stops the thread at that call. The
//! thread is put there before anything else of it is changed, and taken away after all else is restored.

use std::io;
use std::time::{Duration, Instant};

use crate::restore_trampoline;
use crate::status::ProcessStatus;
use crate::thread_state::{StoppedThread, restarted};
use crate::tracee::{Go, Registers, Stop, Tracee};

/// A thread that is stopped and will be as it was.
#[derive(Debug)]
pub(crate) struct HijackedThread {
    tracee: Tracee,
    state: StoppedThread,
    /// Signals that came meanwhile, for the end.
    held: Vec<i32>,
    /// Whether anything of the thread was changed.
    touched: bool,
}

/// Why a hijacked thread did not do what it should.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A call of ours failed.
    System(io::Error),
    /// It took too long.
    Late,
    /// The whole process is being stopped.
    Stopped,
    /// It is about to be given a signal that tells of a fault of its own: another moment may do.
    Faulted,
    /// It is gone.
    Ended,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.raw_os_error() == Some(libc::ESRCH) { Self::Ended } else { Self::System(error) }
    }
}

impl HijackedThread {
    /// Stops a thread and takes down how it stands.
    pub(crate) fn begin(tid: u32, patience: Duration) -> Result<Self, Failure> {
        let tracee = Tracee::seize(tid)?;
        if let Err(failure) = park(&tracee, patience, None) {
            return Err(let_go(&tracee, failure));
        }
        // Given to it later, at our code, it would be lost, or taken for a fault of ours.
        if is_faulted(tid) {
            tracee.detach(0)?;
            return Err(Failure::Faulted);
        }
        let state = StoppedThread {
            registers: tracee.registers()?,
            extended: tracee.extended()?,
            blocked: tracee.blocked()?,
        };
        Ok(Self { tracee, state, held: Vec::new(), touched: false })
    }

    /// Its registers when it was stopped.
    pub(crate) const fn registers(&self) -> &Registers {
        &self.state.registers
    }

    /// How it stood when it was stopped.
    pub(crate) const fn state(&self) -> &StoppedThread {
        &self.state
    }

    /// Makes a system call in its name, by the instruction at an address from where it finds back.
    pub(crate) fn system_call(
        &mut self,
        at: u64,
        number: i64,
        arguments: [u64; 6],
    ) -> Result<u64, Failure> {
        let [a, b, c, d, e, f] = arguments;
        self.put(&Registers {
            rip: at,
            rax: number.cast_unsigned(),
            orig_rax: u64::MAX,
            rdi: a,
            rsi: b,
            rdx: c,
            r10: d,
            r8: e,
            r9: f,
            ..self.state.registers
        })?;
        let until = Instant::now() + PATIENCE;
        self.next_stop(until)?;
        self.next_stop(until)?;
        let answer = self.tracee.registers()?.rax;
        if answer.cast_signed() < 0 && answer.cast_signed() > -4096 {
            let error = i32::try_from(-answer.cast_signed()).unwrap_or(libc::EIO);
            return Err(Failure::System(io::Error::from_raw_os_error(error)));
        }
        Ok(answer)
    }

    /// Calls a function on a stack of its own, by the code page's part for it. Answers its result.
    pub(crate) fn call(
        &mut self,
        code: u64,
        function: u64,
        arguments: [u64; 4],
        stack: u64,
    ) -> Result<i32, Failure> {
        let [a, b, c, d] = arguments;
        self.put(&Registers {
            rip: code + restore_trampoline::CALL,
            rsp: stack,
            rbp: 0,
            rax: function,
            orig_rax: u64::MAX,
            rdi: a,
            rsi: b,
            rdx: c,
            rcx: d,
            eflags: self.state.registers.eflags & !(DIRECTION | TRAP),
            ..self.state.registers
        })?;
        let until = Instant::now() + PATIENCE;
        loop {
            self.next_stop(until)?;
            let now = self.tracee.registers()?;
            if now.rip == code + restore_trampoline::RETURNED {
                park(&self.tracee, PATIENCE, Some(&mut self.held))?;
                let low = now.rdi & u64::from(u32::MAX);
                return Ok(u32::try_from(low).unwrap_or(u32::MAX).cast_signed());
            }
        }
    }

    /// Gives the thread back as it was; answers the signals it is still owed.
    pub(crate) fn end(mut self) -> Result<Vec<i32>, Failure> {
        self.restore()?;
        Ok(std::mem::take(&mut self.held))
    }

    /// The same after a failure: the thread may still be in the middle of what it was made to do.
    pub(crate) fn abandon(mut self) -> Vec<i32> {
        // It may be stopped already, and is then only asked to stop once more.
        let _ = park(&self.tracee, PATIENCE, Some(&mut self.held));
        let _ = self.restore();
        std::mem::take(&mut self.held)
    }

    fn restore(&mut self) -> Result<(), Failure> {
        let registers = restarted(&self.state.registers);
        if self.touched {
            self.tracee.set_extended(&mut self.state.extended)?;
            self.tracee.set_blocked(self.state.blocked)?;
        }
        self.tracee.set_registers(&registers)?;
        Ok(self.tracee.detach(0)?)
    }

    /// Lets it stand elsewhere, where no handler of the program may run in the middle of what it does for
    /// us. Signals that tell of a fault stay: the kernel would reset the program's handler for them. They
    /// are blocked after it was put to where they are unblocked.
    fn put(&mut self, registers: &Registers) -> Result<(), Failure> {
        self.tracee.set_registers(registers)?;
        if !self.touched {
            self.touched = true;
            self.tracee.set_blocked(!FAULTS)?;
        }
        Ok(())
    }

    /// Lets it run to the next begin or end of a system call.
    fn next_stop(&mut self, until: Instant) -> Result<(), Failure> {
        self.tracee.resume(Go::ToCall, 0)?;
        loop {
            match self.tracee.wait(until) {
                Some(Stop::Call) => return Ok(()),
                Some(Stop::Asked) => self.tracee.resume(Go::ToCall, 0)?,
                // One that somebody sent tells of nothing that this thread did.
                Some(Stop::Signal(signal)) if is_fault(signal) && !self.tracee.is_sent()? => {
                    return Err(Failure::Late);
                }
                Some(Stop::Signal(signal)) => {
                    self.held.push(signal);
                    self.tracee.resume(Go::ToCall, 0)?;
                }
                Some(Stop::Group) => return Err(Failure::Stopped),
                Some(Stop::Ended) => return Err(Failure::Ended),
                None => return Err(Failure::Late),
            }
        }
    }
}

/// Stops it where the kernel looks for signals: only from there it restarts what it interrupted. Signals
/// that come in between are delivered, or held back for later.
fn park(
    tracee: &Tracee,
    patience: Duration,
    mut held: Option<&mut Vec<i32>>,
) -> Result<(), Failure> {
    tracee.interrupt()?;
    let until = Instant::now() + patience;
    if held.is_some() {
        // It is stopped at a system call now.
        let _ = tracee.resume(Go::On, 0);
    }
    loop {
        match tracee.wait(until) {
            Some(Stop::Asked) => return Ok(()),
            Some(Stop::Group) => return Err(Failure::Stopped),
            Some(Stop::Ended) => return Err(Failure::Ended),
            Some(Stop::Call) => tracee.resume(Go::On, 0)?,
            Some(Stop::Signal(signal)) => match &mut held {
                Some(held) => {
                    held.push(signal);
                    tracee.resume(Go::On, 0)?;
                }
                None => tracee.resume(Go::On, signal)?,
            },
            None => return Err(Failure::Late),
        }
    }
}

/// Ends the tracing of a thread of which nothing was changed. One that has not stopped yet cannot be let go.
fn let_go(tracee: &Tracee, failure: Failure) -> Failure {
    if matches!(failure, Failure::Stopped) {
        let _ = tracee.detach(libc::SIGSTOP);
    }
    failure
}

/// Whether a signal that tells of a fault waits for a stopped thread.
fn is_faulted(tid: u32) -> bool {
    let pending = ProcessStatus::of(&tid.to_string()).and_then(|status| status.signals("SigPnd"));
    pending.is_none_or(|signals| signals & FAULTS != 0)
}

const fn is_fault(signal: i32) -> bool {
    FAULTS >> (signal - 1) & 1 != 0
}

/// How long one step may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Flags of the processor: strings are walked downwards; a trap after each instruction.
const DIRECTION: u64 = 0x400;
const TRAP: u64 = 0x100;
/// SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS.
const FAULTS: u64 = 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7 | 1 << 10 | 1 << 30;
