//! Performance distance: by how much two program events differ, as one number from 0 on.
//!
//! The paper names two ways and leaves both open. Both are of pairs that both events have results of. A result is *normalized* before:
//! divided by the larger of what the two events came to for the same metric over the whole program, so that seconds and messages
//! can be added, and 0.1 is a tenth of all there was. With it
//!
//! * the *Euclidean* distance is the root of the sum of squares of the differences;
//! * the *weighted mean* is the mean of the differences, each with the larger of its two results as its weight: what takes little of the
//!   program says little.

use whyperf_model::{Focus, Metric, Pair};

/// What a pair came to in both events.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedResult {
    /// What was measured, where.
    pub pair: Pair,
    /// In the first event, in the unit of the metric.
    pub a: f64,
    /// In the second.
    pub b: f64,
}

/// Normalized, of each pair whose metric is known of the whole program: the difference, and the larger of the two.
fn normalized(results: &[PairedResult]) -> Vec<(f64, f64)> {
    let whole = Focus::whole_program();
    let scale = |metric: Metric| {
        let of_whole =
            results.iter().find(|one| one.pair.metric == metric && one.pair.focus == whole);
        of_whole.map(|one| one.a.abs().max(one.b.abs())).filter(|scale| *scale > 0.0)
    };
    let finite = results.iter().filter(|one| one.a.is_finite() && one.b.is_finite());
    finite
        .filter_map(|one| {
            let scale = scale(one.pair.metric)?;
            let difference = (one.a / scale - one.b / scale).abs();
            Some((difference, (one.a.abs() / scale).max(one.b.abs() / scale)))
        })
        .collect()
}

/// The Euclidean distance; `None` where the events have no result in common.
#[must_use]
pub fn euclidean(results: &[PairedResult]) -> Option<f64> {
    let all = normalized(results);
    let squares = all.iter().map(|(difference, _)| difference.powi(2));
    (!all.is_empty()).then(|| squares.sum::<f64>().sqrt())
}

/// The weighted mean of the differences; `None` where the events have no result in common.
#[must_use]
pub fn weighted_mean(results: &[PairedResult]) -> Option<f64> {
    let all = normalized(results);
    let weights: f64 = all.iter().map(|(_, weight)| weight).sum();
    let sum: f64 = all.iter().map(|(difference, weight)| difference * weight).sum();
    (!all.is_empty()).then(|| if weights > 0.0 { sum / weights } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(metric: Metric, focus: &str, a: f64, b: f64) -> PairedResult {
        PairedResult { pair: Pair::new(metric, focus.parse().expect("well formed")), a, b }
    }

    #[test]
    fn units_do_not_count_and_small_parts_say_little() {
        let in_seconds = [
            result(Metric::Cpu, "<>", 10.0, 8.0),
            result(Metric::Cpu, "</Process/0>", 6.0, 4.0),
            result(Metric::Cpu, "</Process/1>", 4.0, 4.0),
        ];
        let in_nanoseconds = in_seconds.clone().map(|one| PairedResult {
            pair: one.pair,
            a: one.a * 1e9,
            b: one.b * 1e9,
        });
        let distance = euclidean(&in_seconds).expect("three results");
        assert!((distance - (0.04f64 + 0.04).sqrt()).abs() < 1e-12);
        assert!((euclidean(&in_nanoseconds).expect("three results") - distance).abs() < 1e-9);
        let mean = weighted_mean(&in_seconds).expect("three results");
        assert!((mean - (0.2 * 1.0 + 0.2 * 0.6) / 2.0).abs() < 1e-12, "{mean}");
    }

    #[test]
    fn equal_events_are_at_no_distance_and_strangers_at_none_that_is_known() {
        let equal = [result(Metric::Cpu, "<>", 10.0, 10.0)];
        assert_eq!((euclidean(&equal), weighted_mean(&equal)), (Some(0.0), Some(0.0)));
        assert_eq!((euclidean(&[]), weighted_mean(&[])), (None, None));
        let without_whole = [result(Metric::Cpu, "</Process/0>", 1.0, 2.0)];
        assert_eq!(euclidean(&without_whole), None, "there is nothing to be a part of");
        let unknown = [result(Metric::Cpu, "<>", f64::NAN, 2.0)];
        assert_eq!(weighted_mean(&unknown), None);
    }
}
