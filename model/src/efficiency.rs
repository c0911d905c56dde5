//! The parallel efficiencies of the ranks of a job: how well they use their time.
//!
//! ```text
//!   rank 0  ████████████████▒▒░░      █ computes           load balance       mean of █ / most of █
//!   rank 1  ████████░░░░░░░░░░░░      ▒ input and output   input and output   most of █ / most of █▒
//!           |───── elapsed ────|      ░ anything else      communication      most of █▒ / elapsed
//!                                                          parallel           mean of █ / elapsed
//! ```
//! The times come from the daemon of a run, or from the record of a run that is over. Where one run has several jobs, each
//! counts by the time of its ranks, as if they had waited only for each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::category::{Category, CategorySet};
use crate::time::Nanos;

/// What one rank did between `MPI_Init` and `MPI_Finalize` so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Whom it worked with, as [`Jobs`] tells.
    pub job: u32,
    /// Time in which it computed, or waited for something that is neither another rank nor a file.
    pub computing: Nanos,
    /// Time in calls of input and output.
    pub files: Nanos,
    /// All of its time.
    pub elapsed: Nanos,
}

impl Effort {
    /// It spent time in calls of a category, between `MPI_Init` and `MPI_Finalize`, neither of which counts.
    pub fn add(&mut self, category: Category, time: Nanos) {
        if category != Category::Setup {
            self.elapsed += time;
        }
        if OWN.contains(category) {
            self.computing += time;
        }
        if CategorySet::IO.contains(category) {
            self.files += time;
        }
    }
}

/// What is the rank's own affair: it computes, or waits for something that is neither another rank nor a file.
const OWN: CategorySet = CategorySet::OUTSIDE_CALLS.and(CategorySet::BLOCKED);

/// Shares of an ideal: one is best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Efficiency {
    /// Of the time of all ranks, how much is computing: the product of the other three.
    pub parallel: f64,
    /// How evenly computing is spread over the ranks.
    pub load_balance: f64,
    /// How much of its time the busiest rank does not wait for others.
    pub communication: f64,
    /// How much of that it computes, and does not read or write.
    pub input_output: f64,
}

impl Efficiency {
    /// The efficiency of all processes that were ranks for some time. `None` for a job of less than two ranks, or when no rank computed.
    #[must_use]
    pub fn of(efforts: &[Effort]) -> Option<Self> {
        let mut jobs: BTreeMap<u32, Vec<Effort>> = BTreeMap::new();
        for effort in efforts.iter().filter(|effort| !effort.elapsed.is_zero()) {
            jobs.entry(effort.job).or_default().push(*effort);
        }
        let (mut computing, mut busiest, mut with_files, mut elapsed) = (0.0, 0.0, 0.0, 0.0);
        for ranks in jobs.values().filter(|ranks| ranks.len() >= 2) {
            computing += ranks.iter().map(|rank| rank.computing.as_secs_f64()).sum::<f64>();
            busiest += of_all(ranks, |rank| rank.computing);
            with_files += of_all(ranks, |rank| rank.computing + rank.files);
            elapsed += of_all(ranks, |rank| rank.elapsed);
        }
        (busiest > 0.0).then(|| Self {
            parallel: computing / elapsed,
            load_balance: computing / busiest,
            communication: with_files / elapsed,
            input_output: busiest / with_files,
        })
    }

    /// That of the same ranks between two moments; those that are new since the first had done nothing before it.
    #[must_use]
    pub fn between(before: &[Effort], now: &[Effort]) -> Option<Self> {
        let earlier = before.iter().copied().chain(std::iter::repeat(Effort::default()));
        let since = |(now, before): (&Effort, Effort)| Effort {
            job: now.job,
            computing: now.computing - before.computing,
            files: now.files - before.files,
            elapsed: now.elapsed - before.elapsed,
        };
        Self::of(&now.iter().zip(earlier).map(since).collect::<Vec<_>>())
    }
}

/// What it would be if all had as much as the one that has most.
#[expect(clippy::cast_precision_loss, reason = "an efficiency is a ratio, not a count")]
fn of_all(ranks: &[Effort], time: impl Fn(&Effort) -> Nanos) -> f64 {
    let most = ranks.iter().map(time).max().unwrap_or_default();
    most.as_secs_f64() * ranks.len() as f64
}

