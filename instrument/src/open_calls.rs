//! Calls that began before their functions were watched: no event tells of them, but the stack does.
//!
//! ```text
//!   on ──────────── looked at ──────────── looked at
//!   f ─ f ─ f ─ f ─ f ─ f ─ f ─ f ─ f ─ f ┐          in f without an entry: since before it was on
//!                   └─ counts for f ──────┴──┤       until it was looked at again
//! ```
//! A thread that is in a function which is on, and whose entry no event told of, is in it since before it was on. All that
//! the thread does counts for that function, until a later look finds it gone; what is counted too much is at most
//! the time between two looks, which are far apart only when the call has lasted for much longer.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::matching::PairId;
use whyperf_model::{Nanos, Resource};

use crate::instrumenter::Instrumenter;
use crate::messages::{StackFindings, WorkerRequest};
use crate::modules::FunctionKey;
use crate::patch_table::{PatchSite, PatchTable};

/// The open calls of one process.
#[derive(Debug, Default)]
pub(crate) struct OpenCalls {
    /// The pass in which the look that is under way was asked for.
    asked: Option<u64>,
    /// The pass of the last look, and passes until the next.
    last: u64,
    period: u64,
    /// Passes for which there is no other look, because the last one cost so much.
    rest: u64,
    /// By thread: functions of which calls are open that no event told of.
    threads: BTreeMap<u32, BTreeSet<FunctionKey>>,
    /// Functions that the last look told of, and since when they were on.
    judged: BTreeMap<FunctionKey, u64>,
    /// Changes since the last time.
    is_changed: bool,
    stopped: Nanos,
    pass_length: Nanos,
}

impl OpenCalls {
    /// Whether it is time for a look.
    fn is_due(&self, patch_table: &PatchTable, pass: u64, is_curious: bool) -> bool {
        if self.asked.is_some() || !patch_table.is_at_rest() {
            return false;
        }
        let unjudged =
            patch_table.dormant(pass).any(|(key, since)| self.judged.get(&key) != Some(&since));
        let wait = match (unjudged, is_curious) {
            (true, _) => SOON,
            (false, true) => OFTEN,
            (false, false) => self.period.clamp(OFTEN, SELDOM),
        };
        let is_wanted = is_curious || patch_table.dormant(pass).next().is_some();
        is_wanted && (self.last == 0 || pass >= self.last + wait.max(self.rest))
    }

    /// A look was taken.
    fn take(&mut self, seen: StackFindings, patch_table: &PatchTable, pass: u64) {
        let Some(asked) = self.asked.take() else { return };
        self.last = pass;
        self.stopped += seen.stopped;
        self.rest = seen.stopped.0.saturating_mul(SHARE) / self.pass_length.0.max(1);
        let dormant: BTreeMap<FunctionKey, u64> = patch_table.dormant(asked).collect();
        let before = self.threads.clone();
        for (tid, calls) in seen.threads {
            let calls = calls.into_iter().filter(|key| dormant.contains_key(key));
            self.threads.insert(tid, calls.collect());
        }
        // What was found once may be missed by a look that did not see all.
        if seen.is_whole {
            self.judged = dormant;
        } else {
            let open: BTreeSet<FunctionKey> = self.threads.values().flatten().copied().collect();
            self.judged = dormant.into_iter().filter(|(key, _)| open.contains(key)).collect();
        }
        let is_changed = before != self.threads;
        self.period = if is_changed { OFTEN } else { (2 * self.period).clamp(OFTEN, SELDOM) };
        self.is_changed |= is_changed;
    }

    /// Whether it is known of a function that is on since then and was never entered whether a call of it is open.
    fn explains(&self, key: FunctionKey, since: u64, pass: u64) -> bool {
        self.judged.get(&key) == Some(&since) || (self.last <= since && pass < since + PATIENCE)
    }
}

