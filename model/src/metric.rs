//! The metrics, as a table: which quantity of a callpath node counts, in nodes of which kind.
//!
//! A sample of a metric is one sum over nodes. The sum needs three properties, which are the columns of [`Definition`]: the
//! word of the node to read ([`Quantity`]), the regions that count ([`CategorySet`]) and how the values of several
//! processes become one ([`Aggregation`]). No metric has code of its own; those that compare processes share
//! [`Comparison`](crate::Comparison).
//!
//! ```text
//!   wall    = sync_wait + io_wait + compute + calls that wait for anything else + set-up
//!                                                        (what is left out is only joining, see decision 0003)
//!   compute = cpu + run_delay + unseen waits             (divided by what the operating system says of the thread)
//!   blocked = calls that wait for anything else + unseen waits
//! ```

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::category::{Category, CategorySet};
use crate::parse_error::{ParseError, Problem};
use crate::time::Interval;

/// A metric: an entry of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// Time that threads existed, without the time they only joined others.
    Wall,
    /// Time that threads computed and the operating system ran them.
    Cpu,
    /// Time outside synchronization, input, output and set-up.
    Compute,
    /// Time in synchronization calls.
    SyncWait,
    /// Time in input and output calls.
    IoWait,
    /// Synchronization calls.
    SyncOps,
    /// Calls that move data from or to files.
    IoOps,
    /// Bytes read and written.
    IoBytes,
    /// Point-to-point calls begun, at the sender's and at the receiver's end.
    Msgs,
    /// Bytes given to other processes.
    MsgBytesSent,
    /// Bytes that arrived from other processes.
    MsgBytesRecv,
    /// Calls of the program's own regions and functions: of a function, those of itself alone.
    Calls,
    /// Processes that run.
    ActiveProcesses,
    /// Time that measuring took from the program.
    ObservedCost,
    /// Time in point-to-point calls.
    P2pWait,
    /// Time in collectives, barriers included.
    CollectiveWait,
    /// Time waiting for locks: mutexes, reader-writer locks and spin locks.
    LockWait,
    /// Time opening, closing and naming files.
    MetadataWait,
    /// Bytes that point-to-point calls moved, at either end.
    MsgBytes,
    /// Time in collectives that a process has more than the one that has least of the same: it was there, the other was not.
    LateWait,
    /// Processor time that the busiest process has more than the mean of all.
    CpuImbalance,
    /// Input and output time of one process that no other has as much of.
    IoWaitAlone,
    /// Run delay of threads that computed: time in which they could run and had no processor.
    RunDelay,
    /// Time that threads existed and processors were to be had, without the time they only joined others.
    Available,
    /// Time forcing data out to devices.
    FlushWait,
    /// Of the run delay, that in which threads of the measured processes had the processors.
    DelayByJob,
    /// Of the run delay, that in which other programs had them.
    DelayByOthers,
    /// Of the run delay, that in which a control group had used up its share.
    ThrottledDelay,
    /// Of the run delay, that in which the host of a virtual machine had the processors.
    StolenDelay,
    /// Of the run delay, that in which others were idle that the thread may not run on.
    PinnedDelay,
    /// Time in which threads waited for memory that was not there.
    Paging,
    /// Time in which threads waited for time, descriptors, sockets or signals, or outside of all calls that events tell of.
    Blocked,
    /// Running time in calls that wait for others, while threads of the measured processes had no processor.
    Polled,
    /// The same, with the running time in which threads compute: what processors do for the program.
    ProcessorTime,
    /// Of the time in which ranks waited for each other, what enough processors would have saved, as estimated.
    WaitByProcessors,
    /// Of the time in which ranks and threads waited for each other, that for one that computed meanwhile.
    WaitByComputing,
    /// The same for one that was in input and output calls.
    WaitByIo,
    /// The same for one that waited for something else.
    WaitByBlocked,
    /// Page faults of threads.
    PageFaults,
    /// Page faults for which nothing had to be read.
    MinorFaults,
    /// Page faults for which a device had to be read.
    MajorFaults,
    /// How often threads gave up or lost their processors.
    ContextSwitches,
    /// How often threads went on on another processor.
    CpuMigrations,
    /// Time for which threads ran, by the kernel's counter.
    TaskClock,
    /// Unaligned accesses that the kernel made good.
    AlignmentFaults,
    /// Instructions that the kernel emulated.
    EmulationFaults,
    /// Instructions that were executed to their end.
    Instructions,
    /// Cycles of processors.
    Cycles,
    /// Accesses to the last level of caches.
    CacheReferences,
    /// Those of them that went to memory.
    CacheMisses,
    /// Branch instructions.
    Branches,
    /// Branches that were foretold wrongly.
    BranchMisses,
    /// Cycles without instructions to begin with.
    StalledFrontend,
    /// Cycles in which instructions waited for data or units.
    StalledBackend,
    /// Cycles of the bus.
    BusCycles,
    /// Cycles at the nominal frequency.
    ReferenceCycles,
    /// Loads from the first data cache.
    L1DataLoads,
    /// Those of them that missed.
    L1DataLoadMisses,
    /// Stores to the first data cache.
    L1DataStores,
    /// Instruction fetches that missed the first cache.
    L1InstructionMisses,
    /// Loads from the last cache.
    LastLevelLoads,
    /// Those of them that missed.
    LastLevelLoadMisses,
    /// Loads whose translation was not at hand.
    DataTlbLoadMisses,
    /// Instruction fetches whose translation was not at hand.
    InstructionTlbMisses,
    /// What the program adds to counters of its own.
    CounterSum,
    /// How often it adds.
    CounterAdds,
    /// The values that the program sets gauges of its own to, added up.
    GaugeSum,
    /// How often it sets them.
    GaugeSets,
}

