//! The looks at threads of processes that are in progress: all begin at once, and a look ends when each running thread was
//! seen.
//!
//! ```text
//!   request ──► begin: threads that wait are seen ──► now and then: samples of those that run ──► answer
//!                                                        │
//!                      without a look, too: ─────────────┴──► which function calls which
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use whyperf_inject::{LookManner, SeenActivity, StackLook, StackSnapshot};
use whyperf_model::Nanos;

use super::call_graph::CallGraph;
use super::hot_functions::HotFunctions;
use super::known_code::KnownCode;
use super::lost_samples::LostSamples;
use super::stacks::{self, ReadStack, StackPlace};
use crate::function_key::FunctionKey;
use crate::messages::{SampledThread, SeenThread, StackFindings, StackSampled, WorkerAnswer};
use crate::sample_price::{self, STACK};
use crate::switch_meter::SwitchMeter;

/// The looks that are under way.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    /// By process.
    pending: BTreeMap<u32, PendingLook>,
    /// By process that is sampled.
    sampled: BTreeMap<u32, LookedProcess>,
    taken: Option<Instant>,
    hot: HotFunctions,
    /// Functions of which it was told what they are called.
    named: BTreeSet<FunctionKey>,
}

#[derive(Debug)]
struct PendingLook {
    look: StackLook,
    /// Threads that it is about.
    asked: usize,
    findings: StackFindings,
    until: Instant,
}

#[derive(Debug)]
struct LookedProcess {
    /// When a look at it began last.
    asked: Instant,
    /// The limit that it has to keep to.
    limit: f64,
    switch_meter: SwitchMeter,
    lost_samples: LostSamples,
}

impl Looks {
    /// Begins a look: threads that wait are seen at once.
    pub(crate) fn begin(
        &mut self,
        code: &mut KnownCode,
        graph: &mut CallGraph,
        process: u32,
        threads: &[u32],
        limit: f64,
    ) {
        let now = Instant::now();
        let period = sample_price::period(STACK, limit);
        let mut findings = StackFindings::default();
        let looked_at = &threads[..threads.len().min(MOST)];
        let watched = code.processes.get_mut(&process);
        let look = watched.and_then(|watched| watched.stack_snapshots.begin(looked_at, period));
        if let Some(look) = &look {
            findings.manner = look.manner;
            findings.stopped = Nanos::from(look.stopped);
        }
        let mut look = look.unwrap_or_default();
        for snapshot in std::mem::take(&mut look.snapshots) {
            let read = stacks::read(code, graph, process, &snapshot);
            if snapshot.activity == SeenActivity::Running {
                self.hot.count(process, read.own);
            }
            findings.take(&snapshot, read.unseen);
        }
        if look.manner == LookManner::Samples {
            let switch_meter = SwitchMeter::begin(now);
            let lost_samples = LostSamples::default();
            let sampled = LookedProcess { asked: now, limit, switch_meter, lost_samples };
            self.sampled.entry(process).or_insert(sampled).asked = now;
        }
        let until = now + PATIENCE;
        self.pending.insert(process, PendingLook { look, asked: threads.len(), findings, until });
    }

    /// A process ended.
    pub(crate) fn forget(&mut self, process: u32) {
        self.pending.remove(&process);
        self.sampled.remove(&process);
        self.hot.forget(process);
    }

    /// How long nothing has to be taken in; `None` when nothing is sampled.
    pub(crate) fn rest(&self) -> Option<Duration> {
        if self.sampled.is_empty() && self.pending.is_empty() {
            return None;
        }
        Some(self.taken.map_or(Duration::ZERO, |taken| TICK.saturating_sub(taken.elapsed())))
    }

    /// Takes in the stack samples that came, if it is time to; answers where threads ran, and the looks that are over.
    pub(crate) fn take(
        &mut self,
        code: &mut KnownCode,
        graph: &mut CallGraph,
    ) -> Vec<WorkerAnswer> {
        if self.rest() != Some(Duration::ZERO) {
            return Vec::new();
        }
        let now = Instant::now();
        self.taken = Some(now);
        let processes: Vec<u32> = self.sampled.keys().copied().collect();
        let ran = processes.into_iter().filter_map(|process| self.take_of(process, code, graph));
        let mut answers: Vec<WorkerAnswer> = ran.collect();
        for key in self.hot.take_news() {
            graph.lead_to(key, code);
        }
        let switched = self.ask_for_turns(now, code);
        answers.extend(self.end(now));
        answers.extend(switched);
        self.let_rest(now, code);
        answers
    }

