//! Stack snapshots of running threads: the functions that each thread has not returned from.
//!
//! A thread is stopped only while its registers and its stack are copied; the copy is unwound afterwards.
//! Only running threads are stopped: a stop would disturb a system call that waits.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use crate::maps::Maps;
use crate::memory::Memory;
use crate::thread_state::restarted;
use crate::tracee::{Stop, Tracee};
use crate::walk::{Images, Known, StoppedStack};

/// What was seen of a thread; nothing when it did not stop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackSnapshot {
    /// Addresses inside the functions that have not returned, innermost first.
    pub calls: Vec<OpenCall>,
    /// Whether these are all.
    pub is_whole: bool,
}

/// A call that has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenCall {
    /// An address in the function.
    pub address: u64,
    /// Whether that is code of this library.
    pub is_ours: bool,
}

/// Takes stack snapshots of one process, and keeps what it read of the process's objects.
#[derive(Debug, Default)]
pub struct StackSnapshots {
    known: Known,
    /// Which objects these are.
    objects: Vec<(PathBuf, u64)>,
}

impl StackSnapshots {
    /// Looks at threads of a process; tells of those that run, and for how long one stood still at most. `None`
    /// when the process cannot be looked at.
    pub fn at(
        &mut self,
        pid: u32,
        threads: &[u32],
    ) -> Option<(Vec<(u32, StackSnapshot)>, Duration)> {
        let mut longest = Duration::ZERO;
        let memory = Memory::open(pid).ok()?;
        let maps = Maps::of(pid);
        let mut stacks = Vec::new();
        for tid in threads.iter().filter(|tid| is_running(pid, **tid)) {
            let (stack, stopped) = stack(*tid, &memory).unzip();
            stacks.push((*tid, stack.flatten()));
            // Among many that want to run it would have stood still for a part of that anyway.
            let lost = stopped.unwrap_or_default().mul_f64(running_share(pid, *tid));
            longest = longest.max(lost);
        }
        let objects = maps.with_code().map(|one| (one.path.clone(), one.range.start)).collect();
        if self.objects != objects {
            self.known.clear();
            self.objects = objects;
        }
        let mut images = Images::knowing(&maps, &memory, std::mem::take(&mut self.known));
        let mut snapshots = Vec::new();
        for (tid, stack) in stacks {
            let snapshot = stack.map(|stack| snapshot(&mut images, &stack)).unwrap_or_default();
            snapshots.push((tid, snapshot));
        }
        self.known = images.into_known();
        Some((snapshots, longest))
    }
}

fn snapshot(images: &mut Images<'_>, stack: &StoppedStack) -> StackSnapshot {
    let (frames, is_whole) = images.walk(stack);
    let calls = frames.iter().map(|frame| OpenCall {
        address: frame.address,
        is_ours: frame.image.as_ref().is_some_and(|image| image.name == crate::request::LIBRARY),
    });
    StackSnapshot { calls: calls.collect(), is_whole }
}

/// Of the time in which a thread could run, the share in which it did.
fn running_share(pid: u32, tid: u32) -> f64 {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{tid}/schedstat")).unwrap_or_default();
    let mut times = text.split(' ').map_while(|field| field.parse::<f64>().ok());
    let (Some(ran), Some(waited)) = (times.next(), times.next()) else { return 1.0 };
    if ran > 0.0 { ran / (ran + waited) } else { 1.0 }
}

fn is_running(pid: u32, tid: u32) -> bool {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{tid}/syscall"));
    text.is_ok_and(|text| text.starts_with("running"))
}

/// Stops a thread for a copy of its registers and stack; tells for how long it stood still.
fn stack(tid: u32, memory: &Memory) -> Option<(Option<StoppedStack>, Duration)> {
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
    let stack = registers.map(|registers| StoppedStack::take(&registers, memory));
    let _ = tracee.detach(signal);
    Some((stack, since.elapsed()))
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

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_thread_that_computes_is_seen_to_its_beginning_and_goes_on() {
        let script = "echo begun; i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; echo $i";
        let mut command = Command::new("sh");
        let child = command.args(["-c", script]).stdout(std::process::Stdio::piped()).spawn();
        let mut child = child.expect("every system has a shell");
        let pid = child.id();
        // Before its `main` a thread has no callers yet.
        let mut begun = [0; 6];
        let output = child.stdout.as_mut().expect("it is piped");
        output.read_exact(&mut begun).expect("it says so before it computes");
        let mut stack_snapshots = StackSnapshots::default();
        let mut seen = Vec::new();
        while seen.is_empty() && std::path::Path::new(&format!("/proc/{pid}/exe")).exists() {
            let (snapshots, _) = stack_snapshots.at(pid, &[pid]).unwrap_or_default();
            seen.extend(snapshots.into_iter().filter(|(_, snapshot)| snapshot.is_whole));
        }
        let output = child.wait_with_output().expect("it is ours");
        assert_eq!(output.stdout, b"400000\n");
        let (tid, snapshot) = seen.first().expect("it runs for a while");
        assert_eq!(*tid, pid);
        assert!(snapshot.calls.len() > 2, "{snapshot:?}");
    }
}