impl Metric {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 68] = [
        Self::Wall,
        Self::Cpu,
        Self::Compute,
        Self::SyncWait,
        Self::IoWait,
        Self::SyncOps,
        Self::IoOps,
        Self::IoBytes,
        Self::Msgs,
        Self::MsgBytesSent,
        Self::MsgBytesRecv,
        Self::Calls,
        Self::ActiveProcesses,
        Self::ObservedCost,
        Self::P2pWait,
        Self::CollectiveWait,
        Self::LockWait,
        Self::MetadataWait,
        Self::MsgBytes,
        Self::LateWait,
        Self::CpuImbalance,
        Self::IoWaitAlone,
        Self::RunDelay,
        Self::Available,
        Self::FlushWait,
        Self::DelayByJob,
        Self::DelayByOthers,
        Self::ThrottledDelay,
        Self::StolenDelay,
        Self::PinnedDelay,
        Self::Paging,
        Self::Blocked,
        Self::Polled,
        Self::ProcessorTime,
        Self::WaitByProcessors,
        Self::WaitByComputing,
        Self::WaitByIo,
        Self::WaitByBlocked,
        Self::PageFaults,
        Self::MinorFaults,
        Self::MajorFaults,
        Self::ContextSwitches,
        Self::CpuMigrations,
        Self::TaskClock,
        Self::AlignmentFaults,
        Self::EmulationFaults,
        Self::Instructions,
        Self::Cycles,
        Self::CacheReferences,
        Self::CacheMisses,
        Self::Branches,
        Self::BranchMisses,
        Self::StalledFrontend,
        Self::StalledBackend,
        Self::BusCycles,
        Self::ReferenceCycles,
        Self::L1DataLoads,
        Self::L1DataLoadMisses,
        Self::L1DataStores,
        Self::L1InstructionMisses,
        Self::LastLevelLoads,
        Self::LastLevelLoadMisses,
        Self::DataTlbLoadMisses,
        Self::InstructionTlbMisses,
        Self::CounterSum,
        Self::CounterAdds,
        Self::GaugeSum,
        Self::GaugeSets,
    ];

    /// What it means: its row of the table.
    #[must_use]
    pub const fn definition(self) -> &'static Definition {
        &TABLE[self as usize]
    }

    /// A state that was held for an interval, as an amount: the state itself where the metric counts events.
    #[must_use]
    pub fn held(self, state: u32, interval: Interval) -> i64 {
        let length = match self.definition().style {
            Style::SampledFunction => interval.length().0,
            Style::EventCounter => 1,
        };
        i64::try_from(u64::from(state).saturating_mul(length)).unwrap_or(i64::MAX)
    }

    /// Its name, as in `sync_wait`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.definition().name
    }
}

