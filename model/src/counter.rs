//! Counters: the events that the kernel and the processor count for each thread, and the names that each has.
//!
//! Each is a metric, whose amounts are in nodes of a category of its own. A user may write its name as whyperf, `perf` or PAPI does.

use std::fmt;
use std::str::FromStr;

use crate::category::Category;
use crate::metric::Metric;

/// A counter: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Counter(u8);

/// What counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterSource {
    /// The kernel: every machine has it.
    Kernel,
    /// The processor: virtual machines often do not have it.
    Processor,
}

/// A name that no counter has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCounter(pub String);

struct Row {
    metric: Metric,
    category: Category,
    source: CounterSource,
    meaning: &'static str,
    /// What `perf` calls it, and others; the first is how it is told.
    names: &'static [&'static str],
}

impl Counter {
    /// All of them, those of the kernel first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0_u8..).zip(&TABLE).map(|(number, _)| Self(number))
    }

    /// The counter that a metric is of.
    #[must_use]
    pub fn of(metric: Metric) -> Option<Self> {
        Self::all().find(|counter| counter.metric() == metric)
    }

    /// The metric that tells it.
    #[must_use]
    pub fn metric(self) -> Metric {
        self.row().metric
    }

    /// What nodes of it are.
    #[must_use]
    pub fn category(self) -> Category {
        self.row().category
    }

    /// What counts it.
    #[must_use]
    pub fn source(self) -> CounterSource {
        self.row().source
    }

    /// How it is told, as in `page-faults`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().names[0]
    }

    /// How others call it.
    #[must_use]
    pub fn synonyms(self) -> &'static [&'static str] {
        &self.row().names[1..]
    }

    /// What it measures, in one sentence.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }

    fn row(self) -> &'static Row {
        &TABLE[usize::from(self.0)]
    }

    fn is_called(self, name: &str) -> bool {
        let known = self.row().names.iter().copied().chain([self.metric().name()]);
        known.map(plain).any(|known| known == name)
    }
}

impl FromStr for Counter {
    type Err = UnknownCounter;
    fn from_str(text: &str) -> Result<Self, UnknownCounter> {
        let name = plain(text);
        let found = Self::all().find(|counter| counter.is_called(&name));
        found.ok_or_else(|| UnknownCounter(text.to_owned()))
    }
}

impl fmt::Display for Counter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl fmt::Display for UnknownCounter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<&str> = Counter::all().map(Counter::name).collect();
        write!(out, "there is no counter '{}'; there are {}", self.0, all.join(", "))
    }
}

impl std::error::Error for UnknownCounter {}

/// Case and the kind of stroke between words tell nothing apart.
fn plain(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('_', "-")
}

const fn kernel(
    metric: Metric,
    category: Category,
    meaning: &'static str,
    names: &'static [&'static str],
) -> Row {
    Row { metric, category, source: CounterSource::Kernel, meaning, names }
}

const fn processor(
    metric: Metric,
    category: Category,
    meaning: &'static str,
    names: &'static [&'static str],
) -> Row {
    Row { metric, category, source: CounterSource::Processor, meaning, names }
}

