//! By how much the estimate for the gaps between windows may be off, by how much the rates differ from one window to the next.
//!
//! ```text
//!   window   gap    window   gap    window        each rate stands for half of the gap at either side of it,
//!     r0  ├─────────┤ r1  ├─────────┤ r2          and is off by about as much as it differs from its neighbours
//! ```
//! Of neighbours that differ by `d` each is off by `d²/2` in the mean (von Neumann's estimate of a variance, which a slow change
//! of the rate does not blow up). A gap with one known end is as uncertain as the others are in the mean.

use std::iter::Sum;

/// By how much an estimate may be off, with 95 of 100.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct EstimateError {
    /// The square of what is off independently in each function and process.
    pub(crate) squared: f64,
    /// What is off in all of them alike.
    pub(crate) common: f64,
}

impl EstimateError {
    /// Both together.
    pub(crate) fn whole(self) -> f64 {
        self.squared.sqrt() + self.common
    }
}

impl Sum for EstimateError {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        let add = |sum: Self, one: Self| Self {
            squared: sum.squared + one.squared,
            common: sum.common + one.common,
        };
        all.fold(Self::default(), add)
    }
}

/// Sums over the gaps of one function of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct GapError {
    /// Variance of the gaps with two ends.
    variance: f64,
    /// Squared differences of neighbours, and how many.
    differences: f64,
    count: u32,
    /// Squared lengths of gaps with one end.
    open: f64,
}

impl GapError {
    /// A gap between two rates.
    pub(crate) fn between(&mut self, before: f64, after: f64, gap: f64) {
        let squared = (after - before).powi(2);
        self.variance += squared / 2.0 * gap.powi(2);
        self.differences += squared;
        self.count += 1;
    }

    /// A gap with a rate at one end.
    pub(crate) fn beside(&mut self, gap: f64) {
        self.open += gap.powi(2);
    }

    /// Whether rates can be compared.
    pub(crate) const fn is_known(self) -> bool {
        self.count > 0
    }

    /// The square of what 95 of 100 estimates are off by at most; `None` where no rates can be compared.
    pub(crate) fn squared(self) -> Option<f64> {
        let count = f64::from(self.count);
        let one = self.differences / (2.0 * count);
        self.is_known().then(|| (self.variance + one * self.open) * sure(count).powi(2))
    }
}

/// How many standard deviations have 95 of 100, where the deviation itself is known from so few differences: Student's quantile, of two
/// thirds as many degrees of freedom, for neighbouring differences share a rate.
fn sure(differences: f64) -> f64 {
    let freedom = (differences / 1.5).max(1.0);
    1.96 + 2.4 / freedom + 2.8 / freedom.powi(2) + 5.5 / freedom.powi(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates between 0 and 2 at the ends of gaps of one length: what the gaps bring by the trapezoids, of one for each nanosecond.
    fn estimate(seed: &mut u64, windows: u32) -> (f64, GapError) {
        let mut rate = || {
            *seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            2.0 * f64::from((*seed >> 33) as u32) / f64::from(1_u32 << 31)
        };
        let (mut sum, mut error, mut before) = (0.0, GapError::default(), rate());
        for _ in 1..windows {
            let after = rate();
            sum += 10.0 * f64::midpoint(before, after);
            error.between(before, after, 10.0);
            before = after;
        }
        (sum, error)
    }

    #[test]
    fn ninety_five_of_a_hundred_are_within_whatever_the_number_of_windows() {
        for windows in [3, 5, 10, 40] {
            let mut seed = u64::from(windows);
            let is_within = |_: &u32| {
                let (sum, error) = estimate(&mut seed, windows);
                let known = 10.0 * f64::from(windows - 1);
                (sum - known).abs() <= error.squared().expect("there are gaps").sqrt()
            };
            let within = (0..4000).filter(is_within).count();
            assert!((3600..=3960).contains(&within), "{windows} windows: {within} of 4000");
        }
    }

    #[test]
    fn a_steady_rate_is_sure_and_one_alone_says_nothing() {
        let mut error = GapError::default();
        error.beside(5.0);
        assert_eq!(error.squared(), None);
        error.between(0.5, 0.5, 10.0);
        assert_eq!(error.squared(), Some(0.0));
    }

    #[test]
    fn what_is_off_everywhere_alike_does_not_cancel() {
        let one = EstimateError { squared: 9.0, common: 1.0 };
        let four = [one; 4].into_iter().sum::<EstimateError>().whole();
        assert!((four - 10.0).abs() < 1e-9, "{four}");
    }
}
