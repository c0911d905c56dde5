//! Looks at the threads of processes that are under way: begun at once, over when each thread that runs was seen.
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
use super::stacks::{self, StackPlace};
use crate::function_key::FunctionKey;
use crate::messages::{SampledThread, SeenThread, StackFindings, WorkerAnswer};
use crate::sample_price::STACK;

/// The looks that are under way.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    /// By process.
    pending: BTreeMap<u32, PendingLook>,
    /// By process that is sampled: when a look at it began last, and what samples cost it since that was told.
    sampled: BTreeMap<u32, SampledProcess>,
    taken: Option<Instant>,
    hot: HotFunctions,
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
struct SampledProcess {
    asked: Instant,
    cost: Nanos,
}

impl Looks {
    /// Begins a look; what is answered at once goes without samples.
    pub(crate) fn begin(
        &mut self,
        code: &mut KnownCode,
        graph: &mut CallGraph,
        process: u32,
        threads: &[u32],
        period: Duration,
    ) {
        let now = Instant::now();
        let mut findings = StackFindings::default();
        let watched = code.processes.get_mut(&process);
        let look = watched.and_then(|watched| watched.stack_snapshots.begin(threads, period));
        if let Some(look) = &look {
            findings.manner = look.manner;
            findings.stopped = Nanos::from(look.stopped);
            findings.cost = findings.stopped;
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
            let sampled = SampledProcess { asked: now, cost: Nanos::ZERO };
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

    /// Takes in the samples that came, if it is time to; answers the looks that are over.
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
        let mut answers = Vec::new();
        let Self { pending, sampled, hot, .. } = self;
        for (process, sampled) in &mut *sampled {
            let Some(watched) = code.processes.get_mut(process) else { continue };
            let samples = watched.stack_snapshots.take();
            let taken = samples.lost + samples.snapshots.len() as u64;
            sampled.cost += Nanos(STACK.0.saturating_mul(taken));
            let mut running = Vec::new();
            for snapshot in &samples.snapshots {
                let look = pending.get_mut(process);
                let look = look.filter(|pending| snapshot.time >= pending.look.begin);
                let read = stacks::read(code, graph, *process, snapshot);
                hot.count(*process, read.own);
                if let StackPlace::Computing(inside) = read.place {
                    running.push(SampledThread { tid: snapshot.tid, inside });
                }
                if let Some(pending) = look {
                    pending.look.awaited.remove(&snapshot.tid);
                    pending.findings.take(snapshot, read.unseen);
                }
            }
            if let (Some(period), false) = (samples.period, running.is_empty()) {
                let (process, samples) = (*process, running);
                answers.push(WorkerAnswer::Sampled { process, period, samples });
            }
            if now.duration_since(sampled.asked) > SAMPLED
                && let Some(watched) = code.processes.get_mut(process)
            {
                watched.stack_snapshots.rest();
            }
        }
        for key in hot.take_news() {
            graph.lead_to(key, code);
        }
        sampled.retain(|_, sampled| now.duration_since(sampled.asked) <= SAMPLED);
        let over = pending
            .extract_if(.., |_, pending| pending.look.awaited.is_empty() || now >= pending.until);
        answers.extend(over.map(|(process, mut pending)| {
            let threads = &pending.findings.threads;
            pending.findings.is_whole =
                threads.len() >= pending.asked && threads.values().all(|thread| thread.is_whole);
            let cost = sampled.get_mut(&process).map(|sampled| std::mem::take(&mut sampled.cost));
            pending.findings.cost += cost.unwrap_or_default();
            WorkerAnswer::Seen { process, seen: pending.findings }
        }));
        answers
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
