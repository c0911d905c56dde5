//! The ways in which the threads of a run spent their time, as shares that add up to one.

use std::collections::BTreeMap;

use serde::Serialize;
use whyperf_model::{TimeDivision, TimeUse};

use super::rounded;

/// Shares of the time of all threads, by what they did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct TimeShares(BTreeMap<&'static str, f64>);

/// The same of one process.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ProcessTime {
    pub(crate) process: String,
    pub(crate) time: TimeShares,
}

impl TimeShares {
    /// In the digits of a report.
    pub(crate) fn of(division: &TimeDivision) -> Self {
        let share = |spent: TimeUse| (spent.name(), rounded(division.share(spent)));
        Self(TimeUse::ALL.into_iter().map(share).collect())
    }

    /// The share that was spent so.
    pub(crate) fn share(&self, spent: TimeUse) -> f64 {
        self.0.get(spent.name()).copied().unwrap_or(0.0)
    }

    /// Whether the program did little else but compute, as far as it did not wait for work.
    pub(crate) fn is_mostly_computing(&self) -> bool {
        let busy = 1.0 - self.share(TimeUse::Idle);
        self.share(TimeUse::Computing) >= MOSTLY * busy
    }

    /// Of the time in which threads did not wait for work and had processors, the part in which they computed or did not: nobody knows.
    pub(crate) fn unknown_of_available(&self) -> f64 {
        let without = [TimeUse::Idle, TimeUse::Processor, TimeUse::Throttled];
        let available = 1.0 - without.map(|spent| self.share(spent)).iter().sum::<f64>();
        if available > 0.0 { self.share(TimeUse::Unknown) / available } else { 0.0 }
    }

    /// What people call the largest of them, the largest first, with these words for waiting.
    pub(super) fn told(&self, waiting: &'static str) -> Vec<(&'static str, f64)> {
        let words = |spent| if spent == TimeUse::Waiting { waiting } else { words(spent) };
        let all = TimeUse::ALL.map(|spent| (words(spent), self.share(spent)));
        let mut told: Vec<_> = all.into_iter().filter(|(_, share)| *share >= LEAST).collect();
        told.sort_by(|one, other| other.1.total_cmp(&one.1));
        told
    }
}

/// What people call it.
const fn words(spent: TimeUse) -> &'static str {
    match spent {
        TimeUse::Computing => "computing",
        TimeUse::Waiting => WAITING,
        TimeUse::Io => "input and output",
        TimeUse::Processor => "without a processor",
        TimeUse::Throttled => "throttled by a quota",
        TimeUse::Paging => "paging",
        TimeUse::Blocked => "blocked elsewhere",
        TimeUse::Idle => "idle",
        TimeUse::Unknown => "unknown",
    }
}

/// Of a program without ranks: at locks, conditions, barriers and pipes.
pub(super) const WAITING: &str = "waiting for others";
/// Of one with ranks, where starting and ending MPI is among it.
pub(super) const IN_MPI: &str = "in MPI and locks";
/// From this part on a program did little else.
const MOSTLY: f64 = 0.8;
/// A smaller share is not told.
const LEAST: f64 = 0.005;

#[cfg(test)]
mod tests {
    use whyperf_model::Nanos;

    use super::*;

    fn shares(all: &[(TimeUse, u64)]) -> TimeShares {
        let mut division = TimeDivision::default();
        all.iter().for_each(|(spent, time)| division.add(*spent, Nanos::from_millis(*time)));
        TimeShares::of(&division)
    }

    #[test]
    fn the_largest_comes_first_and_the_smallest_is_not_told() {
        let shares =
            shares(&[(TimeUse::Computing, 300), (TimeUse::Processor, 697), (TimeUse::Io, 3)]);
        assert_eq!(shares.told(WAITING), [("without a processor", 0.697), ("computing", 0.3)]);
        let json = serde_json::to_value(&shares).expect("numbers by name");
        assert_eq!(json["io"], 0.003);
        assert_eq!(json.as_object().map(serde_json::Map::len), Some(TimeUse::ALL.len()));
    }

    #[test]
    fn a_pool_without_work_does_not_change_what_the_others_do() {
        assert!(shares(&[(TimeUse::Computing, 90), (TimeUse::Idle, 900)]).is_mostly_computing());
        assert!(!shares(&[(TimeUse::Computing, 70), (TimeUse::Blocked, 30)]).is_mostly_computing());
        assert!(!TimeShares::default().is_mostly_computing());
    }
}