impl PatchTable {
    /// Functions that are on since before a pass and were never entered, with the pass.
    fn dormant(&self, pass: u64) -> impl Iterator<Item = (FunctionKey, u64)> {
        self.sites.iter().filter_map(move |(key, site)| {
            let since = site.stage.on_since().filter(|since| *since < pass)?;
            (site.wanted && !site.entered).then_some((*key, since))
        })
    }

    /// Whether no code is being changed: who does that asks whether anybody traces the process.
    fn is_at_rest(&self) -> bool {
        let is_moving = |site: &PatchSite| site.stage.is_moving();
        self.batch.is_none() && !self.sites.values().any(is_moving)
    }
}

impl Instrumenter {
    /// Has threads of a process looked at when it is time to.
    pub(crate) fn look(&mut self, process: u32, threads: &[u32], pass_length: Nanos) {
        let pass = self.pass;
        let is_curious = self.asked_callees.is_some_and(|asked| pass < asked + CURIOUS);
        let Some(patch_table) = self.patch_tables.get_mut(&process) else { return };
        let open = self.open_calls.entry(process).or_default();
        if threads.is_empty() || !open.is_due(patch_table, pass, is_curious) {
            return;
        }
        open.asked = Some(pass);
        open.pass_length = pass_length;
        patch_table.is_looked_at = true;
        let threads = threads.iter().take(MOST).copied().collect();
        self.ask(WorkerRequest::Look { process, threads });
    }

    /// A look was taken.
    pub(crate) fn looked(&mut self, process: u32, seen: StackFindings) {
        let Some(patch_table) = self.patch_tables.get_mut(&process) else { return };
        patch_table.is_looked_at = false;
        if let Some(open) = self.open_calls.get_mut(&process) {
            open.take(seen, patch_table, self.pass);
        }
    }

    /// Whether it is known of all of a pair's functions that are never entered whether calls of them are open.
    pub(crate) fn is_explained(&self, pair: PairId) -> bool {
        let needs = self.needs.get(&pair).into_iter().flatten();
        let keys: Vec<FunctionKey> = needs
            .filter_map(|code| self.found.get(code))
            .flat_map(|found| found.functions.iter().copied())
            .collect();
        self.patch_tables.iter().all(|(process, patch_table)| {
            let open = self.open_calls.get(process);
            keys.iter().all(|key| {
                let since = patch_table.sites.get(key).and_then(|site| site.stage.on_since());
                since.is_none_or(|since| {
                    open.is_some_and(|open| open.explains(*key, since, self.pass))
                })
            })
        })
    }

    /// By thread the functions that it is in by calls that no event told of, when that changed.
    pub fn take_open_calls(&mut self, process: u32) -> Option<BTreeMap<u32, Vec<Resource>>> {
        let open = self.open_calls.get_mut(&process)?;
        if !std::mem::take(&mut open.is_changed) {
            return None;
        }
        let patch_table = self.patch_tables.get(&process)?;
        let name = |key: &FunctionKey| Some(patch_table.sites.get(key)?.code.clone());
        let named = open.threads.iter();
        Some(named.map(|(tid, keys)| (*tid, keys.iter().filter_map(name).collect())).collect())
    }

    /// For how long looks stopped a thread of a process since the last time.
    pub fn take_stopped(&mut self, process: u32) -> Nanos {
        let open = self.open_calls.get_mut(&process);
        open.map_or(Nanos::ZERO, |open| std::mem::take(&mut open.stopped))
    }
}

/// Passes from look to look: when something waits for one, when much may be learned, at most.
const SOON: u64 = 2;
const OFTEN: u64 = 5;
const SELDOM: u64 = 40;
/// Passes for which looks are frequent after a search asked which functions a function calls.
const CURIOUS: u64 = 40;
/// Passes after which no pair waits for a look any more.
const PATIENCE: u64 = 40;
/// A look may take one part in so many of a thread's time.
const SHARE: u64 = 200;
/// Threads that are looked at.
const MOST: usize = 64;
