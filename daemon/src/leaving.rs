//! Leaves the processes: asks each to go on without whyperf, and waits until its code is its own again (departure.rs).
//!
//! Functions that a process could not restore, and processes that did not answer in time, are named.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use whyperf_inject::ChangedCopy;
use whyperf_instrument::sentence;
use whyperf_layout::{Answer, CodeState, Command, Outcome, RegionRecord, RegionState, Reply};
use whyperf_model::Nanos;

use crate::daemon::Daemon;
use crate::departure::{Departure, Unrestored};
use crate::process::Process;
use crate::region::RegionMemory;
use crate::sampling_pass::SamplingPass;

impl Daemon {
    /// Asks every process to be measured no further, and those that appear from here on, too. Each may take as
    /// long to restore its code.
    pub fn leave(&mut self, patience: Duration) {
        let nanos = u64::try_from(patience.as_nanos()).unwrap_or(u64::MAX);
        // Their answers are to arrive before the patience here is over.
        self.patience = Some(Nanos(nanos / 10 * 9));
        self.is_left();
    }

    /// Looks whether every process has gone on without us, or ended.
    pub fn is_left(&mut self) -> bool {
        // One may have been forked just before its parent was asked.
        self.discover(&mut SamplingPass::default());
        let patience = self.patience.unwrap_or_default();
        let mut is_left = true;
        for process in &mut self.processes {
            process.ask_to_go(patience);
            is_left &= process.has_gone();
        }
        is_left
    }

    /// The processes that went on without being asked to: they gave up system calls or rights that measuring needs.
    #[must_use]
    pub fn gone_alone(&self) -> Vec<u32> {
        let alone = |process: &&Process| matches!(process.departure, Departure::Alone(_));
        self.processes.iter().filter(alone).map(|process| process.pid).collect()
    }

    /// How many processes still run that are measured no further.
    #[must_use]
    pub fn unmeasured(&self) -> usize {
        let is_one = |process: &&Process| {
            process.departure.unrestored().is_some() && !process.ending.is_over(true)
        };
        self.processes.iter().filter(is_one).count()
    }

    /// The functions that were not restored so far, of processes that still run.
    #[must_use]
    pub fn unrestored(&self) -> Vec<Unrestored> {
        self.processes.iter().flat_map(Process::unrestored).collect()
    }

    /// The processes that were asked to go, still run, and did not answer so far.
    #[must_use]
    pub fn silent(&self) -> Vec<u32> {
        let asked = self.processes.iter().filter(|process| !process.has_gone());
        asked.map(|process| process.pid).collect()
    }

    /// The copies of measured processes whose code stays changed: forked earlier, and without an event since, so nobody could ask them.
    #[must_use]
    pub fn changed_copies(&self) -> Vec<ChangedCopy> {
        whyperf_inject::changed_copies(&self.processes.iter().map(|process| process.pid).collect())
    }

    /// The same as [`leave`](Self::leave), with the usual patience, where the caller does not say how long to wait.
    pub(crate) fn leave_the_rest(&mut self) {
        if self.patience.is_some() {
            return;
        }
        let end = Instant::now() + USUAL;
        self.leave(USUAL);
        while !self.is_left() && Instant::now() < end {
            thread::sleep(LOOK);
        }
    }
}

impl Process {
    /// Asks it to go, unless it was asked or its ring is full, and takes its replies.
    fn ask_to_go(&mut self, patience: Nanos) {
        let Some(region) = self.stage.region() else { return };
        self.departure.ask(|| {
            let sent = region.send(Command::Detach { patience: patience.0 }).is_some();
            if sent {
                region.agent().wake();
            }
            sent
        });
        let mut is_answered = false;
        while let Some(message) = region.replies().receive(region.commands()) {
            let Some(answer) = Answer::decode(message) else { continue };
            is_answered |= matches!(answer.reply, Reply::Detached { .. });
            self.replies.push(answer);
        }
        if is_answered {
            let unrestored = self.found_patched(region);
            self.departure.answer(unrestored);
        }
    }

    /// Whether nothing of it has to be waited for. One without an agent, of which no code was changed, hears of
    /// its leave when its next thread starts.
    fn has_gone(&self) -> bool {
        let Some(region) = self.stage.region() else { return true };
        let is_changed = |record: &RegionRecord| record.code().0 != CodeState::Own;
        let has_agent = region.header().agent.load(Ordering::Relaxed) != 0;
        let hears = has_agent || region.regions().iter().any(is_changed);
        !hears || region.state() != RegionState::Running || self.ending.is_over(true)
    }

    fn unrestored(&self) -> Vec<Unrestored> {
        match (self.departure.unrestored(), self.stage.region()) {
            (Some(unrestored), _) if !self.ending.is_over(true) => unrestored.to_vec(),
            (None, Some(region)) if !self.has_gone() => self.found_patched(region),
            _ => Vec::new(),
        }
    }

    /// The functions whose records say that their code is not their own.
    pub(crate) fn found_patched(&self, region: &RegionMemory) -> Vec<Unrestored> {
        let patched = region.regions().iter().skip(1).filter_map(|record| {
            let (state, outcome) = record.code();
            let address = record.address.load(Ordering::Relaxed);
            let name = || self.catalogue.function_at(address).map(ToString::to_string);
            let reason = if outcome == Outcome::Done { SILENT } else { sentence(outcome) };
            (state != CodeState::Own).then(|| Unrestored {
                pid: self.pid,
                function: name().unwrap_or_else(|| "a function without a known name".to_owned()),
                address,
                reason,
            })
        });
        patched.collect()
    }
}

/// What a process that does not answer gives as its reason.
const SILENT: &str = "the process did not answer in time";
/// How long processes may take where the caller does not say, and how often they are looked at.
const USUAL: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(5);
