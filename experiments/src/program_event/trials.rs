//! What repeated runs of the same came to: their mean, and how far they lie apart.

use serde::Serialize;

/// One value for each trial of which it is known. What is no number is not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Trials(Vec<f64>);

impl Trials {
    /// These values; what is no finite number is left out.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = f64>) -> Self {
        Self(values.into_iter().filter(|value| value.is_finite()).collect())
    }

    /// The values, in the order of the trials.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// How many trials it is known of, for arithmetic.
    #[must_use]
    pub fn count(&self) -> f64 {
        f64::from(u32::try_from(self.0.len()).unwrap_or(u32::MAX))
    }

    /// Their mean; none where nothing is known.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        // Divided first: the sum of large numbers may be none.
        (!self.0.is_empty()).then(|| self.0.iter().map(|value| value / self.count()).sum())
    }

    /// The variance of what they were drawn from, as estimated from them; none of less than two.
    #[must_use]
    pub fn variance(&self) -> Option<f64> {
        let mean = self.mean().filter(|_| self.0.len() > 1)?;
        let squares = self.0.iter().map(|value| (value - mean).powi(2) / (self.count() - 1.0));
        Some(squares.sum())
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
    fn what_is_no_number_is_not_known() {
        let trials = Trials::new([f64::NAN, 3.0, f64::INFINITY]);
        assert_eq!(
            (trials.values(), trials.mean(), trials.spread()),
            (&[3.0][..], Some(3.0), None)
        );
        assert_eq!(Trials::default().mean(), None);
    }
}
