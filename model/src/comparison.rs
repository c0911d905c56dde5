//! Compares processes: by how much some exceed the others, for metrics that no single process can answer.
//!
//! ```text
//!   late_wait       rank 0  ▒▒▒▒▒▒──      ▒ in the collective        each interval, each object:
//!                   rank 1  ────▒▒──                                  Σ (value − least)
//!   cpu_imbalance   rank 0  ████████                                 since it was asked for:
//!                   rank 1  ████              ◄ mean                  highest − mean, for each process
//!   io_wait_alone   rank 0  ▓▓▓▓▓▓▓▓                                 since it was asked for:
//!                   rank 1  ▓▓                                        first − second
//! ```
//!
//! A focus selects the processes whose part is reported. Each is compared with **all** processes of its job, so that a pair can ask about one
//! process alone. The jobs of a script are independent, and their values add up.
//!
//! * *Above the least* is taken interval by interval. A process that is in a collective while another is not waits for the other: two processes differ by no
//!   more than that. So the sum is too small where processes take turns within an interval. It is too large only where independent groups
//!   have one name, or where the call lets some processes go before others. Only
//!   processes that were seen at an object are compared there.
//! * The other two compare the totals so far, and a sample is the growth of their difference. A surplus of one process in one interval and of
//!   another in the next cancel out, as they should; so samples may be negative.

use std::collections::BTreeMap;

use crate::metric::Aggregation;

/// What is compared: the job of a rank, as [`Jobs`](crate::Jobs) tells, and what distinguishes the rank.
pub type ComparedRank = (u32, u32);

/// Whether a process is part of the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FocusMembership {
    /// It is compared with those inside, and its own surplus is not told.
    #[default]
    Outside,
    /// Its surplus is told.
    Inside,
}

/// The values of processes for one pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    aggregation: Aggregation,
    /// By object, and by process: what it has. No object where objects are not told apart.
    values: BTreeMap<Option<u32>, BTreeMap<ComparedRank, PeerValue>>,
    /// What the samples so far come to.
    told: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PeerValue {
    amount: i64,
    membership: FocusMembership,
}

impl Comparison {
    /// Nothing has been measured yet.
    #[must_use]
    pub const fn new(aggregation: Aggregation) -> Self {
        Self { aggregation, values: BTreeMap::new(), told: 0 }
    }

    /// A process is there, whether it has anything or not.
    pub fn watch(&mut self, process: ComparedRank, membership: FocusMembership) {
        if self.aggregation != Aggregation::AboveLeast {
            self.value(None, process, membership);
        }
    }

    /// What a process grew by, at an object.
    pub fn take(
        &mut self,
        process: ComparedRank,
        membership: FocusMembership,
        object: Option<u32>,
        amount: i64,
    ) {
        let object = object.filter(|_| self.aggregation == Aggregation::AboveLeast);
        let value = self.value(object, process, membership);
        value.amount = value.amount.saturating_add(amount);
    }

    /// Ends an interval, and answers by how much the compared quantity grew. Ranks that have ended have no part in the next interval.
    pub fn close(&mut self, is_there: impl Fn(u32) -> bool) -> i64 {
        let objects = self.values.values();
        let now =
            objects.map(|values| of_jobs(self.aggregation, values)).fold(0, i64::saturating_add);
        if self.aggregation == Aggregation::AboveLeast {
            for values in self.values.values_mut() {
                values.retain(|(_, process), _| is_there(*process));
                values.values_mut().for_each(|value| value.amount = 0);
            }
            return now;
        }
        now.saturating_sub(std::mem::replace(&mut self.told, now))
    }

    fn value(
        &mut self,
        object: Option<u32>,
        process: ComparedRank,
        membership: FocusMembership,
    ) -> &mut PeerValue {
        let value = self.values.entry(object).or_default().entry(process).or_default();
        value.membership = membership;
        value
    }
}

/// Peers are in the order of their jobs.
fn of_jobs(aggregation: Aggregation, values: &BTreeMap<ComparedRank, PeerValue>) -> i64 {
    let peers: Vec<(u32, PeerValue)> =
        values.iter().map(|((job, _), value)| (*job, *value)).collect();
    let jobs = peers.chunk_by(|(one, _), (other, _)| one == other);
    jobs.map(|peers| compared(aggregation, peers)).fold(0, i64::saturating_add)
}