    /// Takes in the stack samples of a process; answers where its threads ran.
    fn take_of(
        &mut self,
        process: u32,
        code: &mut KnownCode,
        graph: &mut CallGraph,
    ) -> Option<WorkerAnswer> {
        let samples = code.processes.get_mut(&process)?.stack_snapshots.take();
        let found = samples.snapshots.len() as u64;
        let taken = samples.lost + found;
        let (mut running, mut polling, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for snapshot in &samples.snapshots {
            let read = stacks::read(code, graph, process, snapshot);
            let own = read.own.first().copied();
            if let Some(key) = own.filter(|key| self.named.insert(*key)) {
                names.push((key, code.modules.get(key.module).resource(key.function)));
            }
            self.hot.count(process, read.own);
            let (tid, is_whole) = (snapshot.tid, snapshot.is_whole);
            match read.place {
                StackPlace::Computing(inside) => {
                    let ReadStack { functions, between, .. } = read;
                    running.push(SampledThread { tid, inside, functions, between, own, is_whole });
                }
                StackPlace::Elsewhere => polling.push(tid),
            }
            let look = self.pending.get_mut(&process);
            if let Some(look) = look.filter(|look| snapshot.time >= look.look.begin) {
                look.look.awaited.remove(&snapshot.tid);
                look.findings.take(snapshot, read.unseen);
            }
        }
        let period = Nanos::from(samples.period.filter(|_| taken > 0)?);
        let period = match self.sampled.get_mut(&process) {
            Some(sampled) => sampled.lost_samples.period(period, found, samples.lost),
            None => period,
        };
        let cost = Nanos(STACK.0.saturating_mul(taken));
        let sampled = StackSampled { samples: running, polling, names, period, cost };
        Some(WorkerAnswer::Sampled { process, sampled })
    }

    /// Asks how often threads were switched while they were sampled; a process in which that costs too much is sampled no longer.
    fn ask_for_turns(&mut self, now: Instant, code: &mut KnownCode) -> Vec<WorkerAnswer> {
        let Self { sampled, pending, .. } = self;
        let mut answers = Vec::new();
        sampled.retain(|process, sampled| {
            let Some(watched) = code.processes.get_mut(process) else { return false };
            if !sampled.switch_meter.is_due(now) {
                return true;
            }
            let turns = watched.stack_snapshots.take_turns();
            let switched = sampled.switch_meter.take(now, turns, sampled.limit);
            answers.push(WorkerAnswer::Switched { process: *process, switched });
            if switched.rest.is_some() {
                watched.stack_snapshots.rest();
                // Nothing more is to come of a look that is under way.
                pending.entry(*process).and_modify(|look| look.until = now);
            }
            switched.rest.is_none()
        });
        answers
    }

    /// Ends the looks that waited for enough.
    fn end(&mut self, now: Instant) -> Vec<WorkerAnswer> {
        let is_over = |look: &PendingLook| look.look.awaited.is_empty() || now >= look.until;
        let over = self.pending.extract_if(.., |_, look| is_over(look));
        let answers = over.map(|(process, look)| {
            let mut seen = look.findings;
            seen.is_whole = seen.threads.len() >= look.asked
                && seen.threads.values().all(|thread| thread.is_whole);
            WorkerAnswer::Seen { process, seen }
        });
        answers.collect()
    }

    /// Samples no longer those that nobody looked at for a while.
    fn let_rest(&mut self, now: Instant, code: &mut KnownCode) {
        self.sampled.retain(|process, sampled| {
            let goes_on = now.duration_since(sampled.asked) <= SAMPLED;
            if !goes_on && let Some(watched) = code.processes.get_mut(process) {
                watched.stack_snapshots.rest();
            }
            goes_on
        });
    }
}

impl StackFindings {
    /// Takes in what a thread does.
    fn take(&mut self, snapshot: &StackSnapshot, calls: BTreeSet<FunctionKey>) {
        let seen = self.threads.entry(snapshot.tid).or_default();
        // A later one may be cut off where one before was not.
        if snapshot.is_whole || !seen.is_whole {
            *seen = SeenThread { calls, is_whole: snapshot.is_whole };
        }
    }
}

/// How often samples are taken in: a ring holds more than come meanwhile.
const TICK: Duration = Duration::from_millis(20);
/// How long a look waits for a thread that ran when it began.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long samples go on after the last look.
const SAMPLED: Duration = Duration::from_secs(10);
/// Threads of a process that are looked at; a look at one with more is never whole.
const MOST: usize = 64;
