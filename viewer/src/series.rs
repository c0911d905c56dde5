//! A pair over time, as the page gets it: complete bins only, with what of each was measured.

use serde::Serialize;
use whyperf_model::{Pair, Time};

use crate::known_bins::{KnownBin, KnownBins};

/// A pair over time. A bin that was not measured has no amount, which is another thing than nothing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesDocument {
    /// What was measured.
    pub metric: String,
    /// Where.
    pub focus: String,
    /// How wide a bin is. It doubles when the histogram folds: bins that came before are one in pairs then.
    pub width_s: f64,
    /// The number of the first bin here; bin `n` begins at `n` times the width.
    pub from: usize,
    /// By bin: how much, in the unit of the metric, nanoseconds as seconds; none where nothing was measured.
    pub amounts: Vec<Option<f64>>,
    /// By bin: which share of it was measured; empty where that is all of each bin that has an amount.
    pub covered: Vec<f64>,
}

impl SeriesDocument {
    /// The bins of a pair from one of them on, as far as they are told.
    pub(crate) fn of(pair: &Pair, known: &KnownBins, told: Told, from: usize) -> Self {
        let width = known.width();
        let number = |bins: u64| usize::try_from(bins).unwrap_or(usize::MAX);
        let known_until = known.known_until().0.0;
        let told = match told {
            Told::Until(now) => number((now.0.0 / width.0).min(known_until / width.0)),
            Told::ToItsEnd(_) => number(known_until.div_ceil(width.0)),
        };
        let bins = known.bins();
        let end = told.min(bins.len());
        let bins = bins.get(from..end).unwrap_or_default();
        let unit = if pair.metric.definition().unit == whyperf_model::Unit::Nanoseconds {
            1e9
        } else {
            1.0
        };
        let width_s = width.as_secs_f64();
        let share = |bin: &KnownBin| rounded(bin.covered.as_secs_f64() / width_s);
        let is_whole = |bin: &&KnownBin| bin.covered.is_zero() || share(bin) > WHOLE;
        let covered = if bins.iter().all(|bin| is_whole(&bin)) {
            Vec::new()
        } else {
            bins.iter().map(share).collect()
        };
        Self {
            metric: pair.metric.name().to_owned(),
            focus: pair.focus.to_string(),
            width_s,
            from,
            amounts: bins.iter().map(|bin| amount(bin, unit)).collect(),
            covered,
        }
    }

    /// The same in at most so many bins, for files.
    #[must_use]
    pub(crate) fn folded(pair: &Pair, known: &KnownBins, told: Told, most: usize) -> Self {
        let (Told::Until(until) | Told::ToItsEnd(until)) = told;
        let mut known = known.clone();
        while until.0.0.div_ceil(known.width().0) > most as u64 {
            known.fold();
        }
        Self::of(pair, &known, told, 0)
    }
}

/// How much of a series is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// Of a run that goes on: the bins that are complete by now.
    Until(Time),
    /// Of a run that is over since then: all, though it ended in the midst of a bin.
    ToItsEnd(Time),
}

/// From this share on a bin counts as measured throughout.
const WHOLE: f64 = 0.995;

#[expect(clippy::cast_precision_loss, reason = "a picture needs no more than four digits")]
fn amount(bin: &KnownBin, unit: f64) -> Option<f64> {
    (!bin.covered.is_zero()).then(|| rounded(bin.amount as f64 / unit))
}

/// Four digits: more of them are noise, and files full of it.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let digits = 3 - i32::try_from(value.abs().log10().floor() as i64).unwrap_or(0);
    if digits <= 0 {
        return value.round();
    }
    let scale = 10f64.powi(digits.min(12));
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use whyperf_model::{Focus, Histogram, Interval, Metric, Nanos};

    use super::*;

    fn at(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    fn waits() -> Pair {
        Pair::new(Metric::SyncWait, Focus::whole_program())
    }

    #[test]
    fn only_complete_bins_are_told_while_it_goes_on_and_gaps_are_no_zeros() {
        let mut histogram = Histogram::new(100, Nanos::from_millis(50));
        histogram.add(Interval::new(at(0), at(50)), 25_000_000);
        histogram.add(Interval::new(at(100), at(175)), 0);
        let told =
            SeriesDocument::of(&waits(), &KnownBins::from(&histogram), Told::Until(at(175)), 0);
        assert_eq!(told.amounts, [Some(0.025), None, Some(0.0)]);
        assert_eq!((told.width_s, told.covered), (0.05, Vec::new()));
        let rest =
            SeriesDocument::of(&waits(), &KnownBins::from(&histogram), Told::ToItsEnd(at(175)), 2);
        assert_eq!((rest.from, rest.amounts), (2, vec![Some(0.0), Some(0.0)]));
        assert_eq!(rest.covered, [1.0, 0.5]);
    }

    #[test]
    fn a_file_has_few_bins_and_the_same_sum() {
        let mut histogram = Histogram::new(1000, Nanos::from_millis(50));
        (0..600)
            .for_each(|n| histogram.add(Interval::new(at(n * 50), at(n * 50 + 50)), 50_000_000));
        let told = SeriesDocument::folded(
            &waits(),
            &KnownBins::from(&histogram),
            Told::ToItsEnd(at(30_000)),
            100,
        );
        assert!(told.amounts.len() <= 100 && told.width_s > 0.3);
        let sum: f64 = told.amounts.iter().flatten().sum();
        assert!((sum - 30.0).abs() < 0.01, "{sum}");
    }

    #[test]
    fn four_digits_are_kept_of_large_and_small_numbers() {
        assert_eq!(
            [123_456.0, 0.012_345_6, 0.0, -2.345_67].map(rounded),
            [123_456.0, 0.01235, 0.0, -2.346]
        );
    }
}
