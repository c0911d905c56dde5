//! What a counter or a gauge of the program's own came to: TAU calls both user events.
//!
//! A counter is a sum. A gauge has values, of which the least, the most, the mean and the deviation are known. The program alone knows the
//! unit of either, and may say it in the name: `heap [KiB]`.

/// Which of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UserEventKind {
    /// The program adds to it.
    Counter,
    /// The program tells its value.
    Gauge,
}

/// What one came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserEventTotals {
    /// How often the program told of it.
    pub count: u64,
    /// All amounts, added up; `None` where that is beyond 64 bits.
    pub sum: Option<i64>,
    /// Of a gauge: the least and the most.
    pub extremes: Option<[i64; 2]>,
    /// Of a gauge: the sum of the squares.
    pub squares: Option<u128>,
}

/// A counter or a gauge at one callpath of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserEventRow {
    /// What the program calls it.
    pub name: String,
    /// Which of both it is. A program may use one name for both.
    pub kind: UserEventKind,
    /// Rank, or process id outside MPI.
    pub process: u32,
    /// Number of the thread in its process.
    pub thread: u32,
    /// Regions and functions in which the program told of it, from the outside in.
    pub path: Vec<String>,
    /// What it came to.
    pub totals: UserEventTotals,
}

impl UserEventKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Counter, Self::Gauge];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
        }
    }

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl UserEventTotals {
    /// With what another thread or path came to.
    #[must_use]
    pub fn with(self, other: &Self) -> Self {
        let extremes = self.extremes.zip(other.extremes);
        let squares = self.squares.zip(other.squares);
        Self {
            count: self.count.saturating_add(other.count),
            sum: self.sum.zip(other.sum).and_then(|(one, other)| one.checked_add(other)),
            extremes: extremes.map(|(one, other)| [one[0].min(other[0]), one[1].max(other[1])]),
            squares: squares.and_then(|(one, other)| one.checked_add(other)),
        }
    }

    /// The mean of the values; `None` of nothing.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 15 digits")]
    pub fn mean(&self) -> Option<f64> {
        self.sum.filter(|_| self.count > 0).map(|sum| sum as f64 / self.count as f64)
    }

    /// The standard deviation of the values around their mean, of all of them and not of a sample.
    ///
    /// n Σ x² − (Σ x)² is taken of whole numbers: of values that lie close together and far from zero, fractions would keep nothing.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a deviation needs no more than 15 digits")]
    pub fn deviation(&self) -> Option<f64> {
        let (squares, sum) = self.squares.zip(self.sum).filter(|_| self.count > 0)?;
        let (count, sum) = (u128::from(self.count), u128::from(sum.unsigned_abs()));
        let spread = match count.checked_mul(squares) {
            Some(all) => all.saturating_sub(sum * sum) as f64,
            None => (count as f64 * squares as f64 - sum as f64 * sum as f64).max(0.0),
        };
        Some(spread.sqrt() / count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gauge(values: &[i64]) -> UserEventTotals {
        let one = |value: &i64| UserEventTotals {
            count: 1,
            sum: Some(*value),
            extremes: Some([*value; 2]),
            squares: Some(u128::from(value.unsigned_abs()).pow(2)),
        };
        let all = values.iter().map(one);
        all.reduce(|sum, one| sum.with(&one)).expect("there are values")
    }

    #[test]
    fn values_far_from_zero_keep_their_deviation() {
        let far = 1_000_000_000_000;
        let all = gauge(&[far - 1, far + 1, far - 1, far + 1]);
        assert_eq!((all.extremes, all.count), (Some([far - 1, far + 1]), 4));
        assert_eq!(all.mean().zip(all.deviation()), Some((1e12, 1.0)));
    }

    #[test]
    fn a_sum_that_does_not_fit_is_not_known() {
        let all = gauge(&[i64::MAX, i64::MAX]);
        assert_eq!((all.sum, all.mean(), all.deviation()), (None, None, None));
    }
}
