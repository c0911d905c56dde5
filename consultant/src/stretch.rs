//! Finds the stretches of time in which a value was beyond its threshold, where they are clearly a part of the run.
//!
//! ```text
//!   value       |    |    |▒▒  |▒▒▒▒|▒▒▒ |▒▒▒▒|    |    |▒▒▒ |▒▒▒▒|    |
//!   stretches             ├───────────────────┤         ├─────────┤       short gaps are part of a stretch
//! ```
//!
//! * The time in which a question was not measured holds the rest of the amount: that of the whole run, less what was
//!   measured. The rest is spread over that time as the amount of the question which led to this one and was asked before
//!   it: where the leading question has nothing, its part has nothing. Where the amount of the whole run is not known,
//!   nothing is said of such time.
//! * As between processes, a difference between times counts when it is as large as the threshold: by that much the value
//!   inside a stretch must be beyond the value outside. So a value that goes up and down a little about its threshold has
//!   no stretches.
//! * A finding that holds for three quarters of the time is said of all of it.

use serde::Serialize;
use whyperf_model::{Interval, Nanos, Time};

use crate::run_amount::RunRatio;
use crate::score::Score;
use crate::series::Series;

/// A part of the run in which a value was beyond its threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stretch {
    /// When.
    pub interval: Interval,
    /// The value in it.
    pub value: f64,
}

/// The stretches of a value. There are none where it is beyond its threshold all the time, or not clearly in a part of it.
pub(crate) fn stretches(timeline: &Timeline, score: Score) -> Vec<Stretch> {
    let bins = &timeline.bins;
    let parts = timeline.parts_beyond(score);
    let inside: usize = parts.iter().map(|(from, to)| to - from).sum();
    if bins.len() < FEWEST || inside == 0 || 4 * inside >= 3 * bins.len() {
        return Vec::new();
    }
    let within = Amounts::sum(parts.iter().flat_map(|(from, to)| &bins[*from..*to]));
    let rest = Amounts::sum(bins).less(within);
    let values = within.value(score).zip(rest.value(score));
    let is_clear = values
        .is_some_and(|(within, rest)| score.score(within) - score.score(rest) >= score.large());
    let parts = parts.into_iter().filter(|_| is_clear);
    parts.filter_map(|part| timeline.stretch(part, score)).collect()
}

/// What a value has in the bins of a series that lie in the time that it covers.
#[derive(Debug)]
pub(crate) struct Timeline {
    interval: Interval,
    width: Nanos,
    first: u64,
    bins: Vec<Amounts>,
}

/// Numerator and denominator of some time.
#[derive(Clone, Copy, Debug, Default)]
struct Amounts {
    numerator: f64,
    denominator: f64,
}

impl Timeline {
    /// Of what was observed and not more.
    pub(crate) fn measured(series: &Series) -> Self {
        Self::observed(series, series.span()).0
    }

    /// Of what was observed, and of what the run has beside: that is spread as the one of another question over the run. Of what is gone it
    /// was before the last observation.
    pub(crate) fn over_run(
        series: &Series,
        (run, is_gone): (RunRatio, bool),
        like: Option<&Self>,
    ) -> Self {
        let (mut timeline, unseen) = Self::observed(series, run.interval);
        if unseen.iter().sum::<f64>() < 0.5 {
            return timeline;
        }
        let mut before = unseen.clone();
        if is_gone {
            before.iter_mut().skip(timeline.at(series.span().end)).for_each(|bin| *bin = 0.0);
        }
        let like = like.map_or(&[][..], |like| &like.bins);
        let rest = Amounts { numerator: run.numerator, denominator: run.denominator }
            .less(Amounts::sum(&timeline.bins));
        let numerators = spread(rest.numerator, &before, like.iter().map(|bin| bin.numerator));
        let denominators =
            spread(rest.denominator, &unseen, like.iter().map(|bin| bin.denominator));
        for (bin, (above, below)) in
            timeline.bins.iter_mut().zip(numerators.into_iter().zip(denominators))
        {
            bin.numerator += above;
            bin.denominator += below;
        }
        timeline
    }

