//! The account of one counter of one thread: how much was counted, and how much of it was reported already, by where the
//! thread was.
//!
//! ```text
//!   counted   ├──────────────────────────────────────┤        exact, read in each pass
//!   samples   ├ f ──────┤├ g ─────┤├ f ───┤                    they come late, and the newest events have none yet
//!   reported  ├ f ──────┤├ g ─────┤├ f ───┤     rest waits
//! ```
//! In the end all that was counted is reported, once: the part that samples do not explain has no place.

use whyperf_model::Nanos;

/// The account of one counter of one thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct CounterAccount {
    counted: u64,
    told: u64,
    /// What was counted when the last passes ended, the oldest first.
    before: [u64; LATE],
    /// Events between the last two samples.
    period: u64,
    /// Since when no sample came while one was to come.
    silent: Option<Nanos>,
}

/// Whether more is to come of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prospect {
    /// Samples of what was counted may be on their way.
    GoesOn,
    /// There are no samples, or no more.
    Ended,
}

/// What is told in a pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Share {
    /// By sample.
    pub(crate) placed: Vec<u64>,
    /// Without a place.
    pub(crate) rest: u64,
}

impl CounterAccount {
    /// An account that has counted so much already, of which nothing was told.
    pub(crate) const fn new() -> Self {
        Self { counted: 0, told: 0, before: [0; LATE], period: 0, silent: None }
    }

    /// So much was counted by `now`, and these samples came; each stands for so many events.
    pub(crate) fn take(
        &mut self,
        counted: u64,
        weights: &[u64],
        prospect: Prospect,
        now: Nanos,
    ) -> Share {
        self.counted = self.counted.max(counted);
        let owed = self.counted - self.told;
        let explained = weights.iter().fold(0_u64, |sum, weight| sum.saturating_add(*weight));
        // What came in lately may have its samples yet, and since the last sample there is none.
        let lately = self.counted - self.before[0];
        let period = weights.iter().copied().max().unwrap_or(0).max(self.period);
        let waits = match prospect {
            Prospect::GoesOn => lately.saturating_add(period.saturating_mul(2)),
            Prospect::Ended => 0,
        };
        let late = owed.saturating_sub(explained).saturating_sub(waits);
        let placed = divided(weights, owed.min(explained.saturating_add(late)));
        let is_silent = weights.is_empty() && late > 0;
        self.silent = is_silent.then(|| self.silent.unwrap_or(now));
        let is_over = self.silent.is_some_and(|since| now - since > PATIENCE);
        self.told += placed.iter().sum::<u64>();
        let rest = match prospect {
            Prospect::Ended => self.counted - self.told,
            Prospect::GoesOn if is_over => late,
            Prospect::GoesOn => 0,
        };
        self.told += rest;
        self.before.rotate_left(1);
        self.before[LATE - 1] = self.counted;
        self.period = weights.last().copied().unwrap_or(self.period);
        Share { placed, rest }
    }
}

/// So much, in parts as large as these weights, without loss by rounding.
fn divided(weights: &[u64], amount: u64) -> Vec<u64> {
    let all: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    let (mut sum, mut given) = (0_u128, 0_u64);
    let part = |weight: &u64| {
        sum += u128::from(*weight);
        let until = u128::from(amount) * sum / all.max(1);
        let until = u64::try_from(until).unwrap_or(u64::MAX);
        let part = until - given;
        given = until;
        part
    };
    weights.iter().map(part).collect()
}

/// Passes within which the samples of what was counted come.
const LATE: usize = 3;
/// For how long samples are awaited: who names them may have much to read first.
const PATIENCE: Nanos = Nanos::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;

    fn take(
        account: &mut CounterAccount,
        counted: u64,
        weights: &[u64],
        prospect: Prospect,
    ) -> Share {
        account.take(counted, weights, prospect, Nanos::ZERO)
    }

    #[test]
    fn each_event_is_told_once_and_where_its_sample_was() {
        let mut account = CounterAccount::new();
        let share = take(&mut account, 10, &[10], Prospect::GoesOn);
        assert_eq!(share, Share { placed: vec![10], rest: 0 });
        // Ten more were counted before their sample was taken in.
        assert_eq!(take(&mut account, 30, &[10], Prospect::GoesOn).placed, [10]);
        assert_eq!(take(&mut account, 30, &[10], Prospect::GoesOn).placed, [10]);
        assert_eq!(take(&mut account, 30, &[], Prospect::Ended), Share::default());
    }

    #[test]
    fn samples_tell_no_more_than_was_counted() {
        let mut account = CounterAccount::new();
        assert_eq!(take(&mut account, 9, &[8, 4], Prospect::GoesOn).placed, [6, 3]);
        assert_eq!(take(&mut account, 9, &[8], Prospect::GoesOn).placed, [0]);
    }

    #[test]
    fn what_lost_samples_would_have_told_is_spread_over_those_that_came() {
        let mut account = CounterAccount::new();
        let mut placed = 0;
        for pass in 1..=20 {
            let share = take(&mut account, 1000 * pass, &[100, 100], Prospect::GoesOn);
            assert_eq!(share.rest, 0);
            placed += share.placed.iter().sum::<u64>();
        }
        assert!((15_000..=20_000).contains(&placed), "{placed}");
        assert_eq!(take(&mut account, 20_000, &[], Prospect::Ended).rest, 20_000 - placed);
    }

    #[test]
    fn what_has_no_sample_is_told_without_a_place_after_a_while() {
        let mut account = CounterAccount::new();
        let mut rest = |second| {
            let now = Nanos::from_secs(second);
            account.take(500, &[], Prospect::GoesOn, now).rest
        };
        let rests: Vec<u64> = (0..30).map(&mut rest).collect();
        assert_eq!(rests.iter().sum::<u64>(), 500);
        assert_eq!(rests[..9], [0; 9], "samples may come late");
        assert_eq!(take(&mut account, 520, &[3, 1], Prospect::Ended).placed, [15, 5]);
        let mut unsampled = CounterAccount::new();
        assert_eq!(take(&mut unsampled, 70, &[], Prospect::Ended).rest, 70);
    }
}
