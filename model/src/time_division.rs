//! The division of threads' time into nine ways to spend it, without remainder.

use crate::category::{Category, CategorySet};
use crate::time::Nanos;

/// How threads spent their time: each moment of each thread is in one of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeDivision {
    amounts: [Nanos; TimeUse::ALL.len()],
}

/// A way to spend time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimeUse {
    /// In the program's own code, and running.
    Computing = 0,
    /// In calls that wait for other threads or processes, and in all other calls of MPI.
    Waiting = 1,
    /// In input and output calls.
    Io = 2,
    /// In the program's own code, able to run, without a processor.
    Processor = 3,
    /// The same, because the share of a control group was used up.
    Throttled = 4,
    /// In the program's own code, waiting for memory that was not there.
    Paging = 5,
    /// In the program's own code, waiting for anything else that no event tells of.
    Blocked = 6,
    /// Waiting for threads and processes that do the work, or for work that never came.
    Idle = 7,
    /// In the program's own code, of which the system does not say whether it ran.
    Unknown = 8,
}

impl TimeUse {
    /// All, in the order in which they are told.
    pub const ALL: [Self; 9] = [
        Self::Computing,
        Self::Waiting,
        Self::Io,
        Self::Processor,
        Self::Throttled,
        Self::Paging,
        Self::Blocked,
        Self::Idle,
        Self::Unknown,
    ];

    /// What time of this category is.
    #[must_use]
    pub fn of(category: Category) -> Self {
        let sets = [
            (CategorySet::COMPUTE, Self::Computing),
            (CategorySet::IO, Self::Io),
            (CategorySet::of(&[Category::Throttled]), Self::Throttled),
            (CategorySet::RUN_DELAY, Self::Processor),
            (CategorySet::PAGING, Self::Paging),
            (CategorySet::BLOCKED, Self::Blocked),
            (CategorySet::JOIN, Self::Idle),
        ];
        let found = sets.into_iter().find(|(set, _)| set.contains(category));
        found.map_or(Self::Waiting, |(_, found)| found)
    }

    /// What waiting for somebody is derived as who spends time so; `None` where that is the lack of a processor, or unknown.
    #[must_use]
    pub const fn as_cause(self) -> Option<Category> {
        match self {
            Self::Computing => Some(Category::WaitByComputing),
            Self::Io => Some(Category::WaitByIo),
            Self::Waiting | Self::Paging | Self::Blocked | Self::Idle => {
                Some(Category::WaitByBlocked)
            }
            Self::Processor | Self::Throttled | Self::Unknown => None,
        }
    }

    /// Its number in stored bytes: it never changes, and new ones come behind it.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The one with this number; `None` where a newer whyperf has more.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.number() == number)
    }

    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Computing => "computing",
            Self::Waiting => "waiting",
            Self::Io => "io",
            Self::Processor => "processor",
            Self::Throttled => "throttled",
            Self::Paging => "paging",
            Self::Blocked => "blocked",
            Self::Idle => "idle",
            Self::Unknown => "unknown",
        }
    }
}

impl TimeDivision {
    /// Adds time that was spent so.
    pub fn add(&mut self, spent: TimeUse, time: Nanos) {
        self.amounts[spent as usize] += time;
    }

    /// Adds what another thread or process spent.
    pub fn add_all(&mut self, other: &Self) {
        for (ours, theirs) in self.amounts.iter_mut().zip(other.amounts) {
            *ours += theirs;
        }
    }

    /// All of it.
    #[must_use]
    pub fn whole(&self) -> Nanos {
        self.amounts.iter().fold(Nanos::ZERO, |sum, time| sum + *time)
    }

    /// How much was spent so.
    #[must_use]
    pub const fn amount(&self, spent: TimeUse) -> Nanos {
        self.amounts[spent as usize]
    }

    /// The part that was spent so, of all; 0 of nothing.
    #[must_use]
    pub fn share(&self, spent: TimeUse) -> f64 {
        let whole = self.whole().as_secs_f64();
        if whole > 0.0 { self.amount(spent).as_secs_f64() / whole } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        let mut division = TimeDivision::default();
        assert!(division.share(TimeUse::Io).abs() < 1e-9);
        for (time, spent) in (1..).zip(TimeUse::ALL) {
            division.add(spent, Nanos::from_millis(time));
        }
        assert_eq!(division.whole(), Nanos::from_millis(45));
        let sum: f64 = TimeUse::ALL.iter().map(|spent| division.share(*spent)).sum();
        assert!(
            (sum - 1.0).abs() < 1e-9 && (division.share(TimeUse::Io) - 3.0 / 45.0).abs() < 1e-9
        );
    }

    #[test]
    fn each_way_keeps_its_number_and_no_other_number_is_one() {
        let names = [
            "computing",
            "waiting",
            "io",
            "processor",
            "throttled",
            "paging",
            "blocked",
            "idle",
            "unknown",
        ];
        for (number, name) in (0..).zip(names) {
            let known = TimeUse::from_number(number).map(|one| (one.name(), one.number()));
            assert_eq!(known, Some((name, number)));
        }
        assert_eq!(TimeUse::from_number(9), None);
    }

    #[test]
    fn each_category_is_a_way_to_spend_time() {
        assert_eq!(TimeUse::of(Category::Root), TimeUse::Computing);
        assert_eq!(TimeUse::of(Category::Setup), TimeUse::Waiting);
        assert_eq!(TimeUse::of(Category::Throttled), TimeUse::Throttled);
        assert_eq!(TimeUse::of(Category::DelayByOthers), TimeUse::Processor);
        assert_eq!(TimeUse::of(Category::Join), TimeUse::Idle);
    }
}