    /// What was observed in an interval, and how much of each bin was not.
    fn observed(series: &Series, interval: Interval) -> (Self, Vec<f64>) {
        let width = Series::width_at(interval.end);
        let (first, last) = (interval.start.0.0 / width.0, interval.end.0.0.div_ceil(width.0));
        let mut observed = series.bins(width).into_iter().skip(first as usize);
        let mut bins = Vec::new();
        let mut unseen = Vec::new();
        for at in first..last {
            let bin = observed.next().unwrap_or_default();
            let (numerator, denominator) = (bin.numerator.into(), bin.denominator.into());
            bins.push(Amounts { numerator, denominator });
            let length = edges(at, at + 1, width).intersect(interval).length();
            let length = length.as_secs_f64() / width.as_secs_f64();
            unseen.push((length - f64::from(bin.covered)).max(0.0));
        }
        (Self { interval, width, first, bins }, unseen)
    }

    /// In which bin a moment is.
    fn at(&self, time: Time) -> usize {
        usize::try_from(time.0.0 / self.width.0 - self.first).unwrap_or(usize::MAX)
    }

    /// From which bin to which one the value is beyond its threshold.
    fn parts_beyond(&self, score: Score) -> Vec<(usize, usize)> {
        let short = (self.bins.len() / SHORTEST).max(1);
        let is_beyond =
            |bin: &Amounts| bin.value(score).is_some_and(|value| score.score(value) > score.bar());
        let mut parts: Vec<(usize, usize)> = Vec::new();
        for (at, _) in self.bins.iter().enumerate().filter(|(_, bin)| is_beyond(bin)) {
            match parts.last_mut().filter(|(_, to)| at - *to <= short) {
                Some((_, to)) => *to = at + 1,
                None => parts.push((at, at + 1)),
            }
        }
        parts.retain(|(from, to)| to - from >= short);
        parts
    }

    fn stretch(&self, (from, to): (usize, usize), score: Score) -> Option<Stretch> {
        let value = Amounts::sum(&self.bins[from..to]).value(score)?;
        let all = edges(self.first + from as u64, self.first + to as u64, self.width);
        Some(Stretch { interval: all.intersect(self.interval), value })
    }
}

impl Amounts {
    fn sum<'a>(of: impl IntoIterator<Item = &'a Self>) -> Self {
        of.into_iter().fold(Self::default(), |sum, one| sum.plus(*one))
    }

    fn plus(self, other: Self) -> Self {
        Self {
            numerator: self.numerator + other.numerator,
            denominator: self.denominator + other.denominator,
        }
    }

    /// What is left without another; no less than nothing, for sums of bins are rounded.
    fn less(self, other: Self) -> Self {
        Self {
            numerator: (self.numerator - other.numerator).max(0.0),
            denominator: (self.denominator - other.denominator).max(0.0),
        }
    }

    fn value(self, score: Score) -> Option<f64> {
        (self.denominator > 0.0).then(|| self.numerator / self.denominator * score.factor())
    }
}

/// Spreads an amount over the unseen parts of bins: as another one is spread over the same bins, or evenly where that has nothing there.
fn spread(amount: f64, unseen: &[f64], like: impl Iterator<Item = f64>) -> Vec<f64> {
    let like: Vec<f64> = unseen.iter().zip(like).map(|(unseen, like)| unseen * like).collect();
    let is_known = like.iter().sum::<f64>() > 0.0;
    let weights = if is_known { &like[..] } else { unseen };
    let all: f64 = weights.iter().sum();
    weights.iter().map(|weight| if all > 0.0 { amount * weight / all } else { 0.0 }).collect()
}

fn edges(from: u64, to: u64, width: Nanos) -> Interval {
    Interval::new(Time(Nanos(from * width.0)), Time(Nanos(to * width.0)))
}