impl FromStr for Metric {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::ALL
            .into_iter()
            .find(|metric| metric.name() == text)
            .ok_or_else(|| ParseError::new(1, Problem::UnknownMetric(text.to_owned())))
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// How it is written.
    pub name: &'static str,
    /// What its amounts are.
    pub unit: Unit,
    /// Whether amounts add up over time.
    pub style: Style,
    /// How the values of several processes become one.
    pub aggregation: Aggregation,
    /// The word that counts.
    pub quantity: Quantity,
    /// The regions whose nodes count.
    pub categories: CategorySet,
}

/// What an amount counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Nanoseconds of thread time.
    Nanoseconds,
    /// Calls.
    Operations,
    /// Bytes.
    Bytes,
    /// Processes.
    Processes,
    /// Events that the kernel or the processor counts.
    Events,
    /// What the program counts: it alone knows what that is.
    OfProgram,
}

impl Unit {
    /// How it is written after a number.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Operations => "ops",
            Self::Bytes => "B",
            Self::Processes => "processes",
            Self::Events => "events",
            Self::OfProgram => "",
        }
    }
}

/// How the samples of a metric relate to time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// A sample is what was added during its interval; samples add up.
    EventCounter,
    /// A sample is a state that held during its interval, times the interval's length: its rate is the state itself.
    SampledFunction,
}

/// How values of several processes become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aggregation {
    /// They are added.
    Sum,
    /// The highest stands for all.
    Max,
    /// What each process of the focus has more than the one that has least, object by object and interval by interval, added up.
    AboveLeast,
    /// What the first process of the focus has more than the mean of all, since the pair was asked for; once for each of the focus.
    AboveMean,
    /// What the first of all has more than the second, since the pair was asked for, if the first is in the focus.
    AboveSecond,
}

impl Aggregation {
    /// Whether processes are set side by side, so that each must be known apart from the others.
    #[must_use]
    pub const fn compares(self) -> bool {
        matches!(self, Self::AboveLeast | Self::AboveMean | Self::AboveSecond)
    }
}

/// Which word of a callpath node, or which fact about its process, is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// How often nodes were entered.
    Visits,
    /// Exclusive time of nodes, the open segment included.
    Time,
    /// Exclusive time of nodes, bounded per thread and interval by what the operating system says the thread ran; of calls that wait that
    /// alone while others had no processor.
    RunningTime,
    /// Bytes sent or written.
    BytesOut,
    /// Bytes received or read.
    BytesIn,
    /// Bytes in either direction.
    Bytes,
    /// What was added in the words of a counter or gauge, less what was taken away.
    Net,
    /// Events that the kernel or the processor counts of a thread. No word of a node.
    Counted,
    /// Nanoseconds that are derived after a sampling pass from what all ranks did. No word of a node.
    Derived,
    /// One per process that runs, for as long as it runs. No word of a node.
    Processes,
    /// Time spent measuring, of the process that spent most. No word of a node.
    Cost,
}

const P2P: CategorySet =
    CategorySet::of(&[Category::Send, Category::Receive, Category::Exchange, Category::Post]);
const DATA_IO: CategorySet = CategorySet::of(&[Category::MpiFile, Category::Read, Category::Write]);
const USER: CategorySet = CategorySet::of(&[Category::User, Category::Function]);
const COUNTER: CategorySet = CategorySet::of(&[Category::UserCounter]);
const GAUGE: CategorySet = CategorySet::of(&[Category::UserGauge]);
const P2P_TIME: CategorySet = P2P.and(CategorySet::of(&[Category::Wait]));
const COLLECTIVE: CategorySet = CategorySet::of(&[Category::Collective, Category::Barrier]);
const LOCKS: CategorySet = CategorySet::of(&[Category::Mutex, Category::RwLock, Category::Spin]);
const AVAILABLE: CategorySet =
    CategorySet::TIMED.without(CategorySet::JOIN).without(CategorySet::RUN_DELAY);
const METADATA: CategorySet =
    CategorySet::of(&[Category::Open, Category::Close, Category::Metadata]);

