//! The why axis: a table of the kinds of slowness that a program can have.
//!
//! ```text
//!   the whole program is slow because of
//!   ├ WaitingForProcessors                   run_delay / wall             > 0.10
//!   │ ├ TooManyThreads                       delay_by_job / run_delay     > 0.30
//!   │ ├ OtherPrograms                        delay_by_others / run_delay  > 0.30
//!   │ ├ PinnedTogether                       pinned_delay / run_delay     > 0.30
//!   │ ├ ThrottledByCgroup                    throttled_delay / run_delay  > 0.30
//!   │ └ StolenByHost                         stolen_delay / run_delay     > 0.30
//!   ├ WaitsCausedByProcessors                wait_by_processors / wall    > 0.10
//!   ├ PollingWhileOthersWait                 polled / processor_time      > 0.10
//!   ├ ExcessiveIOBlockingTime                io_wait / wall               > 0.20
//!   │ ├ TooManySmallIOOps                    io_bytes / io_ops            < 4096 bytes
//!   │ ├ ExcessiveMetadataTime                metadata_wait / io_wait      > 0.50
//!   │ ├ ExcessiveFlushTime                   flush_wait / io_wait         > 0.50
//!   │ └ IOSerializedOnOneProcess             io_wait_alone / io_wait      > 0.50
//!   ├ ExcessiveSyncWaitingTime               sync_wait / wall             > 0.20
//!   │ ├ ExcessivePointToPointWaitingTime     p2p_wait / wall              > 0.20
//!   │ │ └ TooManySmallMessages               msg_bytes / msgs             < 1024 bytes, 1000 a second
//!   │ ├ ExcessiveCollectiveWaitingTime       collective_wait / wall       > 0.20
//!   │ │ └ LateArrivalAtCollectives           late_wait / collective_wait  > 0.50
//!   │ ├ ExcessiveLockWaitingTime             lock_wait / wall             > 0.20
//!   │ ├ WaitsCausedByComputing               wait_by_computing / wall     > 0.10
//!   │ ├ WaitsCausedByIO                      wait_by_io / wall            > 0.10
//!   │ └ WaitsCausedByBlocking                wait_by_blocked / wall       > 0.10
//!   ├ Paging                                 paging / wall                > 0.10
//!   ├ BlockedElsewhere                       blocked / wall               > 0.20
//!   └ CPUbound                               cpu / available              > 0.30
//!     └ ExcessiveLoadImbalance               cpu_imbalance / wall         > 0.20
//! ```
//!
//! The value of most hypotheses is a fraction of the threads' time: `wall` is taken at the processes and machines of the
//! focus alone, so a function or a message tag restricts the numerator and not the denominator. A child is therefore never
//! larger than its parent, whichever way it was refined by code, object or file.
//!
//! The column `rank` decides which finding leads. Processors come first: all other findings change where there are enough
//! of them. Then input and output, because others wait for a process that writes, and no process writes because others
//! wait; computing comes last, because computing is the work. What clearly costs more by reasons of its own comes before them
//! (`lead.rs`).

mod table;
mod value_unit;

use std::borrow::Cow;

use whyperf_model::{Focus, Hierarchy, Metric, Pair};

pub use table::{Fault, HypothesisError};
pub use value_unit::{ThresholdFault, ValueUnit};

/// A row's place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HypothesisId(pub usize);

/// One thing that can be wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypothesis {
    /// How it is written.
    pub name: Cow<'static, str>,
    /// The hypothesis it makes more precise; top-level ones have none.
    pub parent: Option<HypothesisId>,
    /// What is measured at the focus.
    pub numerator: Metric,
    /// What it is divided by.
    pub denominator: Metric,
    /// Where the divisor is measured.
    pub normalizer: Normalizer,
    /// On which side of the threshold it is true.
    pub operator: Operator,
    /// The value it is compared with.
    pub threshold: f64,
    /// How much of the denominator must have been seen before anything is concluded.
    pub least: f64,
    /// How much of the denominator must come per time of a process, in [its unit](Self::rate_unit); where less comes, that speaks against it.
    /// Zero where it does not matter.
    pub rate: f64,
    /// Hierarchies along which it is never refined, and of which its focus names nothing when a more general hypothesis led to it.
    pub pruned: Cow<'static, [Hierarchy]>,
    /// How a true node is refined.
    pub refinement: Refinement,
    /// Which finding leads: lower first.
    pub rank: u8,
    /// What it means when true, in one sentence.
    pub meaning: Cow<'static, str>,
    /// What to try, in one sentence.
    pub advice: Cow<'static, str>,
}

/// Where a divisor is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalizer {
    /// At the machines and processes of the focus, whatever the code, object or file.
    Processes,
    /// At the focus itself.
    SameFocus,
}

/// On which side of its threshold a hypothesis is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Above it.
    Above,
    /// Below it.
    Below,
}

impl Operator {
    /// Its sign.
    #[must_use]
    pub const fn symbol(self) -> char {
        match self {
            Self::Above => '>',
            Self::Below => '<',
        }
    }

    /// Whether a value lies on the true side.
    #[must_use]
    pub fn holds(self, value: f64, threshold: f64) -> bool {
        match self {
            Self::Above => value > threshold,
            Self::Below => value < threshold,
        }
    }
}

/// How a true node is refined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refinement {
    /// By more precise hypotheses and by the parts of its focus.
    WhyAndWhere,
    /// The same, the parts asked first.
    WhereAndWhy,
    /// By more precise hypotheses only: its parent finds the foci for it.
    WhyOnly,
    /// By the parts of its focus only.
    WhereOnly,
    /// By more precise hypotheses; by parts when none of those is true.
    WhyBeforeWhere,
    /// By parts; by more precise hypotheses when none of those is true.
    WhereBeforeWhy,
}

impl Hypothesis {
    /// The unit of how much of a denominator comes: per second, or as a share of the time.
    #[must_use]
    pub fn rate_unit(denominator: Metric) -> ValueUnit {
        ValueUnit::of(denominator, Metric::Wall)
    }

    /// What has to be measured to test it at a focus: numerator and denominator.
    #[must_use]
    pub fn pairs(&self, focus: &Focus) -> (Pair, Pair) {
        let base = match self.normalizer {
            Normalizer::SameFocus => focus.clone(),
            Normalizer::Processes => focus.projected(&[Hierarchy::Machine, Hierarchy::Process]),
        };
        (Pair::new(self.numerator, focus.clone()), Pair::new(self.denominator, base))
    }

    /// What its values and its threshold are.
    #[must_use]
    pub fn unit(&self) -> ValueUnit {
        ValueUnit::of(self.numerator, self.denominator)
    }

    /// Whether it asks for time of the program's own code: of that, functions take their part with all they call.
    #[must_use]
    pub fn asks_for_own_code(&self) -> bool {
        self.numerator.definition().is_own_code()
    }

    /// Whether it sets processes side by side, so that one alone has no answer.
    #[must_use]
    pub fn compares(&self) -> bool {
        self.numerator.definition().aggregation.compares()
    }

    /// Whether a more general hypothesis that is true at a focus leads to it there.
    #[must_use]
    pub fn is_asked_at(&self, focus: &Focus) -> bool {
        self.pruned.iter().all(|hierarchy| focus.is_root(*hierarchy))
    }

    /// Whether it may be refined along a hierarchy.
    #[must_use]
    pub fn refines(&self, hierarchy: Hierarchy) -> bool {
        self.refinement != Refinement::WhyOnly && !self.pruned.contains(&hierarchy)
    }
}

/// The table. Rows are only added, so an id stays valid.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypotheses {
    rows: Vec<Hypothesis>,
}

