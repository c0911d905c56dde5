//! On which processors ranks may run.

use std::collections::BTreeMap;

use rustix::thread::{Pid, sched_getaffinity};

use crate::daemon::Daemon;
use crate::process::Process;
use crate::processors::numbers;

/// Ranks of a job that may run on the same processors of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankBinding {
    /// Their numbers, sorted.
    pub ranks: Vec<u32>,
    /// The processors, sorted.
    pub processors: Vec<usize>,
}

impl Daemon {
    /// Where the ranks of the largest job may run, as it was seen last; empty where there are no ranks, or the system does not say it.
    #[must_use]
    pub fn rank_bindings(&self) -> Vec<RankBinding> {
        let mut jobs: BTreeMap<u32, Vec<(u32, Vec<usize>)>> = BTreeMap::new();
        for process in self.processes.iter().filter(|process| !process.binding.is_empty()) {
            let job = jobs.entry(process.efficiency.effort.job).or_default();
            job.extend(process.rank.map(|rank| (rank, process.binding.clone())));
        }
        bindings(jobs.into_values().max_by_key(Vec::len).unwrap_or_default())
    }
}

/// Where the ranks may run that run now on this machine, of all jobs whose processes may be looked at.
#[must_use]
pub fn running_ranks() -> Vec<RankBinding> {
    let ranks = whyperf_inject::running_ranks().into_iter();
    bindings(ranks.filter_map(|(pid, rank)| Some((rank, processors_of(pid)?))).collect())
}

/// By the processors on which ranks may run.
fn bindings(ranks: Vec<(u32, Vec<usize>)>) -> Vec<RankBinding> {
    let mut by_processors: BTreeMap<Vec<usize>, Vec<u32>> = BTreeMap::new();
    for (rank, processors) in ranks {
        by_processors.entry(processors).or_default().push(rank);
    }
    let binding = |(processors, mut ranks): (Vec<usize>, Vec<u32>)| {
        ranks.sort_unstable();
        RankBinding { ranks, processors }
    };
    let mut bindings: Vec<_> = by_processors.into_iter().map(binding).collect();
    bindings.sort_by(|one, other| one.ranks.cmp(&other.ranks));
    bindings
}

/// On which processors the first thread of a process may run.
fn processors_of(pid: u32) -> Option<Vec<usize>> {
    let first = i32::try_from(pid).ok().and_then(Pid::from_raw)?;
    sched_getaffinity(Some(first)).ok().map(|mask| numbers(&mask))
}

impl Process {
    /// Reads where it may run; what was read last stays once it is gone.
    pub(crate) fn follow_binding(&mut self) {
        if let Some(processors) = processors_of(self.pid) {
            self.binding = processors;
        }
    }
}