const TABLE: [Definition; 68] = [
    time("wall", Quantity::Time, CategorySet::TIMED.without(CategorySet::JOIN)),
    time("cpu", Quantity::RunningTime, CategorySet::COMPUTE),
    time("compute", Quantity::Time, CategorySet::OUTSIDE_CALLS),
    time("sync_wait", Quantity::Time, CategorySet::SYNC),
    time("io_wait", Quantity::Time, CategorySet::IO),
    count("sync_ops", Unit::Operations, Quantity::Visits, CategorySet::SYNC.and(CategorySet::JOIN)),
    count("io_ops", Unit::Operations, Quantity::Visits, DATA_IO),
    count("io_bytes", Unit::Bytes, Quantity::Bytes, CategorySet::IO),
    count("msgs", Unit::Operations, Quantity::Visits, P2P),
    count("msg_bytes_sent", Unit::Bytes, Quantity::BytesOut, CategorySet::MESSAGE),
    count("msg_bytes_recv", Unit::Bytes, Quantity::BytesIn, CategorySet::MESSAGE),
    count("calls", Unit::Operations, Quantity::Visits, USER),
    Definition {
        name: "active_processes",
        unit: Unit::Processes,
        style: Style::SampledFunction,
        aggregation: Aggregation::Sum,
        quantity: Quantity::Processes,
        categories: CategorySet::NONE,
    },
    Definition {
        name: "observed_cost",
        unit: Unit::Nanoseconds,
        style: Style::EventCounter,
        aggregation: Aggregation::Max,
        quantity: Quantity::Cost,
        categories: CategorySet::NONE,
    },
    time("p2p_wait", Quantity::Time, P2P_TIME),
    time("collective_wait", Quantity::Time, COLLECTIVE),
    time("lock_wait", Quantity::Time, LOCKS),
    time("metadata_wait", Quantity::Time, METADATA),
    count("msg_bytes", Unit::Bytes, Quantity::Bytes, P2P_TIME),
    time("late_wait", Quantity::Time, COLLECTIVE).compared(Aggregation::AboveLeast),
    time("cpu_imbalance", Quantity::RunningTime, CategorySet::COMPUTE)
        .compared(Aggregation::AboveMean),
    time("io_wait_alone", Quantity::Time, CategorySet::IO).compared(Aggregation::AboveSecond),
    time("run_delay", Quantity::Time, CategorySet::RUN_DELAY),
    time("available", Quantity::Time, AVAILABLE),
    time("flush_wait", Quantity::Time, CategorySet::of(&[Category::Flush])),
    time("delay_by_job", Quantity::Time, CategorySet::of(&[Category::DelayByJob])),
    time("delay_by_others", Quantity::Time, CategorySet::of(&[Category::DelayByOthers])),
    time("throttled_delay", Quantity::Time, CategorySet::of(&[Category::Throttled])),
    time("stolen_delay", Quantity::Time, CategorySet::of(&[Category::Stolen])),
    time("pinned_delay", Quantity::Time, CategorySet::of(&[Category::Pinned])),
    time("paging", Quantity::Time, CategorySet::PAGING),
    time("blocked", Quantity::Time, CategorySet::BLOCKED),
    time("polled", Quantity::RunningTime, CategorySet::SYNC),
    time("processor_time", Quantity::RunningTime, CategorySet::COMPUTE.and(CategorySet::SYNC)),
    derived("wait_by_processors", Category::WaitByProcessors),
    derived("wait_by_computing", Category::WaitByComputing),
    derived("wait_by_io", Category::WaitByIo),
    derived("wait_by_blocked", Category::WaitByBlocked),
    counted("page_faults", Category::PageFaults),
    counted("minor_faults", Category::MinorFaults),
    counted("major_faults", Category::MajorFaults),
    counted("context_switches", Category::ContextSwitches),
    counted("cpu_migrations", Category::CpuMigrations),
    count(
        "task_clock",
        Unit::Nanoseconds,
        Quantity::Counted,
        CategorySet::of(&[Category::TaskClock]),
    ),
    counted("alignment_faults", Category::AlignmentFaults),
    counted("emulation_faults", Category::EmulationFaults),
    counted("instructions", Category::Instructions),
    counted("cycles", Category::Cycles),
    counted("cache_references", Category::CacheReferences),
    counted("cache_misses", Category::CacheMisses),
    counted("branches", Category::Branches),
    counted("branch_misses", Category::BranchMisses),
    counted("stalled_cycles_frontend", Category::StalledFrontend),
    counted("stalled_cycles_backend", Category::StalledBackend),
    counted("bus_cycles", Category::BusCycles),
    counted("ref_cycles", Category::ReferenceCycles),
    counted("l1_dcache_loads", Category::L1DataLoads),
    counted("l1_dcache_load_misses", Category::L1DataLoadMisses),
    counted("l1_dcache_stores", Category::L1DataStores),
    counted("l1_icache_load_misses", Category::L1InstructionMisses),
    counted("llc_loads", Category::LastLevelLoads),
    counted("llc_load_misses", Category::LastLevelLoadMisses),
    counted("dtlb_load_misses", Category::DataTlbLoadMisses),
    counted("itlb_load_misses", Category::InstructionTlbMisses),
    count("counter_sum", Unit::OfProgram, Quantity::Net, COUNTER),
    count("counter_adds", Unit::Operations, Quantity::Visits, COUNTER),
    count("gauge_sum", Unit::OfProgram, Quantity::Net, GAUGE),
    count("gauge_sets", Unit::Operations, Quantity::Visits, GAUGE),
];

