//! The stack of a running thread, copied while the thread is stopped: for systems that do not allow sampling.

use std::thread;
use std::time::{Duration, Instant};

use crate::memory::Memory;
use crate::schedstat::Schedstat;
use crate::thread_state::restarted;
use crate::tracee::{Stop, Tracee};
use crate::walk::StackCopy;

/// What a stop brought.
#[derive(Debug)]
pub(crate) struct StopResult {
    /// Nothing when it stopped for something else.
    pub(crate) stack: Option<StackCopy>,
    /// For how long it stood still, of the time in which it would have run.
    pub(crate) lost: Duration,
}

/// Stops a thread for a copy of its registers and stack; `None` when it did not stop.
pub(crate) fn copy(pid: u32, tid: u32, memory: &Memory) -> Option<StopResult> {
    let tracee = Tracee::seize(tid).ok()?;
    tracee.interrupt().ok()?;
    let (stop, since) = stopped(&tracee)?;
    let signal = match stop {
        Stop::Signal(signal) => signal,
        Stop::Asked | Stop::Group | Stop::Call => 0,
        Stop::Ended => return None,
    };
    let registers = (stop == Stop::Asked).then(|| tracee.registers().ok()).flatten();
    // It may have begun to wait in a call just then, which is not to answer that it was interrupted.
    if let Some(registers) = &registers
        && let again = restarted(registers)
        && again.rip != registers.rip
    {
        let _ = tracee.set_registers(&again);
    }
    let stack = registers.map(|registers| StackCopy::of_stopped(&registers, memory));
    let _ = tracee.detach(signal);
    // Among many that want to run it would have stood still for a part of that anyway.
    Some(StopResult { stack, lost: since.elapsed().mul_f64(running_share(pid, tid)) })
}

/// Of the time in which a thread could run, the share in which it did.
#[expect(clippy::cast_precision_loss, reason = "a share")]
fn running_share(pid: u32, tid: u32) -> f64 {
    let counted = Schedstat::of(pid, tid).filter(|counted| counted.ran > 0);
    counted.map_or(1.0, |Schedstat { ran, delayed, .. }| {
        ran as f64 / ran.saturating_add(delayed) as f64
    })
}

/// Waits until it has stopped, without sleep at first; tells when it had not yet.
fn stopped(tracee: &Tracee) -> Option<(Stop, Instant)> {
    let begin = Instant::now();
    let mut running = begin;
    while running.duration_since(begin) < AWAKE {
        if let Some(stop) = tracee.wait(running) {
            return Some((stop, running));
        }
        running = Instant::now();
        thread::yield_now();
    }
    // It cannot be let go while it runs, and is about to stop.
    Some((tracee.wait(Instant::now() + PATIENCE)?, running))
}

/// How long it is waited for without sleep that a thread stops, and how long at all.
const AWAKE: Duration = Duration::from_millis(2);
const PATIENCE: Duration = Duration::from_secs(5);
