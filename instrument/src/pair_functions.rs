//! The functions of one pair in all processes: how far they are, and what is known of them.

use whyperf_code::plan::CodeExit;
use whyperf_model::{Nanos, Resource};

use crate::found_functions::FoundFunctions;
use crate::function_key::FunctionKey;
use crate::interval::FunctionInterval;
use crate::patch_site::PatchSite;
use crate::patch_table::PatchTable;
use crate::processes::Processes;
use crate::sampled_process::StackSight;
use crate::sampled_share::SampledShare;
use crate::stage::Stage;
use crate::status::PairStatus;

/// What a pair needs, and where it is looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairFunctions<'a> {
    pub(crate) needs: &'a [Resource],
    pub(crate) found: &'a FoundFunctions,
    pub(crate) processes: &'a Processes,
    pub(crate) pass: u64,
}

/// Whether events tell of calls of functions that are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeenEvents {
    /// They do, or it is not known that they do not.
    Complete,
    /// No thread entered them, and whether calls of before are open is not known.
    Missing,
}

impl<'a> PairFunctions<'a> {
    /// Whether they are measured in a process.
    pub(crate) fn status(&self, process: u32) -> PairStatus {
        let mut worst = PairStatus::On;
        for code in self.needs {
            match self.status_of(code, process) {
                PairStatus::On => {}
                PairStatus::Pending => return PairStatus::Pending,
                PairStatus::Refused => worst = PairStatus::Refused,
            }
        }
        worst
    }

    /// Whether stack samples tell of them in a process what events do not: they are left alone, are not in place yet, are too hot, call
    /// their callers again, or it is not known whether threads are in them since before.
    pub(crate) fn are_sampled(&self, process: u32, events: SeenEvents) -> bool {
        let is_missing = match self.status(process) {
            PairStatus::On => {
                events == SeenEvents::Missing
                    || self.may_be_open(process)
                    || self.are_hot_in(process)
                    || self.are_between(process)
            }
            PairStatus::Refused => true,
            PairStatus::Pending => {
                self.needs.iter().all(|code| self.found.known_of(code).is_some())
            }
        };
        is_missing && self.are_seen(process)
    }

    /// Whether stack samples tell all of them in a process. One that jumps on to another function is not on the stack any more, unless
    /// the call shows it: where samples meet it, it is; where they do not, nobody knows.
    fn are_seen(&self, process: u32) -> bool {
        let sight = self.processes.sight(process, self.pass);
        let Some(sampled) = self.processes.sampled(process) else { return false };
        let keys: Vec<FunctionKey> = self.keys().copied().collect();
        let returns = |key: &FunctionKey| {
            let patch_table = self.processes.patch_table(process);
            let site = patch_table.and_then(|patch_table| patch_table.sites.get(key));
            site.is_some_and(|site| site.exit == CodeExit::Returns)
        };
        sight == StackSight::Sampled && (keys.iter().all(returns) || sampled.has_met(&keys))
    }

    /// Whether one of them was never entered since it is on, and no look told yet whether a thread is in it since before.
    pub(crate) fn may_be_open(&self, process: u32) -> bool {
        let Some((patch_table, open_calls)) = self.processes.patched(process) else { return false };
        self.keys().any(|key| {
            let site = patch_table.sites.get(key).filter(|site| !site.meter.entered);
            let since = site.and_then(|site| site.stage.on_since());
            since.is_some_and(|since| !open_calls.has_judged(*key, since))
        })
    }

    /// Whether events tell too little of them in a process because they call functions again that are on and called them.
    pub(crate) fn are_between(&self, process: u32) -> bool {
        let (Some(sampled), Some(patch_table)) =
            (self.processes.sampled(process), self.processes.patch_table(process))
        else {
            return false;
        };
        let keys: Vec<FunctionKey> = self.keys().copied().collect();
        let is_on = |key: &FunctionKey| {
            patch_table.sites.get(key).is_some_and(|site| site.stage.on_since().is_some())
        };
        sampled.are_between(&keys, is_on)
    }

    /// How long stack samples found a process running inside of them in the interval that ended.
    pub(crate) fn sampled(&self, process: u32) -> Nanos {
        let Some(sampled) = self.processes.sampled(process) else { return Nanos::ZERO };
        let keys: Vec<FunctionKey> = self.keys().copied().collect();
        sampled.inside(&keys)
    }

    /// Whether events may have told too little of them in one of these processes for that reason, whichever functions were on when.
    pub(crate) fn were_between(&self, processes: &[u32]) -> bool {
        let keys: Vec<FunctionKey> = self.keys().copied().collect();
        let mut runs = processes.iter().filter_map(|process| self.processes.sampled_run(*process));
        runs.any(|run| run.is_between(&keys, |_| true))
    }

