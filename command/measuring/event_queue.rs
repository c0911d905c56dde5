//! The queue of events: signals to whyperf, keys, and the program's end all arrive through one channel.

use std::io;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use signal_hook::consts::{SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::exfiltrator::WithRawSiginfo;
use signal_hook::iterator::{Handle, SignalsInfo};
use whyperf_inject::{ForeignProcess, Life, ProcessStatus};

use crate::measuring::event::WatchEvent;
use crate::measuring::panic_handler;
use crate::measuring::signal_witness::{self, Addressee, SignalWitness};
use crate::measuring::unheard_signals::UnheardSignals;

/// Where events arrive.
#[derive(Debug)]
pub(crate) struct Events {
    sender: Sender<WatchEvent>,
    receiver: Receiver<WatchEvent>,
    /// Signals that asked for the end and were taken from the queue.
    taken: Arc<AtomicU32>,
    signals: Handle,
    /// Signals that were ignored when whyperf began.
    ignored: Vec<i32>,
    /// Where the child is named whose end is waited for.
    child: Sender<u32>,
    /// Who tells whether a signal was sent to the program as well; none before that is started.
    witness: Arc<Mutex<Option<SignalWitness>>>,
}

impl Events {
    /// From now on signals do not end this process. A program started later still begins with the dispositions that whyperf
    /// was started with: handlers do not survive `exec`, and what was ignored is left ignored until [`listen_to_all`](Self::listen_to_all).
    pub(crate) fn listen() -> Result<Self> {
        let (sender, receiver) = mpsc::channel();
        let own = ProcessStatus::of("self");
        // As `nohup` has it.
        let is_ignored = |signal| own.as_ref().is_some_and(|own| own.has("SigIgn", signal));
        let wanted = [
            SIGALRM, SIGCONT, SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGUSR1, SIGUSR2, PAUSE, PHASE,
            REPORT,
        ];
        let (ignored, heard): (Vec<i32>, Vec<i32>) =
            wanted.into_iter().partition(|signal| is_ignored(*signal));
        let signals = SignalsInfo::<WithRawSiginfo>::new(heard).context("listening for signals")?;
        let (child, children) = mpsc::channel();
        let taken = Arc::default();
        let handle = signals.handle();
        let witness = Arc::default();
        let events = Self { sender, receiver, taken, signals: handle, ignored, child, witness };
        events.forward(signals).context("starting a thread that hears signals")?;
        events.wait_for(children).context("starting a thread that waits for the program")?;
        Ok(events)
    }

    /// The program is about to be started, beside this process: from now on signals that it gets, too, are told apart.
    pub(crate) fn tell_apart(&self) {
        *self.witness.lock().unwrap_or_else(PoisonError::into_inner) = SignalWitness::start();
    }

    /// Listens to what was ignored, too: shells have it so for what they start in the background, and a program that handles such a signal is
    /// to get it all the same. Called when the program has been started, which begins with it ignored.
    pub(crate) fn listen_to_all(&self) {
        for signal in &self.ignored {
            // What cannot be listened to stays ignored.
            let _ = self.signals.add_signal(*signal);
        }
    }

    /// Puts signals into the queue, in a thread of its own.
    fn forward(&self, mut signals: SignalsInfo<WithRawSiginfo>) -> io::Result<()> {
        let (to_loop, taken) = (self.sender.clone(), Arc::clone(&self.taken));
        let (ignored, witness) = (self.ignored.clone(), Arc::clone(&self.witness));
        let forward = move || {
            let mut unheard = UnheardSignals::default();
            for received in signals.forever() {
                let (signal, code) = (received.si_signo, received.si_code);
                let mut witness = witness.lock().unwrap_or_else(PoisonError::into_inner);
                let addressee = signal_witness::addressee(&mut witness, signal);
                drop(witness);
                let is_sent_to_all = code == SENT_BY_KERNEL || addressee == Addressee::All;
                // Those went to the program as well, and mean us no more than before.
                if is_sent_to_all && ignored.contains(&signal) {
                    continue;
                }
                let event = event_of(signal, code, addressee);
                if matches!(event, WatchEvent::PassOn(signal) if panic_handler::pass_on(signal)) {
                    continue;
                }
                // When nobody takes it any more, the report is being written.
                let _ = to_loop.send(event);
                let taken = taken.load(Ordering::Relaxed);
                if event.asks_for_end() && unheard.is_over(Instant::now(), taken) {
                    panic_handler::end_at_once(signal);
                }
            }
        };
        thread::Builder::new().name("whyperf-signals".to_owned()).spawn(forward).map(drop)
    }

    /// Waits for the end of the child that is named later, in a thread of its own: where no thread can be started, that is known before the
    /// program runs.
    fn wait_for(&self, children: Receiver<u32>) -> io::Result<()> {
        let sender = self.sender.clone();
        let wait = move || {
            let Ok(child) = children.recv() else { return };
            let _ = sender.send(wait_for_end(child));
        };
        thread::Builder::new().name("whyperf-child".to_owned()).spawn(wait).map(drop)
    }

    /// Tells when this child has ended; it stays unreaped, so that its number cannot mean anybody else meanwhile.
    pub(crate) fn await_end(&self, child: u32) {
        // The thread at the other end waits for nothing else.
        let _ = self.child.send(child);
    }

    /// Where others may report events.
    pub(crate) fn sender(&self) -> Sender<WatchEvent> {
        self.sender.clone()
    }

    /// The next event, if one comes before this moment.
    pub(crate) fn next_before(&self, moment: Instant) -> Option<WatchEvent> {
        // The other end is kept in `self`, so the only error is that nothing came in time.
        let event =
            self.receiver.recv_timeout(moment.saturating_duration_since(Instant::now())).ok()?;
        if event.asks_for_end() {
            self.taken.fetch_add(1, Ordering::Relaxed);
        }
        Some(event)
    }
}

impl Drop for Events {
    /// The program is over, and with it the question whom signals were sent to. The thread that hears them stays.
    fn drop(&mut self) {
        *self.witness.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn wait_for_end(program: u32) -> WatchEvent {
    let Some(pid) = i32::try_from(program).ok().and_then(Pid::from_raw) else {
        return WatchEvent::Gone(None);
    };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    loop {
        match waitid(WaitId::Pid(pid), options) {
            Err(Errno::INTR) => {}
            // Another of our threads looks at it; the system tells of that, too.
            Ok(Some(status)) if status.stopped() || status.trapped() => thread::sleep(A_LOOK),
            Err(Errno::CHILD) => return WatchEvent::Gone(wait_for_foreign(program)),
            _ => return WatchEvent::Ended,
        }
    }
}

/// The same, of a process that is no child of ours; how it ended, if anybody tells.
fn wait_for_foreign(pid: u32) -> Option<ExitStatus> {
    match ForeignProcess::open(pid) {
        Ok(process) => {
            process.wait();
            process.exit_status()
        }
        // It is gone.
        Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => None,
        // Kernels before 5.3, and sandboxes.
        Err(_) => {
            let process = Life::of(pid);
            while !process.is_over() {
                thread::sleep(A_LIFE);
            }
            None
        }
    }
}

/// What a signal means. The terminal's are the kernel's, and the program gets them as we do; what another process sends
/// may have been meant for us alone.
fn event_of(signal: i32, code: i32, addressee: Addressee) -> WatchEvent {
    let is_sent_to_all = code == SENT_BY_KERNEL || addressee == Addressee::All;
    match signal {
        SIGCONT => WatchEvent::Resumed,
        PAUSE => WatchEvent::Pause,
        PHASE => WatchEvent::Phase,
        REPORT => WatchEvent::Report,
        SIGINT | SIGQUIT | SIGHUP if is_sent_to_all => WatchEvent::Interrupted,
        _ if addressee == Addressee::All => WatchEvent::SentToAll(signal),
        _ => WatchEvent::PassOn(signal),
    }
}

/// So long a look at a thread takes at most, as a rule.
const A_LOOK: Duration = Duration::from_millis(1);

/// Between two looks at whether a process still lives.
const A_LIFE: Duration = Duration::from_millis(50);

/// `SIGRTMIN+1` to `SIGRTMIN+3`, of which the C library keeps the first two for itself.
const PAUSE: i32 = 35;
const PHASE: i32 = 36;
const REPORT: i32 = 37;

/// `SI_KERNEL`.
const SENT_BY_KERNEL: i32 = 0x80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_terminal_sends_is_not_passed_on_and_all_else_is() {
        let alone = |signal, code| event_of(signal, code, Addressee::Whyperf);
        assert_eq!(alone(SIGINT, SENT_BY_KERNEL), WatchEvent::Interrupted);
        assert_eq!(alone(SIGINT, 0), WatchEvent::PassOn(SIGINT));
        assert_eq!(alone(SIGALRM, SENT_BY_KERNEL), WatchEvent::PassOn(SIGALRM));
        assert_eq!(alone(SIGCONT, 0), WatchEvent::Resumed);
        assert_eq!(alone(PAUSE, 0), WatchEvent::Pause);
        assert_eq!(alone(PHASE, 0), WatchEvent::Phase);
        assert_eq!(alone(REPORT, 0), WatchEvent::Report);
    }

    #[test]
    fn what_the_program_got_too_is_not_passed_on() {
        let to_all = |signal| event_of(signal, 0, Addressee::All);
        assert_eq!(to_all(SIGHUP), WatchEvent::Interrupted);
        assert_eq!(to_all(SIGUSR1), WatchEvent::SentToAll(SIGUSR1));
        assert_eq!(to_all(SIGCONT), WatchEvent::Resumed);
        assert!(to_all(SIGTERM).asks_for_end() && !to_all(SIGUSR2).asks_for_end());
    }
}
