//! The processes in which functions are instrumented, each with its patch table and its open calls.
//!
//! ```text
//!            watch             end                 next pass
//!   (none) ────────► Watched ───────► Ended ───────────────────► (none)
//! ```
//! An ended process is still there for the rest of the pass in which it ended: its last interval counts.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::Nanos;

use crate::function_key::FunctionKey;
use crate::hot_code::SampledRun;
use crate::messages::{Counted, CounterSample, SampledThread, StackSampled};
use crate::open_calls::OpenCalls;
use crate::outside_cost::OutsideCost;
use crate::patch_table::PatchTable;
use crate::sampled_process::{SampledProcess, StackSight};
use crate::sampled_time::SampledTime;
use crate::switch_meter::SwitchCost;
use crate::wait_places::WaitPlaces;

/// Whether a process is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProcessPresence {
    Watched,
    /// It ended in this pass.
    Ended,
}

/// A process in which functions are, were or shall be on.
#[derive(Debug)]
pub(crate) struct InstrumentedProcess {
    pub(crate) pid: u32,
    stage: ProcessPresence,
    /// Made when the process is served first, or inherited.
    pub(crate) patch_table: Option<PatchTable>,
    pub(crate) open_calls: OpenCalls,
    /// Where stack samples found its threads running since they were taken last.
    samples: Vec<StackSamplePlace>,
    pub(crate) sampled: SampledProcess,
    pub(crate) wait_places: WaitPlaces,
    /// What samples of stacks cost it since that was told last.
    sampling_cost: Nanos,
    /// Where its threads were when something was counted of them, since that was taken last; and samples of that which were lost.
    counted: Vec<CounterSample>,
    counted_lost: u64,
}

/// A stack sample found a thread running here, which stands for so much of its running time.
#[derive(Clone, Copy, Debug)]
pub struct StackSamplePlace {
    /// The thread.
    pub tid: u32,
    /// The region of the innermost function that it had entered, 0 for none; `None` in a wrapped call.
    pub region: Option<u32>,
    /// The running time from sample to sample.
    pub period: Nanos,
}

/// All processes, by number.
#[derive(Debug, Default)]
pub(crate) struct Processes {
    all: BTreeMap<u32, InstrumentedProcess>,
    /// What stack samples told of those that are gone.
    gone: BTreeMap<u32, SampledProcess>,
    /// Forks of processes in which functions were on: there they are, too. Known also when they ended.
    forked_children: BTreeSet<u32>,
}

impl InstrumentedProcess {
    /// What looks at its threads and samples cost it since this was asked last.
    pub(crate) fn take_cost(&mut self) -> OutsideCost {
        let mut cost = self.patch_table.as_mut().map(PatchTable::take_cost).unwrap_or_default();
        cost.samples += std::mem::take(&mut self.sampling_cost);
        cost.pauses += self.open_calls.take_cost();
        cost
    }

    /// Takes in where its threads were when something was counted of them.
    pub(crate) fn note_counted(&mut self, counted: Counted) {
        self.sampling_cost += counted.cost;
        self.counted.extend(counted.samples);
        self.counted_lost += counted.lost;
    }

    /// What came in of that since the last time, and how many samples were lost.
    pub(crate) fn take_counted(&mut self) -> (Vec<CounterSample>, u64) {
        (std::mem::take(&mut self.counted), std::mem::take(&mut self.counted_lost))
    }

    /// Takes in where stack samples found its threads.
    pub(crate) fn note_stack_samples(&mut self, sampled: StackSampled) {
        let StackSampled { samples, polling, period, cost, .. } = sampled;
        self.sampling_cost += cost;
        let sites = self.patch_table.as_ref().map(|patch_table| &patch_table.sites);
        let site = |key: &FunctionKey| sites?.get(key);
        let region = |sample: &SampledThread| {
            let mut all = sample.inside.iter().filter_map(site);
            let first = all.clone().next();
            all.find(|site| site.stage.on_since().is_some()).or(first)?.region
        };
        self.samples.extend(samples.iter().map(|sample| StackSamplePlace {
            tid: sample.tid,
            region: Some(region(sample).unwrap_or(0)),
            period,
        }));
        let polls = |tid: u32| StackSamplePlace { tid, region: None, period };
        self.samples.extend(polling.into_iter().map(polls));
        samples.into_iter().for_each(|sample| self.sampled.add(sample, period));
    }

    /// Takes in what it cost its threads to be switched while they were sampled.
    pub(crate) fn note_switched(&mut self, switched: SwitchCost, pass: u64) {
        self.sampling_cost += switched.cost;
        if let Some(rest) = switched.rest {
            self.open_calls.end_samples(pass, rest);
        }
    }

    /// Where stack samples found its threads since the last time: what they tell is of the interval that ends, in which
    /// it computed for so much of its running time.
    pub(crate) fn take_stack_samples(&mut self, pass: u64, ran: Nanos) -> Vec<StackSamplePlace> {
        self.sampled.close_interval(ran, self.open_calls.flow(pass));
        std::mem::take(&mut self.samples)
    }
}

impl Processes {
    /// A process appeared.
    pub(crate) fn watch(&mut self, process: u32, pid: u32) {
        let (stage, open_calls) = (ProcessPresence::Watched, OpenCalls::default());
        let (samples, sampled) = (Vec::new(), SampledProcess::default());
        let new = InstrumentedProcess {
            pid,
            stage,
            patch_table: None,
            open_calls,
            samples,
            sampled,
            wait_places: WaitPlaces::default(),
            sampling_cost: Nanos::ZERO,
            counted: Vec::new(),
            counted_lost: 0,
        };
        self.all.insert(process, new);
    }

    /// A process is a fork of another: what is too hot there is here, too.
    pub(crate) fn inherit(&mut self, process: u32, parent: u32) {
        let is_forked_child = self.forked_children.contains(&parent);
        let hot: Option<Vec<FunctionKey>> = self.patch_table(parent).map(PatchTable::hot_functions);
        let is_on =
            |parent: &PatchTable| parent.sites.values().any(|site| site.stage.on_since().is_some());
        if is_forked_child || self.patch_table(parent).is_some_and(is_on) {
            self.forked_children.insert(process);
        }
        if let (Some(hot), Some(child)) = (hot, self.all.get_mut(&process)) {
            child.patch_table.get_or_insert_default().hot.extend(hot);
        }
    }

    /// A process ended: with the next pass it is gone.
    pub(crate) fn end(&mut self, process: u32) {
        if let Some(process) = self.all.get_mut(&process) {
            process.stage = ProcessPresence::Ended;
        }
    }

    /// Lets go of the processes that ended; answers which.
    pub(crate) fn clean_up(&mut self) -> Vec<u32> {
        let ended = self.all.iter().filter(|(_, process)| process.stage == ProcessPresence::Ended);
        let ended: Vec<u32> = ended.map(|(number, _)| *number).collect();
        for number in &ended {
            let gone = self.all.remove(number).map(|process| process.sampled);
            let told = gone.filter(|sampled| !sampled.run().all().is_zero());
            self.gone.extend(told.map(|sampled| (*number, sampled)));
        }
        ended
    }

    pub(crate) fn get_mut(&mut self, process: u32) -> Option<&mut InstrumentedProcess> {
        self.all.get_mut(&process)
    }

    /// Whether a process is there, or ended in this pass only.
    pub(crate) fn has(&self, process: u32) -> bool {
        self.all.contains_key(&process)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The patch table of a process, if it has one yet.
    pub(crate) fn patch_table(&self, process: u32) -> Option<&PatchTable> {
        self.all.get(&process)?.patch_table.as_ref()
    }

    /// Whether stack samples tell where a process ran in the interval that ended.
    pub(crate) fn sight(&self, process: u32, pass: u64) -> StackSight {
        let sight = |one: &InstrumentedProcess| one.sampled.sight(one.open_calls.flow(pass));
        self.all.get(&process).map_or(StackSight::Blind, sight)
    }

    /// The numbers of all.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.all.keys().copied()
    }

    /// What stack samples told of a process in all of its life, also of one that is gone.
    pub(crate) fn sampled_run(&self, process: u32) -> Option<&SampledTime> {
        let living = self.all.get(&process).map(|process| process.sampled.run());
        living.or_else(|| self.gone.get(&process).map(SampledProcess::run))
    }

    /// What stack samples told of all processes in all of their lives, by their numbers.
    pub(crate) fn sampled_runs(&self) -> impl Iterator<Item = (u32, SampledRun<'_>)> {
        let living = self.all.iter().map(|(number, process)| (*number, &process.sampled));
        let gone = self.gone.iter().map(|(number, sampled)| (*number, sampled));
        living.chain(gone).map(|(number, sampled)| (number, sampled.sampled_run()))
    }

    /// What stack samples told of a process.
    pub(crate) fn sampled(&self, process: u32) -> Option<&SampledProcess> {
        self.all.get(&process).map(|process| &process.sampled)
    }

    /// All patch tables.
    pub(crate) fn patch_tables(&self) -> impl Iterator<Item = &PatchTable> {
        self.all.values().filter_map(|process| process.patch_table.as_ref())
    }

    /// The patch table of a process, if it has one yet, with its open calls.
    pub(crate) fn patched(&self, process: u32) -> Option<(&PatchTable, &OpenCalls)> {
        let process = self.all.get(&process)?;
        Some((process.patch_table.as_ref()?, &process.open_calls))
    }

    /// All patch tables, with the open calls of their processes.
    pub(crate) fn with_patch_tables(&self) -> impl Iterator<Item = (&PatchTable, &OpenCalls)> {
        let all = self.all.values();
        all.filter_map(|process| Some((process.patch_table.as_ref()?, &process.open_calls)))
    }

    /// Whether a process had functions on from its first moment: its parent had, and none of them was too hot.
    pub(crate) fn began_with_functions(&self, process: u32) -> bool {
        let is_hot = |patch_table: &PatchTable| !patch_table.hot.is_empty();
        self.forked_children.contains(&process) && !self.patch_table(process).is_some_and(is_hot)
    }
}
