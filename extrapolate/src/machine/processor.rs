//! How fast processors compute, how many there are, and when they answer the requests of other ranks.
//!
//! Computing of the trace is divided by a ratio of speeds, as in ExtraP; a region may have a ratio of its own. Ranks are dealt to
//! processors in blocks. Those of one processor run one at a time, each until it waits: threads without preemption.

use std::collections::BTreeMap;

use crate::identity::Rank;
use crate::time::SimTime;

/// The processors of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Processors {
    /// Speed relative to the machine of the trace: 2 computes in half the time.
    pub cpu_ratio: f64,
    /// What replaces the ratio in a region of this name.
    pub region_ratios: BTreeMap<String, f64>,
    /// How many there are; `None` for one a rank.
    pub count: Option<u32>,
    /// How many of them a node has: these share its memory and its port to the network.
    pub per_node: u32,
    /// When requests of others are answered.
    pub service: ServicePolicy,
}

/// When a processor answers requests that arrive while it computes. One that waits answers at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ServicePolicy {
    /// When its rank waits next.
    #[default]
    NoInterrupt,
    /// At once, and computing goes on after it.
    Interrupt,
    /// At the end of each chunk of computing.
    Poll {
        /// How long a chunk is.
        chunk: SimTime,
        /// What looking costs at the end of each.
        cost: SimTime,
    },
}

impl Default for Processors {
    fn default() -> Self {
        Self {
            cpu_ratio: 1.0,
            region_ratios: BTreeMap::new(),
            count: None,
            per_node: 1,
            service: ServicePolicy::default(),
        }
    }
}

impl Processors {
    /// How many there are for a trace of so many ranks; never more than ranks.
    pub(crate) fn count_for(&self, ranks: u32) -> u32 {
        self.count.unwrap_or(ranks).clamp(1, ranks.max(1))
    }

    /// The processor of a rank, among `count` for `ranks`: blocks that differ by one rank at most.
    pub(crate) fn of(rank: Rank, ranks: u32, count: u32) -> u32 {
        let processor = u64::from(rank.0) * u64::from(count) / u64::from(ranks.max(1));
        u32::try_from(processor).unwrap_or(0)
    }

    /// The node of a processor.
    pub(crate) fn node(&self, processor: u32) -> u32 {
        processor / self.per_node.max(1)
    }

    /// The node of a rank, of so many.
    #[must_use]
    pub fn node_of(&self, rank: Rank, ranks: u32) -> u32 {
        self.node(Self::of(rank, ranks, self.count_for(ranks)))
    }

    /// By what computing in each of these regions is multiplied.
    pub(crate) fn factors(&self, regions: &[String]) -> Vec<f64> {
        let ratio = |name| self.region_ratios.get(name).copied().unwrap_or(self.cpu_ratio);
        regions.iter().map(|name| 1.0 / ratio(name)).collect()
    }
}