impl Hypotheses {
    /// What is known to be wrong with programs in general.
    #[must_use]
    pub fn built_in() -> Self {
        let mut table = Self { rows: Vec::new() };
        table.extend("shipped.toml", Self::SHIPPED).expect("the shipped table is checked by tests");
        table
    }

    /// Nothing to ask: a search that asks nothing.
    #[must_use]
    pub const fn none() -> Self {
        Self { rows: Vec::new() }
    }

    /// One row.
    #[must_use]
    pub fn row(&self, id: HypothesisId) -> &Hypothesis {
        &self.rows[id.0]
    }

    /// All rows.
    pub fn ids(&self) -> impl Iterator<Item = HypothesisId> + use<> {
        (0..self.rows.len()).map(HypothesisId)
    }

    /// The row of this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<HypothesisId> {
        self.rows.iter().position(|row| row.name == name).map(HypothesisId)
    }

    /// The rows just below a row, or the top-level ones.
    pub fn children(&self, parent: Option<HypothesisId>) -> impl Iterator<Item = HypothesisId> {
        let below = move |(_, row): &(usize, &Hypothesis)| row.parent == parent;
        self.rows.iter().enumerate().filter(below).map(|(at, _)| HypothesisId(at))
    }

    /// The top-level hypothesis that a row belongs to.
    #[must_use]
    pub fn top(&self, id: HypothesisId) -> HypothesisId {
        self.row(id).parent.map_or(id, |parent| self.top(parent))
    }

    /// Sets the threshold of a row.
    pub fn set_threshold(&mut self, id: HypothesisId, threshold: f64) {
        self.rows[id.0].threshold = threshold;
    }
}

impl Default for Hypotheses {
    fn default() -> Self {
        Self::built_in()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_a_tree_with_distinct_names() {
        let table = Hypotheses::built_in();
        let tops: Vec<_> = table.children(None).map(|id| &*table.row(id).name).collect();
        let expected = [
            "WaitingForProcessors",
            "WaitsCausedByProcessors",
            "PollingWhileOthersWait",
            "ExcessiveIOBlockingTime",
            "ExcessiveSyncWaitingTime",
            "Paging",
            "BlockedElsewhere",
            "CPUbound",
        ];
        assert_eq!(tops, expected);
        let small = table.named("TooManySmallIOOps").expect("it is in the table");
        assert_eq!(table.row(table.top(small)).name, "ExcessiveIOBlockingTime");
        for (at, row) in table.rows.iter().enumerate() {
            assert_eq!(table.named(&row.name), Some(HypothesisId(at)));
        }
    }

    #[test]
    fn a_finer_question_is_asked_where_it_says_more() {
        let table = Hypotheses::built_in();
        let is_asked = |name: &str, focus: &str| {
            let row = table.row(table.named(name).expect("it is in the table"));
            row.is_asked_at(&focus.parse().expect("the test's own focus is well formed"))
        };
        assert!(is_asked("ExcessivePointToPointWaitingTime", "</Code/a.c/f,/Process/1>"));
        assert!(!is_asked("ExcessivePointToPointWaitingTime", "</SyncObject/Message>"));
        assert!(!is_asked("LateArrivalAtCollectives", "</Process/1>"));
        assert!(is_asked("TooManySmallIOOps", "</File/a>"));
    }

    #[test]
    fn code_and_objects_do_not_restrict_the_denominator() {
        let table = Hypotheses::built_in();
        let focus: Focus = "</Code/a.c/f,/Machine/n,/Process/1,/SyncObject/Barrier>"
            .parse()
            .expect("the test's own focus is well formed");
        let sync = table.named("ExcessiveSyncWaitingTime").expect("it is in the table");
        let (numerator, denominator) = table.row(sync).pairs(&focus);
        assert_eq!(numerator, Pair::new(Metric::SyncWait, focus));
        assert_eq!(denominator.to_string(), "wall </Code,/Machine/n,/Process/1,/SyncObject>");
    }
}
