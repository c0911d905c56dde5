//! Checks the promises of a histogram for any amounts, added in any order.

use proptest::prelude::*;
use whyperf_model::{Histogram, Interval, Nanos, Time};

const BINS: usize = 16;
const WIDTH: Nanos = Nanos(10);

/// What can be done to a histogram.
#[derive(Clone, Debug)]
enum Action {
    Add(Interval, i64),
    Fold,
}

fn interval(start: u64, length: u64) -> Interval {
    Interval::new(Time(Nanos(start)), Time(Nanos(start + length)))
}

fn empty() -> Histogram {
    Histogram::new(BINS, WIDTH)
}

/// Starts far beyond the first bins too, so that adding has to fold; empty intervals too.
fn additions() -> impl Strategy<Value = Vec<(Interval, i64)>> {
    let one = (0..3000_u64, 0..90_u64, any::<i64>());
    let each = one.prop_map(|(start, length, amount)| (interval(start, length), amount));
    prop::collection::vec(each, 0..40)
}

/// Intervals that do not overlap, as the samples of one pair; with gaps, and in any order.
fn samples() -> impl Strategy<Value = Vec<(Interval, i64)>> {
    let one = (0..40_u64, 0..60_u64, -1_000_000..1_000_000_i64);
    let all = prop::collection::vec(one, 0..40).prop_map(|steps| {
        let mut now = 0;
        let mut found = Vec::new();
        for (gap, length, amount) in steps {
            found.push((interval(now + gap, length), amount));
            now += gap + length;
        }
        found
    });
    all.prop_shuffle()
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let add = additions().prop_map(|all| {
        all.into_iter().map(|(interval, amount)| Action::Add(interval, amount)).collect::<Vec<_>>()
    });
    (add, prop::collection::vec(any::<prop::sample::Index>(), 0..4)).prop_map(|(mut all, folds)| {
        for fold in folds {
            let at = fold.index(all.len() + 1);
            all.insert(at, Action::Fold);
        }
        all
    })
}

fn filled(additions: &[(Interval, i64)]) -> Histogram {
    let mut histogram = empty();
    for (interval, amount) in additions {
        histogram.add(*interval, *amount);
    }
    histogram
}

fn folded_to(mut histogram: Histogram, width: Nanos) -> Histogram {
    while histogram.width() < width {
        histogram.fold();
    }
    histogram
}

proptest! {
    #[test]
    fn sums_are_conserved_in_any_order_of_adding_and_folding(actions in actions()) {
        let mut histogram = empty();
        let mut sum = 0;
        for action in actions {
            match action {
                Action::Add(interval, amount) => {
                    histogram.add(interval, amount);
                    sum += i128::from(amount);
                }
                Action::Fold => histogram.fold(),
            }
            prop_assert_eq!(histogram.whole().amount, sum);
            prop_assert_eq!(histogram.bins().len(), BINS);
        }
    }

    #[test]
    fn coverage_is_never_above_the_width(actions in actions()) {
        let mut histogram = empty();
        for action in actions {
            match action {
                Action::Add(interval, amount) => histogram.add(interval, amount),
                Action::Fold => histogram.fold(),
            }
            prop_assert!(histogram.bins().iter().all(|bin| bin.covered <= histogram.width()));
        }
    }

    #[test]
    fn folding_after_adding_is_adding_at_the_double_width(samples in samples(), folds in 0..4_u32) {
        let width = filled(&samples).width().0 << folds;
        let mut wide = Histogram::new(BINS, Nanos(width));
        for (interval, amount) in &samples {
            wide.add(*interval, *amount);
        }
        prop_assert_eq!(folded_to(filled(&samples), wide.width()), wide);
    }

    #[test]
    fn the_order_of_samples_does_not_matter(samples in samples()) {
        let mut sorted = samples.clone();
        sorted.sort();
        prop_assert_eq!(filled(&samples), filled(&sorted));
    }

    #[test]
    fn all_of_the_measured_time_is_covered_once(samples in samples()) {
        let length: u64 = samples.iter().map(|(interval, _)| interval.length().0).sum();
        prop_assert_eq!(filled(&samples).whole().covered, Nanos(length));
    }

    #[test]
    fn adjoining_readings_never_count_anything_twice(samples in samples(), cut in 0..4000_u64) {
        let positive: Vec<_> = samples.into_iter().map(|(when, amount)| (when, amount.abs())).collect();
        let histogram = filled(&positive);
        let (before, after) = (interval(0, cut), interval(cut, 10_000));
        let (before, after) = (histogram.reading(before), histogram.reading(after));
        let whole = histogram.whole();
        let missing = whole.amount - before.amount - after.amount;
        prop_assert!((0..=1).contains(&missing), "{missing} missing of {}", whole.amount);
        prop_assert!(before.covered + after.covered <= whole.covered);
    }
}

#[test]
fn not_measured_is_not_zero() {
    let mut histogram = empty();
    histogram.add(interval(0, 10), 0);
    assert_eq!(histogram.bins()[0].rate(), Some(0.0));
    assert_eq!(histogram.bins()[1].rate(), None);
    assert_eq!(histogram.reading(interval(10, 30)).rate(), None);
    assert_eq!(histogram.known_until(), Time(Nanos(10)));
}

#[test]
fn a_bin_covered_by_half_reads_the_right_rate() {
    let mut histogram = empty();
    histogram.add(interval(5, 5), 50);
    assert_eq!(histogram.bins()[0].rate(), Some(10.0));
    histogram.fold();
    assert_eq!(histogram.bins()[0].rate(), Some(10.0));
    assert_eq!(histogram.bins()[0].covered, Nanos(5));
}

#[test]
fn bursts_survive_a_fold() {
    let mut histogram = empty();
    histogram.add(interval(0, 10), 100);
    histogram.add(interval(10, 10), 0);
    histogram.fold();
    let extremes = histogram.bins()[0].extremes.expect("it was measured");
    assert_eq!((extremes.low, extremes.high), (0.0, 10.0));
}

#[test]
fn an_empty_interval_adds_its_amount_and_covers_nothing() {
    let mut histogram = empty();
    histogram.add(interval(25, 0), 7);
    assert_eq!(histogram.bins()[2].amount, 7);
    assert_eq!(histogram.bins()[2].covered, Nanos::ZERO);
    assert_eq!(histogram.bins()[2].extremes, None);
    histogram.add(interval(BINS as u64 * WIDTH.0, 0), 1);
    assert_eq!(histogram.width(), Nanos(20));
    assert_eq!(histogram.whole().amount, 8);
}

#[test]
fn the_ends_of_time_are_ordinary_times() {
    let mut histogram = Histogram::default();
    histogram.add(Interval::new(Time(Nanos(u64::MAX - 10)), Time(Nanos(u64::MAX))), i64::MAX);
    histogram.add(Interval::new(Time::ZERO, Time(Nanos(u64::MAX))), i64::MIN);
    assert_eq!(histogram.whole().amount, -1);
    assert!(histogram.bins().iter().all(|bin| bin.covered <= histogram.width()));
}

#[test]
fn there_is_no_wrong_shape() {
    let mut odd = Histogram::new(0, Nanos::ZERO);
    odd.add(interval(0, 1000), 1000);
    assert_eq!(odd.bins().len(), 2);
    assert_eq!(odd.whole().amount, 1000);
    assert_eq!(Histogram::new(7, WIDTH).bins().len(), 8);
}
