//! A small process of whyperf's own beside it, by which it knows of a signal whether the program got it, too.
//!
//! ```text
//!   kill -INT -GROUP ──► program, witness, whyperf    the witness got it: so did the program
//!   kill -INT PID ─────► whyperf                      the witness did not: it is passed on
//! ```
//! A sender that means a whole process group, or a whole job, sends the same signal to whyperf and to the program. Passed on it would come
//! twice. What a signal says of itself does not tell whom else it was sent to.
//!
//! The kernel sends to the newest process of a group first (`attach_pid` puts it at the head of the list), so what whyperf got the
//! witness got before, and it answers no question before its handlers have run.

use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{array, env};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2};
use signal_hook::flag;

/// The witness, as long as it answers.
#[derive(Debug)]
pub(crate) struct SignalWitness {
    process: Child,
    questions: ChildStdin,
    answers: ChildStdout,
    /// What came to it and was not asked about yet.
    came: Came,
}

/// Whom a signal was sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Addressee {
    /// This process alone, as far as anybody can know.
    Whyperf,
    /// The program as well.
    All,
}

/// Of each signal that a witness listens to, whether it came.
type Came = [u8; SIGNALS.len()];

impl SignalWitness {
    /// Starts it, and waits until it listens; `None` where that cannot be, and then all signals are passed on.
    pub(crate) fn start() -> Option<Self> {
        let mut command = Command::new("/proc/self/exe");
        command.arg0(NAME).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.env_remove("LD_PRELOAD").spawn().ok()?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (questions, answers) = pipes?;
        let mut witness = Self { process, questions, answers, came: Came::default() };
        witness.answer()?;
        Some(witness)
    }

    /// Whom a signal that has just come was sent to; `None` where the witness does not answer.
    fn ask(&mut self, signal: i32) -> Option<Addressee> {
        let at = SIGNALS.iter().position(|one| *one == signal);
        let Some(at) = at else { return Some(Addressee::Whyperf) };
        self.questions.write_all(&[0]).ok()?;
        self.answer()?;
        // What else came is for the question about that.
        let did_come = std::mem::take(&mut self.came[at]);
        Some(if did_come != 0 { Addressee::All } else { Addressee::Whyperf })
    }

    /// Takes in what came since the answer before.
    fn answer(&mut self) -> Option<()> {
        let mut waits = [PollFd::new(&self.answers, PollFlags::IN)];
        // One that is stopped answers when it goes on; and another signal may come meanwhile.
        let is_there = retry_on_intr(|| poll(&mut waits, Some(&PATIENCE))).ok()? > 0;
        let mut came = Came::default();
        is_there.then(|| self.answers.read_exact(&mut came).ok())??;
        self.came.iter_mut().zip(came).for_each(|(all, new)| *all |= new);
        Some(())
    }
}

impl Drop for SignalWitness {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Asks it whom a signal was sent to, and asks no more once it does not answer.
pub(crate) fn addressee(witness: &mut Option<SignalWitness>, signal: i32) -> Addressee {
    let answer = witness.as_mut().and_then(|one| one.ask(signal));
    if answer.is_none() {
        *witness = None;
    }
    answer.unwrap_or(Addressee::Whyperf)
}

/// Whether this process was started to be a witness.
pub(crate) fn is_one() -> bool {
    env::args_os().next().is_some_and(|name| name == NAME)
}

/// Listens, and answers each question, until nobody asks any more.
pub(crate) fn be_one() -> ExitCode {
    let came: [Arc<AtomicBool>; SIGNALS.len()] = array::from_fn(|_| Arc::default());
    for (signal, came) in SIGNALS.iter().zip(&came) {
        if flag::register(*signal, Arc::clone(came)).is_err() {
            return ExitCode::FAILURE;
        }
    }
    let answer = || {
        let came: Came = array::from_fn(|at| u8::from(came[at].swap(false, Ordering::Relaxed)));
        io::stdout().write_all(&came).and_then(|()| io::stdout().flush())
    };
    while answer().is_ok() && io::stdin().read_exact(&mut [0]).is_ok() {}
    ExitCode::SUCCESS
}

/// As what it is started: neither `pkill whyperf` nor `killall` is to mean it.
const NAME: &str = "signal-witness";
/// What is passed on; and what would stop it.
const SIGNALS: [i32; 8] = [SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP];
/// How long an answer may take.
const PATIENCE: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };
