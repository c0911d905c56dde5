//! Counts how many processes of each group reported in an interval, and closes the interval at the end of a sampling pass.

use std::collections::BTreeMap;

use whyperf_instrument::Instrumenter;
use whyperf_model::matching::PairId;
use whyperf_model::{Counter, Hierarchy, Interval, Metric, Nanos, Pair, Quantity, Resource, Style};

use crate::process::Process;
use crate::sampling_pass::SamplingPass;
use crate::shared_state::SharedState;

/// How many processes of a group there are, how many reported, and what measuring cost the dearest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroupCoverage {
    pub(crate) expected: u32,
    pub(crate) reported: u32,
    pub(crate) dearest: Nanos,
}

impl GroupCoverage {
    /// Counts one more process of the group, with what measuring cost it.
    pub(crate) fn count(&mut self, reports: bool, cost: Nanos) {
        self.expected += 1;
        self.reported += u32::from(reports);
        self.dearest = self.dearest.max(cost);
    }
}

/// What the end of an interval looks at.
#[derive(Debug)]
pub(crate) struct IntervalEnd<'daemon> {
    pub(crate) state: &'daemon mut SharedState,
    pub(crate) processes: &'daemon [Process],
    pub(crate) instrumenter: &'daemon mut Instrumenter,
    /// Groups of processes in one of which this code is switched off.
    pub(crate) unmeasured: &'daemon [(u32, Resource)],
}

impl IntervalEnd<'_> {
    /// Ends the interval: each pair's amount becomes a sample, with how many reported.
    pub(crate) fn close(self, coverage: &[GroupCoverage], pass: &mut SamplingPass) {
        let interval = pass.interval;
        let Self { state, processes, instrumenter, unmeasured } = self;
        let uncounted = uncounted(state, processes);
        let SharedState { classes, resources, matcher, .. } = state;
        for (id, pair) in matcher.active() {
            let mut present = coverage.get(pair.group as usize).copied().unwrap_or_default();
            let code = pair.pair.focus.part(Hierarchy::Code);
            let of_pair =
                |entry: &&(u32, Resource)| entry.0 == pair.group && code.contains(&entry.1);
            let off = unmeasured.iter().filter(of_pair);
            // Code that is switched off is not known to take no time.
            let is_region =
                |code: &Resource| resources.known(code).is_some_and(|code| classes.is_region(code));
            let is_there = code.iter().all(is_region);
            let mut missing = off.count();
            if let Some(of_counter) = uncounted.get(&id) {
                missing = *of_counter;
            } else if !is_there {
                missing += without(processes, instrumenter, id, pair.group);
            }
            present.reported = present.reported.saturating_sub(u32::try_from(missing).unwrap_or(0));
            match pair.quantity {
                Quantity::Processes => {
                    pair.amount = state_amount(present.reported, pair.pair.metric, interval);
                }
                Quantity::Cost => {
                    pair.amount = i64::try_from(present.dearest.0).unwrap_or(i64::MAX);
                }
                _ => {}
            }
            if instrumenter.has_stack_samples(id) {
                let of_group = of_group(processes, instrumenter, pair.group).collect::<Vec<_>>();
                instrumenter.compare(id, &pair.pair, pair.amount, &of_group);
            }
            if let Some(sample) = pair.close(interval, present.reported, present.expected) {
                pass.samples.push((id, sample));
            }
        }
    }
}

/// By pair of a counter, how many of its processes are not known by it: what was not counted is no zero.
fn uncounted(state: &mut SharedState, processes: &[Process]) -> BTreeMap<PairId, usize> {
    let pairs = state.matcher.active().filter_map(|(id, active)| {
        let counter = Counter::of(active.pair.metric)?;
        Some((id, counter, active.pair.clone(), active.group))
    });
    let pairs: Vec<_> = pairs.collect();
    let missing = |(id, counter, pair, group): (PairId, Counter, Pair, u32)| {
        let needed = state.coverage_for(counter, &pair);
        let of_group = processes.iter().filter(|process| process.groups.contains(&group));
        let is_known =
            |process: &&Process| needed.is_some_and(|it| process.counter_coverage(counter) >= it);
        (id, of_group.filter(|process| !is_known(process)).count())
    };
    pairs.into_iter().map(missing).collect()
}

/// Processes of a group in which the functions that a pair needs are not measured.
fn without(processes: &[Process], instrumenter: &Instrumenter, pair: PairId, group: u32) -> usize {
    if !instrumenter.needs_functions(pair) {
        return 0;
    }
    let of_group = of_group(processes, instrumenter, group);
    of_group.filter(|number| !instrumenter.is_known(pair, *number)).count()
}

/// The processes of a group in which functions are instrumented.
fn of_group<'daemon>(
    processes: &'daemon [Process],
    instrumenter: &'daemon Instrumenter,
    group: u32,
) -> impl Iterator<Item = u32> + 'daemon {
    let all = (0..).zip(processes).filter(move |(number, process)| {
        instrumenter.is_watched(*number) && process.groups.contains(&group)
    });
    all.map(|(number, _)| number)
}

/// A state as an amount: held for the whole interval if the metric is one of states.
fn state_amount(state: u32, metric: Metric, interval: Interval) -> i64 {
    let length = match metric.definition().style {
        Style::SampledFunction => interval.length().0,
        Style::EventCounter => 1,
    };
    i64::try_from(u64::from(state).saturating_mul(length)).unwrap_or(i64::MAX)
}
