//! What stretches with and without measuring come to: by how much slower the program is with it, and how sure that is.
//!
//! Of each pair the logarithm of the ratio of both rates counts; their mean has an interval of 95 % by Student's distribution.

use statrs::distribution::{ContinuousCDF as _, StudentsT};
use whyperf_daemon::Milestone;

use super::order::State;

/// A stretch that is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CheckedStretch {
    pub(crate) state: State,
    /// Milestones a second; `None` where there were hardly any.
    pub(crate) rate: Option<f64>,
    pub(crate) unclean: Option<Unclean>,
}

/// Why a stretch tells nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unclean {
    /// A process did not pause in time.
    NotPaused,
    /// Whyperf was still at work.
    Busy,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CheckedCost {
    /// What the program's progress is known by; `None` where there is no such thing.
    pub(crate) milestone: Option<Milestone>,
    /// `None` where too few pairs tell something.
    pub(crate) estimate: Option<Estimate>,
    /// Pairs of which one half told nothing.
    pub(crate) left_out: usize,
    /// Pairs in all.
    pub(crate) pairs: usize,
}

/// By how much slower a program is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    /// 0.01: it takes 1 % longer.
    pub(crate) slower: f64,
    pub(crate) plus_minus: f64,
    /// Milestones a second, without measuring.
    pub(crate) rate: f64,
}

impl CheckedCost {
    /// Of stretches in their order, two of which are a pair each.
    pub(crate) fn of(milestone: Option<Milestone>, stretches: &[CheckedStretch]) -> Self {
        let pairs = stretches.chunks_exact(2);
        let count = pairs.len();
        let told: Vec<(f64, f64)> = pairs.filter_map(rates).collect();
        let left_out = count - told.len();
        Self { milestone, estimate: estimate(&told), left_out, pairs: count }
    }
}

/// The rates with and without measuring, if both are known.
fn rates(pair: &[CheckedStretch]) -> Option<(f64, f64)> {
    let of = |state| {
        let clean = pair.iter().filter(|one| one.state == state && one.unclean.is_none());
        clean.filter_map(|one| one.rate).next()
    };
    of(State::On).zip(of(State::Off))
}

fn estimate(pairs: &[(f64, f64)]) -> Option<Estimate> {
    if pairs.len() < FEWEST {
        return None;
    }
    let logs: Vec<f64> = pairs.iter().map(|(on, off)| (off / on).ln()).collect();
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let variance = logs.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let quantile = StudentsT::new(0.0, 1.0, count - 1.0).ok()?.inverse_cdf(0.975);
    let factor = mean.exp();
    let rate = pairs.iter().map(|(_, off)| off).sum::<f64>() / count;
    let plus_minus = factor * quantile * (variance / count).sqrt();
    Some(Estimate { slower: factor - 1.0, plus_minus, rate })
}

/// Fewer pairs tell nothing: their own spread is not known.
const FEWEST: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measuring::cost_check::order::state_of;

    /// Stretches of a program that gets faster by itself and is slower by a tenth where it is measured.
    fn stretches(count: usize) -> Vec<CheckedStretch> {
        let one = |at: usize| {
            let state = state_of(at);
            // No period of small numbers: the order of the stretches keeps step with threes.
            let noise = 0.99 + 0.02 * (at as f64 * 0.754_877_666).fract();
            let slower = if state == State::On { 1.1 } else { 1.0 };
            let rate = noise * (100.0 + at as f64) / slower;
            CheckedStretch { state, rate: Some(rate), unclean: None }
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn a_tenth_is_found_within_its_interval_though_the_program_gets_faster() {
        let found = CheckedCost::of(None, &stretches(64)).estimate.expect("pairs are many");
        assert!((found.slower - 0.1).abs() <= found.plus_minus, "{found:?}");
        assert!(found.plus_minus < 0.02, "{found:?}");
    }

    #[test]
    fn few_pairs_tell_nothing_and_unclean_ones_are_counted() {
        let mut few = stretches(2 * FEWEST);
        assert!(CheckedCost::of(None, &few).estimate.is_some());
        few[3].unclean = Some(Unclean::Busy);
        let found = CheckedCost::of(None, &few);
        assert_eq!((found.estimate, found.left_out, found.pairs), (None, 1, FEWEST));
    }
}
