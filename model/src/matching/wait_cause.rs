//! Why somebody waits: what was done meanwhile, by whom, and in what way that made others wait.

use ahash::AHashMap;

use super::classes::{ClassId, Classes};
use super::resources::{ResourceId, Resources, ThreadPlace};
use super::run_totals::RunTotals;
use crate::{Focus, Nanos, TimeUse};

/// What somebody did while others waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct WaitCause {
    /// What it was.
    pub(super) spent: TimeUse,
    /// In what way others waited because of it.
    pub(super) by: CausedBy,
    /// Which process or thread, if it was one.
    pub(super) who: Option<ResourceId>,
    /// In which code, if events tell of it.
    pub(super) code: Option<ResourceId>,
}

/// Because of whom somebody waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CausedBy {
    /// No single one: there are too few processors for all ranks.
    TooFewProcessors,
    /// A rank that does something longer than those that wait for it.
    Rank,
    /// A thread that holds a lock, or threads of a process that do in turns.
    LockHolder,
    /// The only thread of a process that goes on while others wait at a barrier, a condition or a semaphore.
    Thread,
    /// The thread at the other end of a pipe.
    OtherEnd,
}

/// How much was waited because of whom, where.
pub(super) type Waits = AHashMap<(WaitCause, ThreadPlace, ClassId), Nanos>;

impl CausedBy {
    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TooFewProcessors => "processors",
            Self::Rank => "rank",
            Self::LockHolder => "lock holder",
            Self::Thread => "thread",
            Self::OtherEnd => "other end",
        }
    }
}

impl WaitCause {
    /// All ranks lack processors.
    pub(super) const TOO_FEW_PROCESSORS: Self =
        Self { spent: TimeUse::Processor, by: CausedBy::TooFewProcessors, who: None, code: None };

    /// Who, and where or on what it did that.
    pub(super) fn focus(
        self,
        totals: &RunTotals,
        classes: &Classes,
        resources: &Resources,
    ) -> Focus {
        let object = |process| totals.object_of(process, self.spent, classes, resources);
        let object = self.who.filter(|_| self.by == CausedBy::Rank).and_then(object);
        let all = [self.who, object, self.code].into_iter().flatten();
        let all = all.map(|id| resources.resource(id).clone());
        all.fold(Focus::whole_program(), |focus, one| focus.with(one.hierarchy(), one))
    }
}
