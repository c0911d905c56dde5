//! By how much something grew, as a logarithm, with a standard error of which more may be known than two sets of trials tell.

use super::discrete_distance::Delta;

/// The growth from one set of trials to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LogGrowth {
    /// The natural logarithm of the factor.
    pub(crate) growth: f64,
    /// Its standard error; none where nothing is known of chance.
    pub(crate) error: Option<f64>,
    /// The degrees of freedom of the variance that the error comes of.
    pub(crate) freedom: f64,
}

impl Delta {
    /// Whether something that grew so much differs. An amount is none of a factor.
    pub(crate) fn is_growth(&self, of: &LogGrowth) -> bool {
        // The change as a part of the larger of the two.
        let change = 1.0 - (-of.growth.abs()).exp();
        match *self {
            Self::Absolute(_) => false,
            Self::Relative(delta) => change > 0.0 && change >= delta,
            Self::Statistical { least, .. } => {
                let is_sure = |error| self.rules_out_chance(of.growth, error, of.freedom);
                change > 0.0 && change >= least && of.error.is_some_and(is_sure)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growth_is_judged_by_its_size_and_its_error() {
        let of = |factor: f64, error| LogGrowth { growth: factor.ln(), error, freedom: 24.0 };
        let sure = Delta::Statistical { confidence: 0.999, least: 0.02 };
        assert!(sure.is_growth(&of(1.2, Some(0.03))));
        assert!(sure.is_growth(&of(1.0 / 1.2, Some(0.03))));
        assert!(!sure.is_growth(&of(1.2, Some(0.06))), "chance explains it");
        assert!(!sure.is_growth(&of(1.01, Some(0.0))), "it does not matter");
        assert!(!sure.is_growth(&of(1.2, None)));
        assert!(sure.is_growth(&of(1.2, Some(0.0))), "exact counts");
        assert!(Delta::Relative(0.1).is_growth(&of(1.2, None)));
        assert!(!Delta::Relative(0.2).is_growth(&of(1.2, None)), "of the larger of the two");
    }
}