fn compared(aggregation: Aggregation, values: &[(u32, PeerValue)]) -> i64 {
    let amounts = || values.iter().map(|(_, value)| value.amount);
    let inside = || {
        values
            .iter()
            .filter(|(_, value)| value.membership == FocusMembership::Inside)
            .map(|(_, value)| value.amount)
    };
    if values.len() < 2 || inside().next().is_none() {
        return 0;
    }
    let first = inside().max().unwrap_or_default();
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    match aggregation {
        Aggregation::Sum | Aggregation::Max => 0,
        Aggregation::AboveLeast => {
            let least = amounts().min().unwrap_or_default();
            inside().map(|amount| amount - least).fold(0, i64::saturating_add)
        }
        Aggregation::AboveMean => {
            let mean = amounts().fold(0, i64::saturating_add) / count(values.len());
            (first - mean).max(0).saturating_mul(count(inside().count()))
        }
        Aggregation::AboveSecond => {
            let mut all: Vec<i64> = amounts().collect();
            all.sort_unstable_by(|one, other| other.cmp(one));
            if first == all[0] { first - all[1] } else { 0 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds what three processes grew by, of which the focus holds those named, and lists the samples.
    fn samples(aggregation: Aggregation, focus: &[u32], intervals: &[[i64; 3]]) -> Vec<i64> {
        let mut comparison = Comparison::new(aggregation);
        let each = |amounts: &[i64; 3]| {
            for (process, amount) in (0..).zip(amounts) {
                let is_inside = focus.contains(&process);
                let membership =
                    if is_inside { FocusMembership::Inside } else { FocusMembership::Outside };
                comparison.watch((0, process), membership);
                comparison.take((0, process), membership, Some(7), *amount);
            }
            comparison.close(|_| true)
        };
        intervals.iter().map(each).collect()
    }

    #[test]
    fn whoever_waits_while_another_does_not_waits_for_it() {
        let intervals = [[40, 40, 0], [0, 40, 40], [45, 45, 45]];
        assert_eq!(samples(Aggregation::AboveLeast, &[0, 1, 2], &intervals), [80, 80, 0]);
        assert_eq!(samples(Aggregation::AboveLeast, &[0], &intervals), [40, 0, 0]);
    }

    #[test]
    fn what_evens_out_over_time_is_no_imbalance() {
        let intervals = [[30, 0, 0], [0, 30, 30]];
        assert_eq!(samples(Aggregation::AboveMean, &[0, 1, 2], &intervals), [60, -60]);
        assert_eq!(samples(Aggregation::AboveSecond, &[0, 1, 2], &intervals), [30, -30]);
    }

    #[test]
    fn jobs_are_not_compared_with_each_other() {
        for aggregation in
            [Aggregation::AboveLeast, Aggregation::AboveMean, Aggregation::AboveSecond]
        {
            let mut comparison = Comparison::new(aggregation);
            for (peer, amount) in [((0, 0), 60), ((0, 1), 60), ((1, 2), 10), ((1, 3), 10)] {
                comparison.take(peer, FocusMembership::Inside, Some(7), amount);
            }
            assert_eq!(comparison.close(|_| true), 0, "{aggregation:?}");
            comparison.take((1, 3), FocusMembership::Inside, Some(7), 10);
            assert_eq!(comparison.close(|_| true), 10, "{aggregation:?}");
        }
    }

    #[test]
    fn the_one_that_has_more_is_named_and_no_other() {
        let interval = [[90, 30, 30]];
        assert_eq!(samples(Aggregation::AboveMean, &[0], &interval), [40]);
        assert_eq!(samples(Aggregation::AboveMean, &[0, 1, 2], &interval), [120]);
        assert_eq!(samples(Aggregation::AboveMean, &[1], &interval), [0]);
        assert_eq!(samples(Aggregation::AboveSecond, &[0], &interval), [60]);
        assert_eq!(samples(Aggregation::AboveSecond, &[1, 2], &interval), [0]);
    }

    #[test]
    fn one_process_alone_is_compared_with_no_other() {
        for aggregation in
            [Aggregation::AboveLeast, Aggregation::AboveMean, Aggregation::AboveSecond]
        {
            let mut comparison = Comparison::new(aggregation);
            comparison.take((0, 3), FocusMembership::Inside, None, 50);
            assert_eq!(comparison.close(|_| true), 0, "{aggregation:?}");
        }
    }

    #[test]
    fn objects_are_told_apart_and_strangers_have_no_part() {
        let mut comparison = Comparison::new(Aggregation::AboveLeast);
        for (process, object) in [(0, 1), (1, 1), (2, 2), (3, 2)] {
            comparison.take(
                (0, process),
                FocusMembership::Inside,
                Some(object),
                20 * i64::from(object),
            );
        }
        assert_eq!(comparison.close(|process| process != 3), 0);
        comparison.take((0, 0), FocusMembership::Inside, Some(1), 5);
        comparison.take((0, 2), FocusMembership::Inside, Some(2), 5);
        assert_eq!(comparison.close(|_| true), 5, "2 is alone since 3 is gone");
    }
}
