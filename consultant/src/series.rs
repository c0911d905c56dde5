//! The observations of a node over time, in few bins, so that nodes can be compared over the time that both were measured.
//!
//! ```text
//!   one node      |▒▒▒▒|▒▒▒▒|▒▒  |    |▒▒▒▒|      bin n covers the same time in every series of this width;
//!   another       |    | ▒▒▒|▒▒▒▒|▒▒▒▒|▒▒▒▒|      each says how much of it was measured
//! ```
//!
//! When time has passed the last bin, neighbours become one and the width doubles. So the width of a series follows from when it
//! was added to last, and a wider one can be made of any.

use whyperf_model::{Interval, Nanos, Time};

use crate::stream::Observation;

/// What was seen of a node, bin by bin from the beginning of the run.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    width: Nanos,
    bins: Vec<SeriesBin>,
    /// From the first observation to the last one.
    span: Interval,
}

/// What was seen in one bin. Single precision suffices for a ratio, and there are many bins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SeriesBin {
    pub(crate) numerator: f32,
    pub(crate) denominator: f32,
    /// The share of the bin that was measured.
    pub(crate) covered: f32,
}

impl Default for Series {
    fn default() -> Self {
        Self { width: FINEST, bins: Vec::new(), span: Interval::default() }
    }
}

impl Series {
    /// Takes in an observation; one that is longer than a bin is spread evenly.
    #[expect(clippy::cast_possible_truncation, reason = "a ratio needs no more")]
    pub(crate) fn add(&mut self, seen: Observation) {
        let (start, end) = (seen.interval.start.0.0, seen.interval.end.0.0);
        while end > self.width.0 * MOST {
            self.widen();
        }
        let first = if self.span.is_empty() { seen.interval.start } else { self.span.start };
        self.span = Interval::new(first, seen.interval.end);
        let (width, length) = (self.width.0, (end - start).max(1) as f64);
        for at in start / width..end.div_ceil(width) {
            let overlap = end.min((at + 1) * width) - start.max(at * width);
            let share = overlap as f64 / length;
            let bin = self.bin(at);
            bin.numerator += (seen.numerator * share) as f32;
            bin.denominator += (seen.denominator * share) as f32;
            bin.covered += overlap as f32 / width as f32;
        }
    }

    /// How wide the bins of a series are that was added to until this moment.
    pub(crate) fn width_at(end: Time) -> Nanos {
        let mut width = FINEST;
        while end.0.0 > width.0 * MOST {
            width = width + width;
        }
        width
    }

    /// How wide a bin is.
    pub(crate) const fn width(&self) -> Nanos {
        self.width
    }

    /// From when to when there are observations; there may be gaps in it.
    pub(crate) const fn span(&self) -> Interval {
        self.span
    }

    /// The bins in another width, which is no smaller.
    pub(crate) fn bins(&self, width: Nanos) -> Vec<SeriesBin> {
        let mut wide = self.clone();
        while wide.width < width {
            wide.widen();
        }
        wide.bins
    }

    fn bin(&mut self, at: u64) -> &mut SeriesBin {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        if self.bins.len() <= at {
            self.bins.resize(at + 1, SeriesBin::default());
        }
        &mut self.bins[at]
    }

    fn widen(&mut self) {
        self.width = Nanos(self.width.0 * 2);
        self.bins = self.bins.chunks(2).map(SeriesBin::together).collect();
    }
}

impl SeriesBin {
    /// All of them as one; what it says it covers is in widths of each of them.
    pub(crate) fn sum(bins: &[Self]) -> Self {
        let mut all = Self::default();
        for one in bins {
            all.numerator += one.numerator;
            all.denominator += one.denominator;
            all.covered += one.covered;
        }
        all
    }

    /// What is left without another.
    pub(crate) fn less(self, other: Self) -> Self {
        Self {
            numerator: self.numerator - other.numerator,
            denominator: self.denominator - other.denominator,
            ..self
        }
    }

    /// The same at the same rate over the time of another.
    pub(crate) fn in_time_of(self, other: Self) -> Self {
        if self.covered <= 0.0 {
            return Self::default();
        }
        let longer = other.covered / self.covered;
        Self {
            numerator: self.numerator * longer,
            denominator: self.denominator * longer,
            covered: other.covered,
        }
    }

    fn together(pair: &[Self]) -> Self {
        let sum = Self::sum(pair);
        Self { covered: sum.covered / 2.0, ..sum }
    }
}

/// More bins than this a series never has.
const MOST: u64 = 32;
/// How wide the first bins are.
const FINEST: Nanos = Nanos::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(start: u64, end: u64, numerator: f64) -> Observation {
        let interval = Interval::new(Time::from_millis(start), Time::from_millis(end));
        Observation { interval, numerator, denominator: (end - start) as f64, processes: 1 }
    }

    #[test]
    fn neighbours_become_one_and_nothing_is_lost() {
        let mut series = Series::default();
        for at in 0..100 {
            series.add(seen(at * 50, (at + 1) * 50, 10.0));
        }
        assert_eq!((series.width(), series.bins.len()), (Nanos::from_millis(200), 25));
        assert_eq!(Series::width_at(series.span().end), series.width());
        let bin = SeriesBin { numerator: 40.0, denominator: 200.0, covered: 1.0 };
        assert!(series.bins.iter().all(|one| *one == bin));
    }

    #[test]
    fn a_long_observation_is_spread_over_the_bins_that_it_covers() {
        let mut series = Series::default();
        series.add(seen(25, 125, 100.0));
        let covered: Vec<f32> = series.bins.iter().map(|bin| bin.covered).collect();
        let numerators: Vec<f32> = series.bins.iter().map(|bin| bin.numerator).collect();
        assert_eq!(covered, [0.5, 1.0, 0.5]);
        assert_eq!(numerators, [25.0, 50.0, 25.0]);
    }

    #[test]
    fn a_wider_series_covers_what_the_narrow_one_did() {
        let mut series = Series::default();
        series.add(seen(50, 150, 30.0));
        let wide = series.bins(Nanos::from_millis(200));
        assert_eq!(wide, [SeriesBin { numerator: 30.0, denominator: 100.0, covered: 0.5 }]);
    }
}
