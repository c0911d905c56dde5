//! How well the ranks of a job use their time: the three efficiencies that one looks at before anything else.
//!
//! ```text
//!   rank 0  ████████████████░░░░      █ computes        load balance    mean of █ / most of █
//!   rank 1  ████████░░░░░░░░░░░░      ░ anything else   communication   most of █ / elapsed
//!           |───── elapsed ────|                        parallel        mean of █ / elapsed
//! ```
//! What computes and what elapses is told by whoever has the times: the daemon of a run, or the record of one that is over.

use crate::time::Nanos;

/// What one rank did between `MPI_Init` and `MPI_Finalize` so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Time in which it computed.
    pub computing: Nanos,
    /// All of its time.
    pub elapsed: Nanos,
}

/// Shares of an ideal: one is best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Efficiency {
    /// Of the time of all ranks, how much is computing: the product of the other two.
    pub parallel: f64,
    /// How evenly computing is spread over the ranks.
    pub load_balance: f64,
    /// How much of its time the busiest rank computes.
    pub communication: f64,
}

impl Efficiency {
    /// That of all who were ranks for some time; nothing to be said of less than two, or when nobody computed.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an efficiency is a ratio, not a count")]
    pub fn of(efforts: &[Effort]) -> Option<Self> {
        let ranks = efforts.iter().filter(|effort| !effort.elapsed.is_zero());
        let most = ranks.clone().map(|effort| effort.computing.0).max()? as f64;
        let elapsed = ranks.clone().map(|effort| effort.elapsed.0).max()? as f64;
        let count = ranks.clone().count();
        if count < 2 || most <= 0.0 {
            return None;
        }
        let all = ranks.fold(Nanos::ZERO, |sum, effort| sum + effort.computing);
        let mean = all.0 as f64 / count as f64;
        Some(Self {
            parallel: mean / elapsed,
            load_balance: mean / most,
            communication: most / elapsed,
        })
    }

    /// That of the same ranks between two moments; those that are new since the first had done nothing before it.
    #[must_use]
    pub fn between(before: &[Effort], now: &[Effort]) -> Option<Self> {
        let earlier = before.iter().copied().chain(std::iter::repeat(Effort::default()));
        let since = |(now, before): (&Effort, Effort)| Effort {
            computing: now.computing - before.computing,
            elapsed: now.elapsed - before.elapsed,
        };
        Self::of(&now.iter().zip(earlier).map(since).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn efforts(computing: &[u64], elapsed: u64) -> Vec<Effort> {
        let effort = |seconds: &u64| Effort {
            computing: Nanos::from_secs(*seconds),
            elapsed: Nanos::from_secs(elapsed),
        };
        computing.iter().map(effort).collect()
    }

    #[test]
    fn uneven_work_before_a_barrier_is_a_matter_of_balance() {
        let efficiency = Efficiency::of(&efforts(&[1, 2, 3, 4], 4)).expect("four ranks");
        assert_eq!(
            efficiency,
            Efficiency { parallel: 0.625, load_balance: 0.625, communication: 1.0 }
        );
    }

    #[test]
    fn even_work_that_waits_is_a_matter_of_communication() {
        let efficiency = Efficiency::of(&efforts(&[3, 3], 4)).expect("two ranks");
        assert_eq!((efficiency.load_balance, efficiency.communication), (1.0, 0.75));
    }

    #[test]
    fn a_phase_is_what_was_done_since_it_began() {
        let (before, now) = (efforts(&[4, 4], 4), efforts(&[8, 6, 3], 8));
        let phase = Efficiency::between(&before[..2], &now[..2]).expect("two ranks");
        assert_eq!((phase.load_balance, phase.communication), (0.75, 1.0));
        assert!(Efficiency::between(&now, &now).is_none(), "nobody did anything");
        assert!(Efficiency::between(&before, &now).is_some_and(|all| all.parallel > 0.0));
    }

    #[test]
    fn one_rank_has_nobody_to_be_balanced_with() {
        assert_eq!(Efficiency::of(&efforts(&[3], 4)), None);
        assert_eq!(Efficiency::of(&[]), None);
    }
}