/// Fewer bins than these tell no part of the time from another.
const FEWEST: usize = 8;
/// A gap, and a stretch, of less than this part of the time is none.
const SHORTEST: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypothesis::Hypotheses;
    use crate::stream::Observation;

    const STEP: u64 = 50;
    /// The steps of a bin, when there are twenty bins.
    const BIN: u64 = 16;
    const END: Time = Time::from_millis(20 * BIN * STEP);

    fn score(name: &str) -> Score {
        let table = Hypotheses::built_in();
        Score::of(table.row(table.named(name).expect("it is in the table")))
    }

    /// Values from so many bins on, of a denominator of one thousand a step.
    fn series(from: u64, values: impl IntoIterator<Item = f64>) -> Series {
        let mut series = Series::default();
        for (at, value) in (0..).zip(values) {
            let start = Time::from_millis((from * BIN + at) * STEP);
            let interval = Interval::new(start, start + Nanos::from_millis(STEP));
            let numerator = value * 1000.0;
            series.add(Observation { interval, numerator, denominator: 1000.0, processes: 1 });
        }
        series
    }

    /// So many bins of each value.
    fn bins(parts: &[(usize, f64)]) -> Vec<f64> {
        parts.iter().flat_map(|(length, value)| vec![*value; length * BIN as usize]).collect()
    }

    /// From which bin to which one, and the value.
    fn found(timeline: &Timeline) -> Vec<(u64, u64, f64)> {
        let brief = |one: Stretch| {
            let [from, to] = [one.interval.start, one.interval.end]
                .map(|edge| edge.0.0 / Nanos::from_millis(BIN * STEP).0);
            (from, to, (one.value * 100.0).round() / 100.0)
        };
        let found = stretches(timeline, score("ExcessiveSyncWaitingTime"));
        found.into_iter().map(brief).collect()
    }

    fn measured(values: impl IntoIterator<Item = f64>) -> Vec<(u64, u64, f64)> {
        found(&Timeline::measured(&series(0, values)))
    }

    /// So much over a run of twenty bins.
    fn run(numerator: f64) -> RunRatio {
        let interval = Interval::new(Time::ZERO, END);
        RunRatio {
            numerator: numerator * 16_000.0,
            denominator: 20.0 * 16_000.0,
            error: 0.0,
            interval,
        }
    }

    #[test]
    fn a_part_of_the_run_is_told_from_the_rest() {
        let once = measured(bins(&[(8, 0.0), (10, 0.8), (2, 0.0)]));
        assert_eq!(once, [(8, 18, 0.8)]);
        let twice = measured(bins(&[(4, 0.0), (3, 0.8), (4, 0.0), (5, 0.6), (4, 0.0)]));
        assert_eq!(twice, [(4, 7, 0.8), (11, 16, 0.6)]);
        let gap = measured(bins(&[(4, 0.0), (5, 0.8), (1, 0.0), (5, 0.8), (5, 0.0)]));
        assert_eq!(gap, [(4, 15, 0.73)]);
    }

    #[test]
    fn all_the_time_and_now_and_then_are_no_part() {
        for parts in
            [&[(20, 0.6)][..], &[(4, 0.0), (16, 0.6)], &[(10, 0.1), (10, 0.25)], &[(20, 0.0)]]
        {
            assert_eq!(measured(bins(parts)), [], "{parts:?}");
        }
        let turns = (0..320).map(|at| if at / 10 % 2 == 0 { 0.0 } else { 0.9 });
        assert_eq!(measured(turns), [], "twice a second");
        assert_eq!(measured([0.0, 0.0, 0.0, 0.9, 0.9]), [], "too short to tell");
    }

    #[test]
    fn time_without_a_measurement_has_what_the_run_has_beside() {
        let late = series(8, bins(&[(12, 0.6)]));
        assert_eq!(found(&Timeline::measured(&late)), [], "nothing is known of the time before");
        let over_run =
            |bins: f64| found(&Timeline::over_run(&late, (run(bins * 0.6), false), None));
        assert_eq!(over_run(12.0), [(8, 20, 0.6)], "it began then");
        assert_eq!(over_run(20.0), [], "it was so before");
    }

    #[test]
    fn what_was_not_measured_was_when_that_happened_which_it_is_a_part_of() {
        let whole = series(0, bins(&[(6, 0.0), (14, 0.6)]));
        let whole = Timeline::over_run(&whole, (run(14.0 * 0.6), false), None);
        let part = series(10, bins(&[(10, 0.3)]));
        let part = |like| Timeline::over_run(&part, (run(14.0 * 0.3), false), like);
        assert_eq!(found(&part(Some(&whole))), [(6, 20, 0.3)]);
        assert_eq!(found(&part(None)), [], "it may have been so before");
    }

    #[test]
    fn of_what_is_gone_the_rest_was_before() {
        let gone = series(4, bins(&[(4, 0.6)]));
        let of = |is_gone| found(&Timeline::over_run(&gone, (run(8.0 * 0.6), is_gone), None));
        assert_eq!(of(true), [(0, 8, 0.6)]);
        assert_eq!(of(false), [(4, 8, 0.6)]);
    }

    #[test]
    fn what_is_bad_below_its_threshold_has_stretches_too() {
        let small = Timeline::measured(&series(0, bins(&[(12, 1e6), (8, 64.0)])));
        let found = stretches(&small, score("TooManySmallIOOps"));
        let interval = Interval::new(Time::from_millis(12 * BIN * STEP), END);
        assert_eq!(found, [Stretch { interval, value: 64.0 }]);
    }
}