impl Definition {
    /// Whether it is time of the program's own code alone, running or not.
    #[must_use]
    pub fn is_own_code(&self) -> bool {
        let is_time = matches!(self.quantity, Quantity::Time | Quantity::RunningTime);
        let others = self.categories.without(CategorySet::OUTSIDE_CALLS);
        is_time && self.asks_about_functions() && others == CategorySet::NONE
    }

    /// Whether time or calls of functions are a part of it. Waits have their place where they are called.
    #[must_use]
    pub fn asks_about_functions(&self) -> bool {
        let told_by_looks = CategorySet::BLOCKED.and(CategorySet::PAGING);
        !self.categories.without(told_by_looks).is_disjoint(CategorySet::OUTSIDE_CALLS)
    }

    /// Whether it is time in which ranks or threads wait for each other.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.is_time_in(CategorySet::SYNC)
    }

    /// Whether it is time in which threads wait for somebody who may be known: each other, or who has the other end of a pipe.
    #[must_use]
    pub fn may_have_causes(&self) -> bool {
        self.is_time_in(CategorySet::SYNC.and(CategorySet::IO))
    }

    /// Whether it is time in calls of these kinds alone, by itself.
    fn is_time_in(&self, categories: CategorySet) -> bool {
        self.quantity == Quantity::Time
            && !self.aggregation.compares()
            && self.categories.without(categories) == CategorySet::NONE
            && self.categories != CategorySet::NONE
    }

    const fn compared(mut self, aggregation: Aggregation) -> Self {
        self.aggregation = aggregation;
        self
    }
}

const fn time(name: &'static str, quantity: Quantity, categories: CategorySet) -> Definition {
    count(name, Unit::Nanoseconds, quantity, categories)
}

const fn derived(name: &'static str, category: Category) -> Definition {
    count(name, Unit::Nanoseconds, Quantity::Derived, CategorySet::of(&[category]))
}

const fn counted(name: &'static str, category: Category) -> Definition {
    count(name, Unit::Events, Quantity::Counted, CategorySet::of(&[category]))
}

