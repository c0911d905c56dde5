//! What repeated runs of the same came to: their mean, and how far they lie apart.

use serde::Serialize;

/// One value for each trial of which it is known. What is no number is not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Trials {
    values: Vec<f64>,
    /// What each value counts beside the others: of an estimate the number of samples, otherwise 1.
    #[serde(skip)]
    weights: Vec<f64>,
}

impl Trials {
    /// These values; what is no finite number is left out.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = f64>) -> Self {
        Self::weighted(values.into_iter().map(|value| (value, 1.0)))
    }

    /// Values that are known more or less well, with the weight of each; what is no finite number, or has no weight, is left out.
    #[must_use]
    pub fn weighted(values: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let is_known = |(value, weight): &(f64, f64)| value.is_finite() && *weight > 0.0;
        let (values, weights) = values.into_iter().filter(is_known).unzip();
        Self { values, weights }
    }

    /// Something of each value, which counts as much.
    #[must_use]
    pub(super) fn map(&self, of: impl Fn(f64) -> f64) -> Self {
        Self {
            values: self.values.iter().map(|value| of(*value)).collect(),
            weights: self.weights.clone(),
        }
    }

    /// The values, in the order of the trials.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// What each of the values counts.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// How many trials it is known of, for arithmetic.
    #[must_use]
    pub fn count(&self) -> f64 {
        f64::from(u32::try_from(self.values.len()).unwrap_or(u32::MAX))
    }

    /// How many trials that count the same would tell as much of how they vary: nearly one where one counts for nearly all of them.
    #[must_use]
    pub fn effective_count(&self) -> f64 {
        let all: f64 = self.weights.iter().sum();
        let squares: f64 = self.weights.iter().map(|weight| weight.powi(2)).sum();
        if squares > 0.0 { all.powi(2) / squares } else { 0.0 }
    }

    /// Their mean; none where nothing is known.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        // Divided first: the sum of large numbers may be none.
        (!self.values.is_empty()).then(|| self.parts().map(|(value, part)| value * part).sum())
    }

    /// The variance of what they were drawn from, as estimated from them; none of less than two.
    #[must_use]
    pub fn variance(&self) -> Option<f64> {
        let mean = self.mean().filter(|_| self.values.len() > 1)?;
        let squares: f64 = self.parts().map(|(value, part)| part * (value - mean).powi(2)).sum();
        let count = self.effective_count();
        // Beside a trial of a weight without end the others tell nothing.
        (count > 1.0).then(|| squares * count / (count - 1.0))
    }

    /// Each value with its part of all weights.
    fn parts(&self) -> impl Iterator<Item = (f64, f64)> {
        let all: f64 = self.weights.iter().sum();
        self.values.iter().zip(&self.weights).map(move |(value, weight)| (*value, weight / all))
    }

    /// Their standard deviation, in the unit of the values.
    #[must_use]
    pub fn spread(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }
}

impl FromIterator<f64> for Trials {
    fn from_iter<T: IntoIterator<Item = f64>>(values: T) -> Self {
        Self::new(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_spread_are_those_of_the_sample() {
        let trials = Trials::new([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!(trials.mean(), Some(5.0));
        assert!((trials.variance().expect("eight values") - 32.0 / 7.0).abs() < 1e-12);
    }

    #[test]
    fn a_value_that_is_known_better_counts_more() {
        let trials = Trials::weighted([(2.0, 30.0), (6.0, 10.0), (9.0, 0.0)]);
        assert_eq!((trials.mean(), trials.count()), (Some(3.0), 2.0));
        // They tell as much as 1.6 trials that count the same.
        assert_eq!(trials.effective_count(), 1.6);
        let variance = trials.variance().expect("two values");
        assert!((variance - 8.0).abs() < 1e-12, "{variance}");
    }

    #[test]
    fn what_is_no_number_is_not_known() {
        let trials = Trials::new([f64::NAN, 3.0, f64::INFINITY]);
        assert_eq!(
            (trials.values(), trials.mean(), trials.spread()),
            (&[3.0][..], Some(3.0), None)
        );
        assert_eq!(Trials::default().mean(), None);
    }
}