/// PAPI's presets for which the kernel has a general event. That of the second level's misses is what the last level is asked for.
const TABLE: [Row; 26] = [
    kernel(
        Metric::PageFaults,
        Category::PageFaults,
        "page faults: a thread touches memory that is not mapped yet, or not any more",
        &["page-faults", "faults"],
    ),
    kernel(
        Metric::MinorFaults,
        Category::MinorFaults,
        "page faults for which nothing has to be read",
        &["minor-faults"],
    ),
    kernel(
        Metric::MajorFaults,
        Category::MajorFaults,
        "page faults for which a file or the swap has to be read",
        &["major-faults"],
    ),
    kernel(
        Metric::ContextSwitches,
        Category::ContextSwitches,
        "how often threads give up or lose their processors",
        &["context-switches", "cs"],
    ),
    kernel(
        Metric::CpuMigrations,
        Category::CpuMigrations,
        "how often threads go on on another processor",
        &["cpu-migrations", "migrations"],
    ),
    kernel(
        Metric::TaskClock,
        Category::TaskClock,
        "time for which threads run, in the kernel too, by the kernel's counter",
        &["task-clock", "P_VIRTUAL_TIME", "CPU_TIME"],
    ),
    kernel(
        Metric::AlignmentFaults,
        Category::AlignmentFaults,
        "unaligned accesses that the kernel makes good",
        &["alignment-faults"],
    ),
    kernel(
        Metric::EmulationFaults,
        Category::EmulationFaults,
        "instructions that the kernel emulates",
        &["emulation-faults"],
    ),
    processor(
        Metric::Instructions,
        Category::Instructions,
        "instructions executed",
        &["instructions", "PAPI_TOT_INS"],
    ),
    processor(
        Metric::Cycles,
        Category::Cycles,
        "cycles of the processor, at the frequency that it has",
        &["cycles", "cpu-cycles", "PAPI_TOT_CYC"],
    ),
    processor(
        Metric::CacheReferences,
        Category::CacheReferences,
        "accesses to the last level of caches",
        &["cache-references", "PAPI_L3_TCA", "PAPI_L2_TCM"],
    ),
    processor(
        Metric::CacheMisses,
        Category::CacheMisses,
        "accesses to the last level of caches that go to memory",
        &["cache-misses", "PAPI_L3_TCM"],
    ),
    processor(
        Metric::Branches,
        Category::Branches,
        "branch instructions executed",
        &["branches", "branch-instructions", "PAPI_BR_INS"],
    ),
    processor(
        Metric::BranchMisses,
        Category::BranchMisses,
        "branches that the processor foretells wrongly",
        &["branch-misses", "PAPI_BR_MSP"],
    ),
    processor(
        Metric::StalledFrontend,
        Category::StalledFrontend,
        "cycles in which the processor has no instruction to begin",
        &["stalled-cycles-frontend", "idle-cycles-frontend", "PAPI_STL_ICY"],
    ),
    processor(
        Metric::StalledBackend,
        Category::StalledBackend,
        "cycles in which instructions wait for data or for a unit",
        &["stalled-cycles-backend", "idle-cycles-backend", "PAPI_RES_STL"],
    ),
    processor(
        Metric::BusCycles,
        Category::BusCycles,
        "cycles of the bus, whatever the frequency of the processor",
        &["bus-cycles"],
    ),
    processor(
        Metric::ReferenceCycles,
        Category::ReferenceCycles,
        "cycles at the nominal frequency of the processor",
        &["ref-cycles", "PAPI_REF_CYC"],
    ),
    processor(
        Metric::L1DataLoads,
        Category::L1DataLoads,
        "loads from the first data cache",
        &["L1-dcache-loads", "PAPI_L1_DCR", "PAPI_LD_INS"],
    ),
    processor(
        Metric::L1DataLoadMisses,
        Category::L1DataLoadMisses,
        "loads that miss the first data cache",
        &["L1-dcache-load-misses", "PAPI_L1_DCM", "PAPI_L1_LDM"],
    ),
    processor(
        Metric::L1DataStores,
        Category::L1DataStores,
        "stores to the first data cache",
        &["L1-dcache-stores", "PAPI_L1_DCW", "PAPI_SR_INS"],
    ),
    processor(
        Metric::L1InstructionMisses,
        Category::L1InstructionMisses,
        "instruction fetches that miss the first instruction cache",
        &["L1-icache-load-misses", "PAPI_L1_ICM"],
    ),
    processor(
        Metric::LastLevelLoads,
        Category::LastLevelLoads,
        "loads from the last level of caches",
        &["LLC-loads", "PAPI_L3_DCR"],
    ),
    processor(
        Metric::LastLevelLoadMisses,
        Category::LastLevelLoadMisses,
        "loads that miss the last level of caches",
        &["LLC-load-misses", "PAPI_L3_LDM"],
    ),
    processor(
        Metric::DataTlbLoadMisses,
        Category::DataTlbLoadMisses,
        "loads whose address translation is not cached",
        &["dTLB-load-misses", "PAPI_TLB_DM"],
    ),
    processor(
        Metric::InstructionTlbMisses,
        Category::InstructionTlbMisses,
        "instruction fetches whose address translation is not cached",
        &["iTLB-load-misses", "PAPI_TLB_IM"],
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::category::CategorySet;
    use crate::metric::Quantity;

    #[test]
    fn each_counter_is_one_metric_of_one_category() {
        let mut sum = CategorySet::NONE;
        for counter in Counter::all() {
            let definition = counter.metric().definition();
            assert_eq!(definition.quantity, Quantity::Counted, "{counter}");
            assert_eq!(definition.categories, CategorySet::of(&[counter.category()]), "{counter}");
            assert_eq!(Counter::of(counter.metric()), Some(counter));
            sum = sum.and(definition.categories);
        }
        assert_eq!(sum, CategorySet::COUNTED);
        assert_eq!(Counter::of(Metric::Wall), None);
        let counted = |metric: &Metric| metric.definition().quantity == Quantity::Counted;
        assert_eq!(Metric::ALL.iter().filter(|metric| counted(metric)).count(), TABLE.len());
    }

    #[test]
    fn names_of_others_are_known_and_none_means_two_things() {
        let named = |name: &str| name.parse::<Counter>().map(Counter::metric);
        for (name, metric) in [
            ("page-faults", Metric::PageFaults),
            ("page_faults", Metric::PageFaults),
            ("PAPI_TOT_INS", Metric::Instructions),
            ("PAPI_TOT_CYC", Metric::Cycles),
            ("papi_br_msp", Metric::BranchMisses),
            ("PAPI_L2_TCM", Metric::CacheReferences),
            ("l1-dcache-load-misses", Metric::L1DataLoadMisses),
            ("P_VIRTUAL_TIME", Metric::TaskClock),
        ] {
            assert_eq!(named(name), Ok(metric), "{name}");
        }
        let told = named("PAPI_FP_OPS").expect_err("the kernel has none").to_string();
        assert!(told.starts_with("there is no counter 'PAPI_FP_OPS'; there are page-faults, "));
        let mut seen = BTreeSet::new();
        for name in Counter::all().flat_map(|counter| counter.row().names) {
            assert!(seen.insert(plain(name)), "{name} is there twice");
        }
    }
}