const fn count(
    name: &'static str,
    unit: Unit,
    quantity: Quantity,
    categories: CategorySet,
) -> Definition {
    let (style, aggregation) = (Style::EventCounter, Aggregation::Sum);
    Definition { name, unit, style, aggregation, quantity, categories }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stores and users' tables hold: lines are only ever added.
    const STORED: [(&str, Metric); 68] = [
        ("wall", Metric::Wall),
        ("cpu", Metric::Cpu),
        ("compute", Metric::Compute),
        ("sync_wait", Metric::SyncWait),
        ("io_wait", Metric::IoWait),
        ("sync_ops", Metric::SyncOps),
        ("io_ops", Metric::IoOps),
        ("io_bytes", Metric::IoBytes),
        ("msgs", Metric::Msgs),
        ("msg_bytes_sent", Metric::MsgBytesSent),
        ("msg_bytes_recv", Metric::MsgBytesRecv),
        ("calls", Metric::Calls),
        ("active_processes", Metric::ActiveProcesses),
        ("observed_cost", Metric::ObservedCost),
        ("p2p_wait", Metric::P2pWait),
        ("collective_wait", Metric::CollectiveWait),
        ("lock_wait", Metric::LockWait),
        ("metadata_wait", Metric::MetadataWait),
        ("msg_bytes", Metric::MsgBytes),
        ("late_wait", Metric::LateWait),
        ("cpu_imbalance", Metric::CpuImbalance),
        ("io_wait_alone", Metric::IoWaitAlone),
        ("run_delay", Metric::RunDelay),
        ("available", Metric::Available),
        ("flush_wait", Metric::FlushWait),
        ("delay_by_job", Metric::DelayByJob),
        ("delay_by_others", Metric::DelayByOthers),
        ("throttled_delay", Metric::ThrottledDelay),
        ("stolen_delay", Metric::StolenDelay),
        ("pinned_delay", Metric::PinnedDelay),
        ("paging", Metric::Paging),
        ("blocked", Metric::Blocked),
        ("polled", Metric::Polled),
        ("processor_time", Metric::ProcessorTime),
        ("wait_by_processors", Metric::WaitByProcessors),
        ("wait_by_computing", Metric::WaitByComputing),
        ("wait_by_io", Metric::WaitByIo),
        ("wait_by_blocked", Metric::WaitByBlocked),
        ("page_faults", Metric::PageFaults),
        ("minor_faults", Metric::MinorFaults),
        ("major_faults", Metric::MajorFaults),
        ("context_switches", Metric::ContextSwitches),
        ("cpu_migrations", Metric::CpuMigrations),
        ("task_clock", Metric::TaskClock),
        ("alignment_faults", Metric::AlignmentFaults),
        ("emulation_faults", Metric::EmulationFaults),
        ("instructions", Metric::Instructions),
        ("cycles", Metric::Cycles),
        ("cache_references", Metric::CacheReferences),
        ("cache_misses", Metric::CacheMisses),
        ("branches", Metric::Branches),
        ("branch_misses", Metric::BranchMisses),
        ("stalled_cycles_frontend", Metric::StalledFrontend),
        ("stalled_cycles_backend", Metric::StalledBackend),
        ("bus_cycles", Metric::BusCycles),
        ("ref_cycles", Metric::ReferenceCycles),
        ("l1_dcache_loads", Metric::L1DataLoads),
        ("l1_dcache_load_misses", Metric::L1DataLoadMisses),
        ("l1_dcache_stores", Metric::L1DataStores),
        ("l1_icache_load_misses", Metric::L1InstructionMisses),
        ("llc_loads", Metric::LastLevelLoads),
        ("llc_load_misses", Metric::LastLevelLoadMisses),
        ("dtlb_load_misses", Metric::DataTlbLoadMisses),
        ("itlb_load_misses", Metric::InstructionTlbMisses),
        ("counter_sum", Metric::CounterSum),
        ("counter_adds", Metric::CounterAdds),
        ("gauge_sum", Metric::GaugeSum),
        ("gauge_sets", Metric::GaugeSets),
    ];

    #[test]
    fn each_metric_keeps_its_name_and_its_row() {
        assert_eq!(STORED.len(), Metric::ALL.len());
        for (name, metric) in STORED {
            assert_eq!(metric.name(), name);
            assert_eq!(name.parse(), Ok(metric));
        }
        assert!("sync_wail".parse::<Metric>().is_err());
    }

    #[test]
    fn what_is_compared_is_a_part_of_what_is_summed() {
        for (part, whole) in [
            (Metric::LateWait, Metric::CollectiveWait),
            (Metric::CpuImbalance, Metric::Cpu),
            (Metric::IoWaitAlone, Metric::IoWait),
        ] {
            let (part, whole) = (part.definition(), whole.definition());
            assert!(part.aggregation.compares() && !whole.aggregation.compares());
            assert_eq!((part.quantity, part.categories), (whole.quantity, whole.categories));
        }
    }

    #[test]
    fn joining_is_delegation_and_set_up_is_neither_work_nor_waiting() {
        let counts = |metric: Metric, category| metric.definition().categories.contains(category);
        for metric in [Metric::Wall, Metric::SyncWait, Metric::Compute, Metric::IoWait] {
            assert!(!counts(metric, Category::Join), "{metric}");
        }
        assert!(counts(Metric::SyncOps, Category::Join));
        assert!(counts(Metric::Wall, Category::Setup));
        for metric in [Metric::SyncWait, Metric::Compute, Metric::IoWait, Metric::Cpu] {
            assert!(!counts(metric, Category::Setup), "{metric}");
        }
    }
}
