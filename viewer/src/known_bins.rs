//! What the page shows of a pair over time: bins of a quarter of the bytes that a histogram has, for a run of a thousand processes has
//! millions of them. They fold as the histogram does that they come from, so that each bin is handed over once.

use whyperf_model::{Bin, Histogram, Nanos, Time};

/// The bins of a pair from the beginning of the run on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KnownBins {
    width: Nanos,
    bins: Vec<KnownBin>,
}

/// A bin of which nothing was covered knows nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct KnownBin {
    pub(crate) amount: i64,
    pub(crate) covered: Nanos,
}

impl KnownBins {
    /// Those of a pair of which no bin is known.
    pub(crate) const fn new(width: Nanos) -> Self {
        Self { width, bins: Vec::new() }
    }

    pub(crate) const fn width(&self) -> Nanos {
        self.width
    }

    pub(crate) fn bins(&self) -> &[KnownBin] {
        &self.bins
    }

    /// Up to when something was covered.
    pub(crate) fn known_until(&self) -> Time {
        let known = self.bins.iter().rposition(|bin| !bin.covered.is_zero());
        let bins = known.map_or(0, |last| last as u64 + 1);
        Time(Nanos(bins.saturating_mul(self.width.0)))
    }

    /// Takes bins from one of them on, of the same width or of one that came of folding. What is missing before them was not measured.
    pub(crate) fn take(&mut self, width: Nanos, from: usize, bins: Vec<Bin>) {
        self.fold_to(width);
        if self.width != width {
            *self = Self::new(width);
        }
        self.bins.resize(from, KnownBin::default());
        self.bins.extend(bins.into_iter().map(KnownBin::from));
    }

    /// Adds all that others know, both folded to the wider of the two: amounts add up, time is covered once.
    pub(crate) fn merge(&mut self, mut other: Self) {
        self.fold_to(other.width);
        other.fold_to(self.width);
        if other.bins.len() > self.bins.len() {
            self.bins.resize(other.bins.len(), KnownBin::default());
        }
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            *bin = bin.merged(*more, self.width);
        }
    }

    /// Makes one bin of two until they are as wide, or wider.
    fn fold_to(&mut self, width: Nanos) {
        while self.width < width && !self.width.is_zero() {
            self.fold();
        }
    }

    /// Makes one bin of two; of an odd number the last one stands for itself.
    pub(crate) fn fold(&mut self) {
        self.width = self.width + self.width;
        let half = self.bins.len().div_ceil(2);
        for at in 0..half {
            let last = self.bins.get(2 * at + 1).copied().unwrap_or_default();
            self.bins[at] = self.bins[2 * at].merged(last, self.width);
        }
        self.bins.truncate(half);
    }
}

impl From<&Histogram> for KnownBins {
    fn from(histogram: &Histogram) -> Self {
        let bins = histogram.bins().iter().copied().map(KnownBin::from).collect();
        Self { width: histogram.width(), bins }
    }
}

impl KnownBin {
    fn merged(self, other: Self, width: Nanos) -> Self {
        let covered = (self.covered + other.covered).min(width);
        Self { amount: self.amount.saturating_add(other.amount), covered }
    }
}

impl From<Bin> for KnownBin {
    fn from(bin: Bin) -> Self {
        let bound = if bin.amount < 0 { i64::MIN } else { i64::MAX };
        Self { amount: i64::try_from(bin.amount).unwrap_or(bound), covered: bin.covered }
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::Interval;

    use super::*;

    fn histogram(bins: usize, seconds: u64) -> Histogram {
        let mut histogram = Histogram::new(bins, Nanos::from_millis(50));
        for n in 0..seconds * 10 {
            let [begin, end] = [n * 100, n * 100 + 70].map(Time::from_millis);
            histogram.add(Interval::new(begin, end), i64::try_from(n).expect("few"));
        }
        histogram
    }

    /// Those of a histogram that were handed over up to a moment, and from then on after folds.
    fn taken(first: u64, until: u64) -> KnownBins {
        let mut known = KnownBins::new(Nanos::from_millis(50));
        let mut told: (u64, usize) = (known.width().0, 0);
        for second in [first, until] {
            let histogram = histogram(20, second);
            let width = histogram.width();
            let complete = usize::try_from(second * 1_000_000_000 / width.0).expect("few");
            let from = told.1 / usize::try_from(width.0 / told.0).expect("few");
            known.take(width, from, histogram.bins()[from..complete].to_vec());
            told = (width.0, complete);
        }
        known
    }

    #[test]
    fn bins_that_were_handed_over_once_fold_to_those_of_the_histogram() {
        for (first, until) in [(1, 1), (1, 2), (1, 5), (3, 7), (5, 9)] {
            let all = histogram(20, until);
            let complete = usize::try_from(until * 1_000_000_000 / all.width().0).expect("few");
            let mut whole = KnownBins::from(&all);
            whole.bins.truncate(complete);
            assert_eq!(taken(first, until), whole, "after {first} s and {until} s");
        }
    }

    #[test]
    fn time_that_two_measurements_covered_is_covered_once() {
        let mut one = KnownBins::from(&histogram(20, 1));
        one.merge(KnownBins::from(&histogram(20, 5)));
        assert!(one.bins.iter().all(|bin| bin.covered <= one.width), "{one:?}");
        let sum: i64 = one.bins.iter().map(|bin| bin.amount).sum();
        assert_eq!(sum, (0..10).sum::<i64>() + (0..50).sum::<i64>());
    }
}