/// Which ranks work together, where a run has several jobs: a script that starts one after the other.
///
/// No rank joins a job that another has left, because all ranks meet in `MPI_Init`; and each has a rank of its own. Jobs at the same time
/// are told apart as far as their ranks come one job after the other.
#[derive(Debug, Default)]
pub struct Jobs(Vec<Job>);

#[derive(Debug)]
struct Job {
    ranks: BTreeSet<u32>,
    is_open: bool,
}

impl Jobs {
    /// The job of a process that begins to work with this rank.
    pub fn join(&mut self, rank: u32) -> u32 {
        let is_its = |job: &Job| job.is_open && !job.ranks.contains(&rank);
        let at = self.0.iter().position(is_its).unwrap_or_else(|| {
            self.0.push(Job { ranks: BTreeSet::new(), is_open: true });
            self.0.len() - 1
        });
        self.0[at].ranks.insert(rank);
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// A rank of this job works no more.
    pub fn leave(&mut self, job: u32) {
        if let Some(job) = self.0.get_mut(job as usize) {
            job.is_open = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn efforts(computing: &[u64], elapsed: u64) -> Vec<Effort> {
        let effort = |seconds: &u64| Effort {
            job: 0,
            computing: Nanos::from_secs(*seconds),
            files: Nanos::ZERO,
            elapsed: Nanos::from_secs(elapsed),
        };
        computing.iter().map(effort).collect()
    }

    #[test]
    fn uneven_work_before_a_barrier_is_a_matter_of_balance() {
        let efficiency = Efficiency::of(&efforts(&[1, 2, 3, 4], 4)).expect("four ranks");
        assert_eq!(
            efficiency,
            Efficiency {
                parallel: 0.625,
                load_balance: 0.625,
                communication: 1.0,
                input_output: 1.0
            }
        );
    }

    #[test]
    fn even_work_that_waits_is_a_matter_of_communication() {
        let efficiency = Efficiency::of(&efforts(&[3, 3], 4)).expect("two ranks");
        assert_eq!((efficiency.load_balance, efficiency.communication), (1.0, 0.75));
    }

    #[test]
    fn what_is_read_and_written_is_a_matter_of_its_own() {
        let mut ranks = efforts(&[3, 3], 8);
        ranks[1].files = Nanos::from_secs(3);
        let told = Efficiency::of(&ranks).expect("two ranks");
        assert_eq!((told.load_balance, told.input_output, told.communication), (1.0, 0.5, 0.75));
        assert!((told.parallel - 0.375).abs() < 1e-9);
    }

    #[test]
    fn a_phase_is_what_was_done_since_it_began() {
        let (before, now) = (efforts(&[4, 4], 4), efforts(&[8, 6, 3], 8));
        let phase = Efficiency::between(&before[..2], &now[..2]).expect("two ranks");
        assert_eq!((phase.load_balance, phase.communication), (0.75, 1.0));
        assert!(Efficiency::between(&now, &now).is_none(), "no rank did anything");
        assert!(Efficiency::between(&before, &now).is_some_and(|all| all.parallel > 0.0));
    }

    #[test]
    fn jobs_one_after_the_other_are_balanced_each_for_itself() {
        let second = efforts(&[1, 1], 2).into_iter().map(|effort| Effort { job: 1, ..effort });
        let both: Vec<Effort> = efforts(&[8, 8], 8).into_iter().chain(second).collect();
        let efficiency = Efficiency::of(&both).expect("two jobs");
        assert_eq!((efficiency.load_balance, efficiency.communication), (1.0, 0.9));
    }

    #[test]
    fn a_rank_that_comes_after_another_has_left_is_of_another_job() {
        let mut jobs = Jobs::default();
        assert_eq!([0, 1, 2].map(|rank| jobs.join(rank)), [0; 3]);
        jobs.leave(0);
        assert_eq!([1, 0].map(|rank| jobs.join(rank)), [1; 2]);
        assert_eq!(jobs.join(0), 2, "a rank is there once");
        jobs.leave(1);
        assert_eq!([2, 1].map(|rank| jobs.join(rank)), [2; 2]);
    }

    #[test]
    fn one_rank_is_balanced_with_no_other() {
        assert_eq!(Efficiency::of(&efforts(&[3], 4)), None);
        assert_eq!(Efficiency::of(&[]), None);
    }
}