    /// In which part of their running time, in all of their lives, stack samples found these processes inside of them; `None` where
    /// there are none, or many were cut off.
    pub(crate) fn sampled_share(&self, processes: &[u32], period: Nanos) -> Option<SampledShare> {
        let keys: Vec<FunctionKey> = self.keys().copied().collect();
        let runs = processes.iter().filter_map(|process| self.processes.sampled_run(*process));
        let (mut inside, mut all, mut cut) = (Nanos::ZERO, Nanos::ZERO, Nanos::ZERO);
        for run in runs {
            if run.hides_much() {
                return None;
            }
            inside += run.inside(&keys);
            all += run.all();
            cut += run.cut();
        }
        (!all.is_zero()).then(|| SampledShare::of(inside, all, period).hiding(cut))
    }

    /// Whether stack samples tell of them in some process, or it is not known yet that they do not.
    pub(crate) fn may_be_sampled(&self) -> bool {
        self.processes.numbers().any(|process| {
            let sampled = self.processes.sampled(process);
            match self.processes.sight(process, self.pass) {
                StackSight::Unknown => true,
                StackSight::Blind => false,
                StackSight::Sampled => {
                    self.are_seen(process) || sampled.is_some_and(|sampled| !sampled.is_much())
                }
            }
        })
    }

    /// Whether nothing is to come any more of them in a process.
    pub(crate) fn are_settled(&self, process: u32) -> bool {
        self.needs.iter().all(|code| {
            let Some(functions) = self.found.all_of(code) else { return false };
            let Some(patch_table) = self.processes.patch_table(process) else {
                return functions.is_empty();
            };
            let is_settled = |key| patch_table.sites.get(key).is_some_and(PatchSite::is_settled);
            functions.iter().all(is_settled)
        })
    }

    /// Whether some of them are too hot.
    pub(crate) fn are_hot(&self) -> bool {
        self.sites().any(PatchSite::is_hot)
    }

    /// Whether events tell only in windows of some of them in a process.
    pub(crate) fn are_hot_in(&self, process: u32) -> bool {
        let Some(patch_table) = self.processes.patch_table(process) else { return false };
        self.keys().any(|key| patch_table.sites.get(key).is_some_and(PatchSite::is_hot))
    }

    /// Whether all of them are on for a while, and none of them was entered.
    pub(crate) fn are_quiet(&self) -> bool {
        let mut all = self.sites().peekable();
        all.peek().is_some() && all.all(|site| site.is_quiet(self.pass))
    }

    /// Whether it is known of all that are never entered whether calls of them are open.
    pub(crate) fn are_explained(&self) -> bool {
        self.processes.with_patch_tables().all(|(patch_table, open_calls)| {
            self.keys().all(|key| {
                let since = patch_table.sites.get(key).and_then(|site| site.stage.on_since());
                since.is_none_or(|since| open_calls.explains(*key, since, self.pass))
            })
        })
    }

    /// What the last interval showed of each of them in a process.
    pub(crate) fn intervals(&self, process: u32) -> Vec<(FunctionKey, FunctionInterval)> {
        let Some(patch_table) = self.processes.patch_table(process) else { return Vec::new() };
        let sites = self.keys().filter_map(|key| Some((*key, patch_table.sites.get(key)?)));
        let sites = sites.filter(|(_, site)| site.stage.is_measurable());
        sites.map(|(key, site)| (key, site.meter.interval)).collect()
    }

    fn keys(&self) -> impl Iterator<Item = &'a FunctionKey> {
        let found = self.found;
        self.needs.iter().flat_map(move |code| found.of(code))
    }

    fn sites(&self) -> impl Iterator<Item = &'a PatchSite> {
        let processes = self.processes;
        let sites = self.keys().flat_map(move |key| {
            processes.patch_tables().filter_map(move |patch_table| patch_table.sites.get(key))
        });
        sites.filter(|site| site.stage.is_measurable())
    }

    fn status_of(&self, code: &Resource, process: u32) -> PairStatus {
        // A region of the program's own, or something that is only called: nothing to be switched on.
        if self.found.exists(code) == Some(false) {
            return PairStatus::On;
        }
        let (Some(functions), Some(patch_table)) =
            (self.found.known_of(code), self.processes.patch_table(process))
        else {
            return PairStatus::Pending;
        };
        let all = functions.iter().filter_map(|key| self.status_in(patch_table, *key));
        all.reduce(PairStatus::of_both).unwrap_or(PairStatus::On)
    }

    /// How far a function is in a process; `None` when the process does not have it, for then it takes none of its time.
    fn status_in(&self, patch_table: &PatchTable, key: FunctionKey) -> Option<PairStatus> {
        Some(match patch_table.sites.get(&key) {
            Some(site) if site.is_measured(self.pass) => PairStatus::On,
            Some(PatchSite { stage: Stage::Absent { .. }, .. }) => return None,
            Some(PatchSite { stage: Stage::Refused { .. }, .. }) => PairStatus::Refused,
            _ => PairStatus::Pending,
        })
    }
}
