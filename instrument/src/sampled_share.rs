//! The part of a running time in which stack samples find threads somewhere.

use whyperf_model::Nanos;

/// A part of what was sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampledShare {
    /// The part.
    pub share: f64,
    /// One standard error of it, with what stacks that were cut off may hide.
    pub error: f64,
    /// The running time that was sampled.
    pub sampled: Nanos,
}

impl SampledShare {
    /// Of stack samples that stand for so much each.
    pub(crate) fn of(inside: Nanos, all: Nanos, period: Nanos) -> Self {
        Self::of_part(inside.as_secs_f64() / all.as_secs_f64(), all, period)
    }

    /// A share of so much that was sampled.
    pub(crate) fn of_part(share: f64, all: Nanos, period: Nanos) -> Self {
        let samples = all.as_secs_f64() / period.as_secs_f64();
        // A share of all or nothing is not known without an error either.
        let spread = (share * (1.0 - share)).max(1.0 / (samples + 1.0));
        Self { share, error: (spread / samples).sqrt(), sampled: all }
    }

    /// So much of it may lie there, too.
    pub(crate) fn hiding(self, cut: Nanos) -> Self {
        let hidden = cut.as_secs_f64() / self.sampled.as_secs_f64();
        Self { error: self.error.hypot(hidden), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_samples_know_a_share_better() {
        let of = |seconds: u64| {
            let [half, all] = [seconds, 2 * seconds].map(Nanos::from_secs);
            SampledShare::of(half, all, Nanos::from_millis(5))
        };
        assert_eq!((of(1).share, of(1).sampled), (0.5, Nanos::from_secs(2)));
        assert!((of(1).error - 0.025).abs() < 1e-9 && (of(4).error - 0.0125).abs() < 1e-9);
        let none = SampledShare::of(Nanos::ZERO, Nanos::from_secs(2), Nanos::from_millis(5));
        assert!(none.error > 0.0 && none.error < 0.01);
    }
}
