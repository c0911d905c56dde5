//! The kernel's event for each counter, and the check which counters this machine has.

use whyperf_inject::CountedEvent;
use whyperf_model::{Category, Counter};

/// The event of a counter.
pub(crate) fn event(counter: Counter) -> Option<CountedEvent> {
    Some(match counter.category() {
        Category::PageFaults => CountedEvent::PageFaults,
        Category::MinorFaults => CountedEvent::MinorFaults,
        Category::MajorFaults => CountedEvent::MajorFaults,
        Category::ContextSwitches => CountedEvent::ContextSwitches,
        Category::CpuMigrations => CountedEvent::CpuMigrations,
        Category::TaskClock => CountedEvent::TaskClock,
        Category::AlignmentFaults => CountedEvent::AlignmentFaults,
        Category::EmulationFaults => CountedEvent::EmulationFaults,
        Category::Instructions => CountedEvent::Instructions,
        Category::Cycles => CountedEvent::Cycles,
        Category::CacheReferences => CountedEvent::CacheReferences,
        Category::CacheMisses => CountedEvent::CacheMisses,
        Category::Branches => CountedEvent::Branches,
        Category::BranchMisses => CountedEvent::BranchMisses,
        Category::StalledFrontend => CountedEvent::StalledFrontend,
        Category::StalledBackend => CountedEvent::StalledBackend,
        Category::BusCycles => CountedEvent::BusCycles,
        Category::ReferenceCycles => CountedEvent::ReferenceCycles,
        Category::L1DataLoads => CountedEvent::L1DataLoads,
        Category::L1DataLoadMisses => CountedEvent::L1DataLoadMisses,
        Category::L1DataStores => CountedEvent::L1DataStores,
        Category::L1InstructionMisses => CountedEvent::L1InstructionMisses,
        Category::LastLevelLoads => CountedEvent::LastLevelLoads,
        Category::LastLevelLoadMisses => CountedEvent::LastLevelLoadMisses,
        Category::DataTlbLoadMisses => CountedEvent::DataTlbLoadMisses,
        Category::InstructionTlbMisses => CountedEvent::InstructionTlbMisses,
        _ => return None,
    })
}

/// Which of these counters this machine has, and why it has the others not.
#[must_use]
pub fn checked(
    counters: impl IntoIterator<Item = Counter>,
) -> Vec<(Counter, Result<(), whyperf_inject::CounterRefusal>)> {
    let check = |counter| {
        let state =
            event(counter).map_or(Err(whyperf_inject::CounterRefusal::Absent), CountedEvent::check);
        (counter, state)
    };
    counters.into_iter().map(check).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_counter_has_an_event() {
        assert!(Counter::all().all(|counter| event(counter).is_some()));
    }
}
