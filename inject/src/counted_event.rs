//! The events that the kernel or the processor counts of a thread, as the kernel's interface names them.

use std::io;

use perf_event::Builder;
use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Hardware, Software};

use crate::schedstat::Schedstat;
use crate::stat::Stat;
use crate::status::ProcessStatus;

/// Something that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the kernel's interface")]
pub enum CountedEvent {
    PageFaults,
    MinorFaults,
    MajorFaults,
    ContextSwitches,
    CpuMigrations,
    TaskClock,
    AlignmentFaults,
    EmulationFaults,
    Instructions,
    Cycles,
    CacheReferences,
    CacheMisses,
    Branches,
    BranchMisses,
    StalledFrontend,
    StalledBackend,
    BusCycles,
    ReferenceCycles,
    L1DataLoads,
    L1DataLoadMisses,
    L1DataStores,
    L1InstructionMisses,
    LastLevelLoads,
    LastLevelLoadMisses,
    DataTlbLoadMisses,
    InstructionTlbMisses,
}

/// Why a machine does not count an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CounterRefusal {
    /// It has no such counter.
    Absent,
    /// The system does not allow it to this user.
    Forbidden,
}

impl CountedEvent {
    /// What the kernel is asked for.
    pub(crate) fn builder(self) -> Builder<'static> {
        match self {
            Self::PageFaults => Builder::new(Software::PAGE_FAULTS),
            Self::MinorFaults => Builder::new(Software::PAGE_FAULTS_MIN),
            Self::MajorFaults => Builder::new(Software::PAGE_FAULTS_MAJ),
            Self::ContextSwitches => Builder::new(Software::CONTEXT_SWITCHES),
            Self::CpuMigrations => Builder::new(Software::CPU_MIGRATIONS),
            Self::TaskClock => Builder::new(Software::TASK_CLOCK),
            Self::AlignmentFaults => Builder::new(Software::ALIGNMENT_FAULTS),
            Self::EmulationFaults => Builder::new(Software::EMULATION_FAULTS),
            Self::Instructions => Builder::new(Hardware::INSTRUCTIONS),
            Self::Cycles => Builder::new(Hardware::CPU_CYCLES),
            Self::CacheReferences => Builder::new(Hardware::CACHE_REFERENCES),
            Self::CacheMisses => Builder::new(Hardware::CACHE_MISSES),
            Self::Branches => Builder::new(Hardware::BRANCH_INSTRUCTIONS),
            Self::BranchMisses => Builder::new(Hardware::BRANCH_MISSES),
            Self::StalledFrontend => Builder::new(Hardware::STALLED_CYCLES_FRONTEND),
            Self::StalledBackend => Builder::new(Hardware::STALLED_CYCLES_BACKEND),
            Self::BusCycles => Builder::new(Hardware::BUS_CYCLES),
            Self::ReferenceCycles => Builder::new(Hardware::REF_CPU_CYCLES),
            Self::L1DataLoads => accesses(CacheId::L1D, CacheOp::READ),
            Self::L1DataLoadMisses => misses(CacheId::L1D),
            Self::L1DataStores => accesses(CacheId::L1D, CacheOp::WRITE),
            Self::L1InstructionMisses => misses(CacheId::L1I),
            Self::LastLevelLoads => accesses(CacheId::LL, CacheOp::READ),
            Self::LastLevelLoadMisses => misses(CacheId::LL),
            Self::DataTlbLoadMisses => misses(CacheId::DTLB),
            Self::InstructionTlbMisses => misses(CacheId::ITLB),
        }
    }

    /// Whether it happens in the kernel alone, so that counting a thread's own code finds none.
    pub(crate) const fn is_of_kernel(self) -> bool {
        matches!(self, Self::ContextSwitches | Self::CpuMigrations)
    }

    /// Whether the kernel counts it, and not the processor.
    pub(crate) const fn is_of_system(self) -> bool {
        (self as u8) <= (Self::EmulationFaults as u8)
    }

    /// From how many events on a thread is sampled again: at first, and at least, where so many samples a second are wanted.
    pub(crate) fn periods(self, frequency: u64) -> [u64; 2] {
        match self {
            // Nanoseconds, which come as fast on each machine.
            Self::TaskClock => [1_000_000_000 / frequency.max(1); 2],
            _ if self.is_of_system() => [1, 1],
            _ => [1_000_000, 1000],
        }
    }

    /// What the system has counted of a thread since that began, where a file says it; `None` of a thread that is gone, too.
    #[must_use]
    pub fn since_birth(self, pid: u32, tid: u32) -> Option<u64> {
        let faults = |count: fn(Stat) -> u64| Stat::of_thread(pid, tid).map(count);
        match self {
            Self::PageFaults => faults(|stat| stat.minor_faults + stat.major_faults),
            Self::MinorFaults => faults(|stat| stat.minor_faults),
            Self::MajorFaults => faults(|stat| stat.major_faults),
            Self::ContextSwitches => ProcessStatus::of_thread(pid, tid)?.context_switches(),
            Self::TaskClock => Schedstat::of(pid, tid).map(|counted| counted.ran),
            _ => None,
        }
    }

    /// Whether this machine counts it, for threads of the user's own.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check(self) -> Result<(), CounterRefusal> {
        let own = self.builder().observe_self().any_cpu().build();
        let Err(error) = own else { return Ok(()) };
        let own = std::process::id();
        let is_forbidden = error.kind() == io::ErrorKind::PermissionDenied;
        match self.since_birth(own, own) {
            Some(_) => Ok(()),
            None if is_forbidden => Err(CounterRefusal::Forbidden),
            None => Err(CounterRefusal::Absent),
        }
    }
}

fn misses(which: CacheId) -> Builder<'static> {
    cache(which, CacheOp::READ, CacheResult::MISS)
}

fn accesses(which: CacheId, operation: CacheOp) -> Builder<'static> {
    cache(which, operation, CacheResult::ACCESS)
}

fn cache(which: CacheId, operation: CacheOp, result: CacheResult) -> Builder<'static> {
    Builder::new(Cache { which, operation, result })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_s_own_counts_are_on_every_machine() {
        let own = std::process::id();
        for event in [CountedEvent::PageFaults, CountedEvent::ContextSwitches] {
            assert_eq!(event.check(), Ok(()));
        }
        let minor = CountedEvent::MinorFaults.since_birth(own, own);
        assert!(minor.is_some_and(|faults| faults > 0), "no program begins without one");
        assert_eq!(CountedEvent::Cycles.since_birth(own, own), None);
    }
}
