//! The reasons why a process cannot be attached to, each with what to do about it.

use std::io;
use std::path::PathBuf;

/// A reason, for the user to read. The process goes on as if nothing had been tried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttachRefusal {
    /// There is none of this number.
    #[error("there is no process {0}; `ps` lists those that run")]
    NoProcess(u32),
    /// The number of a thread.
    #[error("{0} is a thread of process {1}; attach to {1}")]
    IsThread(u32, u32),
    /// whyperf itself.
    #[error("process {0} is whyperf itself")]
    Oneself(u32),
    /// It has ended already.
    #[error("process {0} has ended and only waits to be collected")]
    Ended(u32),
    /// It did, while it was looked at.
    #[error("process {0} ended while it was being attached to")]
    EndedMeanwhile(u32),
    /// Its first thread has, and others go on.
    #[error(
        "the first thread of process {0} has ended, and the kernel shows the program's memory by that one; start it with \
         `whyperf run`"
    )]
    FirstThreadEnded(u32),
    /// A part of the kernel.
    #[error("process {0} is a thread of the kernel, not a program")]
    Kernel(u32),
    /// Stopped by a signal.
    #[error("process {0} is stopped; let it go on first (kill -CONT {0})")]
    Stopped(u32),
    /// Somebody traces it.
    #[error("process {pid} is traced by process {tracer} (a debugger, strace?); end that first")]
    Traced {
        /// Which.
        pid: u32,
        /// By whom.
        tracer: u32,
    },
    /// Somebody else's.
    #[error(
        "process {pid} belongs to user {owner} and whyperf runs as user {user}; run whyperf as user {owner}"
    )]
    OtherUser {
        /// Which.
        pid: u32,
        /// Whose it is.
        owner: u32,
        /// Whose we are.
        user: u32,
    },
    /// The system does not let us.
    #[error("the system does not allow to attach to process {pid}: {why}")]
    NotAllowed {
        /// Which.
        pid: u32,
        /// What it depends on.
        why: String,
    },
    /// No dynamic linker takes part.
    #[error("process {pid} runs {}, which is {kind}: nothing can be loaded into it; {advice}", program.display())]
    CannotLoad {
        /// Which.
        pid: u32,
        /// Its program.
        program: PathBuf,
        /// What kind of program that is.
        kind: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// The library would not measure it, so it is not loaded.
    #[error("process {pid} runs {}, which is not measured: {why}; nothing was loaded into it", program.display())]
    NeverMeasured {
        /// Which.
        pid: u32,
        /// Its program.
        program: PathBuf,
        /// Why not.
        why: &'static str,
    },
    /// It sees other files, or other numbers of processes.
    #[error(
        "process {0} lives in a container of its own ({1} differ from ours); run whyperf inside of it"
    )]
    Elsewhere(u32, &'static str),
    /// It gave up system calls.
    #[error(
        "process {0} has given up system calls (seccomp), and those that loading needs may be among them"
    )]
    Sandboxed(u32),
    /// It carries a runtime that ends the program at a thread that it did not see begin.
    #[error(
        "process {0} is built with ThreadSanitizer, which ends a program in which others start a thread; start it with \
         `whyperf run`"
    )]
    ThreadSanitizer(u32),
    /// The processor checks its return addresses.
    #[error("process {0} uses a shadow stack, which forbids the call that attaching makes")]
    ShadowStack(u32),
    /// Another whyperf measures it.
    #[error("process {pid} is being measured already, by process {by}")]
    Measured {
        /// Which.
        pid: u32,
        /// By whom.
        by: u32,
    },
    /// Its C library lacks what is needed, or was replaced on disk.
    #[error("process {pid} cannot be made to load libwhyperf.so: {why}")]
    NoFunction {
        /// Which.
        pid: u32,
        /// What is missing.
        why: String,
    },
    /// No moment was found.
    #[error(
        "process {pid} was never seen at a place where it may be interrupted: {place}; try again"
    )]
    UnsafePoint {
        /// Which.
        pid: u32,
        /// Where its threads stood.
        place: String,
    },
    /// What was learned of its program did not hold for the next one.
    #[error(
        "process {0} started other programs (exec) while whyperf attached to it, and was left as it was; attach when it stays \
         with one, or start it with `whyperf run`"
    )]
    Execs(u32),
    /// It did not do what it was asked in time.
    #[error(
        "process {0} did not answer in time and was left as it was; is the machine overloaded? Try again"
    )]
    NoAnswer(u32),
    /// Its dynamic linker refused.
    #[error("process {pid} could not load libwhyperf.so: {why}")]
    NotLoaded {
        /// Which.
        pid: u32,
        /// What the dynamic linker said.
        why: String,
    },
    /// The library refused.
    #[error("process {pid} loaded libwhyperf.so, which does not measure it: {why}")]
    Declined {
        /// Which.
        pid: u32,
        /// What it answered.
        why: &'static str,
    },
    /// A call of the system failed.
    #[error("attaching to process {pid}: {source}")]
    Failed {
        /// To which.
        pid: u32,
        /// Why.
        source: io::Error,
    },
}

impl AttachRefusal {
    /// What the library's answer means.
    pub(crate) const fn judge(pid: u32, answer: u32) -> Result<(), Self> {
        let why = match answer {
            0 => return Ok(()),
            1 => "it is being measured already",
            2 => "it is a launcher, a shell, or has too little address space",
            _ => "the run directory or its file cannot be used from there",
        };
        Err(Self::Declined { pid, why })
    }
}

/// The library would not see all calls by itself.
pub(crate) const IN_PART: u32 = 4;
