//! A run whose bottlenecks are cured: what its ranks do by themselves, and for how long, as its trace and its report say.

use std::collections::BTreeSet;

use whyperf_experiments::TraceFile;
use whyperf_extrapolate::{Edit, Event, Rank, RegionId};
use whyperf_model::TimeUse;

use super::trace_resources::TraceResources;
use crate::output::report::ProcessTime;

/// What a rank does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// It computes, as far as a trace can say: that may have been without a processor, or blocked.
    Computing,
    /// It reads and writes files.
    Files,
    /// It waits for locks. A trace does not say who has them, so such a wait takes as long as it took, or is over at once.
    Locks,
}

/// How long waits for locks are in a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockWaits {
    /// As long as they were.
    AsMeasured,
    /// They are over at once.
    Over,
}

/// A run with what is known of it.
pub(super) struct CuredRun<'r> {
    pub(super) trace: &'r TraceFile,
    pub(super) resources: &'r TraceResources,
    times: &'r [ProcessTime],
    /// Seconds of each rank.
    spent: Vec<SpentTime>,
}

#[derive(Clone, Copy, Debug, Default)]
struct SpentTime {
    computing: f64,
    files: f64,
    locks: f64,
}

impl<'r> CuredRun<'r> {
    /// Reads the whole trace once.
    pub(super) fn new(
        trace: &'r TraceFile,
        resources: &'r TraceResources,
        times: &'r [ProcessTime],
    ) -> Self {
        let mut run = Self { trace, resources, times, spent: Vec::new() };
        let of_rank = |rank| {
            let mut spent = SpentTime::default();
            for event in events(trace, rank, &resources.locks) {
                let Event::Compute { region, span } = event else { continue };
                *match run.work(region) {
                    Work::Computing => &mut spent.computing,
                    Work::Files => &mut spent.files,
                    Work::Locks => &mut spent.locks,
                } += span.as_secs();
            }
            spent
        };
        run.spent = trace.head().all_ranks().map(of_rank).collect();
        run
    }

    fn work(&self, region: RegionId) -> Work {
        let TraceResources { files, locks, .. } = self.resources;
        match (files.contains(&region), locks.contains(&region)) {
            (true, _) => Work::Files,
            (false, true) => Work::Locks,
            (false, false) => Work::Computing,
        }
    }

    /// The seconds that a rank does so.
    pub(super) fn seconds(&self, rank: Rank, work: Work) -> f64 {
        let spent = self.spent.get(rank.0 as usize).copied().unwrap_or_default();
        match work {
            Work::Computing => spent.computing,
            Work::Files => spent.files,
            Work::Locks => spent.locks,
        }
    }

    /// All regions of a kind of work.
    pub(super) fn regions(&self, work: Work) -> BTreeSet<RegionId> {
        self.all_regions().filter(|region| self.work(*region) == work).collect()
    }

    fn all_regions(&self) -> impl Iterator<Item = RegionId> {
        (0..).take(self.trace.head().regions().len()).map(RegionId)
    }

    /// The run with what each rank does so multiplied by a factor of its own.
    pub(super) fn scaled(&self, work: Work, factor: impl Fn(Rank) -> f64) -> Edit {
        Edit {
            rank_factors: self.trace.head().all_ranks().map(factor).collect(),
            apart: self.all_regions().filter(|region| self.work(*region) != work).collect(),
            ..Edit::default()
        }
    }

    /// The part of what the trace calls a rank's computing in which it had no processor.
    pub(super) fn without_processor(&self, rank: Rank) -> Option<f64> {
        let process = self.resources.threads.get(&rank)?.parent()?;
        let of_process = |one: &&ProcessTime| one.process == process.name();
        let time = &self.times.iter().find(of_process)?.time;
        let of = |all: &[TimeUse]| all.iter().map(|spent| time.share(*spent)).sum::<f64>();
        let lacking = [TimeUse::Processor, TimeUse::Throttled];
        let others = [TimeUse::Computing, TimeUse::Paging, TimeUse::Blocked, TimeUse::Unknown];
        let all = of(&lacking) + of(&others);
        (all > 0.0).then(|| of(&lacking) / all)
    }
}

/// The events of a rank, in which these waits take as long as they took.
pub(super) fn events<'t>(
    trace: &'t TraceFile,
    rank: Rank,
    waits: &'t BTreeSet<RegionId>,
) -> impl Iterator<Item = Event> + 't {
    trace.timeline(rank).map(move |timed| match timed.event {
        Event::Compute { region, .. } if waits.contains(&region) => {
            Event::Compute { region, span: timed.end - timed.begin }
        }
        event => event,
    })
}
