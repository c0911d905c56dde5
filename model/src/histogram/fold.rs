//! Adding a sample, and folding when there is no room for it.

use super::{Bin, Extremes, Histogram};
use crate::time::{Interval, Nanos, Time};

impl Histogram {
    /// Adds an amount measured over an interval, folding as often as it takes to have room.
    ///
    /// Intervals come in any order. An empty interval adds its amount where it stands and covers nothing. Where intervals
    /// overlap the amounts add up, and time is covered once.
    pub fn add(&mut self, interval: Interval, amount: i64) {
        while self.end() < u128::from(last_instant(interval)) + 1 {
            self.fold();
        }
        let extremes = rate_of(interval, amount).map(Extremes::of);
        let first = self.position(interval.start);
        let last = self.position(Time(Nanos(last_instant(interval))));
        let mut before = 0;
        for position in first..=last {
            let within = self.span(position).intersect(interval);
            let upto = if position == last {
                i128::from(amount)
            } else {
                share(interval, amount, within.end)
            };
            let width = self.width;
            let bin = &mut self.bins[position];
            bin.amount += upto - before;
            bin.covered = (bin.covered + within.length()).min(width);
            bin.extremes = Extremes::merged(bin.extremes, extremes);
            before = upto;
        }
    }

    /// Merges pairs of bins and doubles the width. Histograms that are compared fold together.
    pub fn fold(&mut self) {
        let half = self.bins.len() / 2;
        for position in 0..half {
            self.bins[position] = self.bins[2 * position].merged(self.bins[2 * position + 1]);
        }
        self.bins[half..].fill(Bin::default());
        self.width = self.width + self.width;
    }

    /// Adds all that another histogram holds, both folded to the wider of the two: amounts add up, time is covered once.
    /// Both must have had the same width at first.
    pub fn merge(&mut self, other: &Self) {
        let mut other = other.clone();
        while self.width < other.width {
            self.fold();
        }
        while other.width < self.width {
            other.fold();
        }
        let missing = other.bins.len().saturating_sub(self.bins.len());
        self.bins.extend(vec![Bin::default(); missing]);
        let width = self.width;
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            *bin = bin.merged(*more);
            bin.covered = bin.covered.min(width);
        }
    }

    /// The time of one bin.
    #[must_use]
    pub fn span(&self, position: usize) -> Interval {
        let start = (position as u64).saturating_mul(self.width.0);
        Interval::new(Time(Nanos(start)), Time(Nanos(start.saturating_add(self.width.0))))
    }

    /// The bin a point in time falls into. The time must lie before the end.
    pub(super) fn position(&self, time: Time) -> usize {
        usize::try_from(time.0.0 / self.width.0)
            .map_or(self.bins.len() - 1, |position| position.min(self.bins.len() - 1))
    }

    /// The first instant beyond the last bin; wider than a time, because the last bin may reach beyond the last time.
    fn end(&self) -> u128 {
        self.bins.len() as u128 * u128::from(self.width.0)
    }
}

/// The last instant that an interval needs a bin for.
fn last_instant(interval: Interval) -> u64 {
    interval.end.0.0.saturating_sub(1).max(interval.start.0.0)
}

/// How much of the amount belongs before a point inside the interval.
fn share(interval: Interval, amount: i64, until: Time) -> i128 {
    let elapsed = i128::from(until.since(interval.start).0);
    (i128::from(amount) * elapsed).div_euclid(i128::from(interval.length().0))
}

#[expect(clippy::cast_precision_loss, reason = "a rate is a ratio, not a count")]
fn rate_of(interval: Interval, amount: i64) -> Option<f64> {
    (!interval.is_empty()).then(|| amount as f64 / interval.length().0 as f64)
}
