//! The queue of events: signals to whyperf, keys, and the program's end all arrive through one channel.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use signal_hook::consts::{SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithRawSiginfo;
use whyperf_inject::ProcessStatus;

use crate::measuring::event::WatchEvent;
use crate::measuring::panic_handler;

/// Where events arrive.
#[derive(Debug)]
pub(crate) struct Events {
    sender: Sender<WatchEvent>,
    receiver: Receiver<WatchEvent>,
}

impl Events {
    /// From now on signals do not end this process. A program started later still begins with the dispositions that whyperf
    /// was started with: handlers do not survive `exec`, and what was ignored is left ignored.
    pub(crate) fn listen() -> Result<Self> {
        let (sender, receiver) = mpsc::channel();
        let own = ProcessStatus::of("self");
        // As `nohup` has it.
        let is_ignored = |signal| own.as_ref().is_some_and(|own| own.has("SigIgn", signal));
        let wanted =
            [SIGALRM, SIGCONT, SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGUSR1, SIGUSR2, PAUSE, PHASE];
        let heard = wanted.into_iter().filter(|signal| !is_ignored(*signal));
        let mut signals =
            SignalsInfo::<WithRawSiginfo>::new(heard).context("listening for signals")?;
        let to_loop = sender.clone();
        thread::spawn(move || {
            for received in signals.forever() {
                let event = event_of(received.si_signo, received.si_code);
                if matches!(event, WatchEvent::PassOn(signal) if panic_handler::pass_on(signal)) {
                    continue;
                }
                if to_loop.send(event).is_err() {
                    return;
                }
            }
        });
        Ok(Self { sender, receiver })
    }

    /// Tells when this child has ended; it stays unreaped, so that its number cannot mean anybody else meanwhile.
    pub(crate) fn await_end(&self, child: u32) {
        let sender = self.sender.clone();
        let pid = i32::try_from(child).ok().and_then(Pid::from_raw);
        thread::spawn(move || {
            if let Some(pid) = pid {
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                loop {
                    match waitid(WaitId::Pid(pid), options) {
                        Err(Errno::INTR) => {}
                        // Another of our threads looks at it; the system tells of that, too.
                        Ok(Some(status)) if status.stopped() || status.trapped() => {
                            thread::sleep(A_LOOK);
                        }
                        _ => break,
                    }
                }
            }
            let _ = sender.send(WatchEvent::Ended);
        });
    }

    /// Where others may report events.
    pub(crate) fn sender(&self) -> Sender<WatchEvent> {
        self.sender.clone()
    }

    /// The next event, if one comes before this moment.
    pub(crate) fn next_before(&self, moment: Instant) -> Option<WatchEvent> {
        // The other end is kept in `self`, so the only error is that nothing came in time.
        self.receiver.recv_timeout(moment.saturating_duration_since(Instant::now())).ok()
    }
}

/// What a signal means. The terminal's are the kernel's, and the program gets them as we do; what another process sends
/// may have been meant for us alone.
const fn event_of(signal: i32, code: i32) -> WatchEvent {
    match signal {
        SIGCONT => WatchEvent::Resumed,
        PAUSE => WatchEvent::Pause,
        PHASE => WatchEvent::Phase,
        SIGINT | SIGQUIT | SIGHUP if code == SENT_BY_KERNEL => WatchEvent::Interrupted,
        _ => WatchEvent::PassOn(signal),
    }
}

/// So long a look at a thread takes at most, as a rule.
const A_LOOK: Duration = Duration::from_millis(1);

/// `SIGRTMIN+1` and `SIGRTMIN+2`, of which the C library keeps the first two for itself.
const PAUSE: i32 = 35;
const PHASE: i32 = 36;

/// `SI_KERNEL`.
const SENT_BY_KERNEL: i32 = 0x80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_terminal_sends_is_not_passed_on_and_all_else_is() {
        assert_eq!(event_of(SIGINT, SENT_BY_KERNEL), WatchEvent::Interrupted);
        assert_eq!(event_of(SIGINT, 0), WatchEvent::PassOn(SIGINT));
        assert_eq!(event_of(SIGALRM, SENT_BY_KERNEL), WatchEvent::PassOn(SIGALRM));
        assert_eq!(event_of(SIGCONT, 0), WatchEvent::Resumed);
        assert_eq!(event_of(PAUSE, 0), WatchEvent::Pause);
        assert_eq!(event_of(PHASE, 0), WatchEvent::Phase);
    }
}
