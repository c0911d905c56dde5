//! Repeated measurements in three numbers.

/// Least, middle and greatest of some repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) least: f64,
    pub(crate) middle: f64,
    pub(crate) greatest: f64,
}

impl Spread {
    /// Of at least one value.
    pub(crate) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let middle = values[values.len() / 2];
        Self { least: values[0], middle, greatest: values[values.len() - 1] }
    }

    /// Whether a value lies within.
    pub(crate) fn holds(&self, value: f64) -> bool {
        (self.least..=self.greatest).contains(&value)
    }

    /// `2.50 (1.00 to 3.00)`.
    pub(crate) fn shown(&self, unit: f64) -> String {
        let [least, middle, greatest] = [self.least, self.middle, self.greatest].map(|x| x * unit);
        format!("{middle:.2} ({least:.2} to {greatest:.2})")
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn a_spread_orders_its_values() {
        let spread = Spread::of(vec![3.0, 1.0, 2.5]);
        assert_eq!(spread.shown(10.0), "25.00 (10.00 to 30.00)");
        assert!(spread.holds(3.0) && !spread.holds(3.1));
    }
}
