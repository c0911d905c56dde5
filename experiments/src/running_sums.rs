//! Reads samples of any intervals from a histogram: the amount between two moments is the difference of two running sums,
//! so amounts of adjoining intervals add up.

use whyperf_model::{Histogram, Interval, Nanos, Sample, Time};

/// The running sums of a histogram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunningSums {
    width: u64,
    /// Amount and covered time before each bin, and after the last.
    before: Vec<(i128, u64)>,
}

impl RunningSums {
    pub(crate) fn new(histogram: &Histogram) -> Self {
        let mut before = vec![(0, 0)];
        for bin in histogram.bins() {
            let (amount, covered) = before[before.len() - 1];
            before.push((amount + bin.amount, covered + bin.covered.0));
        }
        Self { width: histogram.width().0.max(1), before }
    }

    /// What was measured in an interval; where less than half of it was covered, a sample in which no process reported.
    pub(crate) fn sample(&self, interval: Interval) -> Option<Sample> {
        if interval.is_empty() {
            return None;
        }
        let ((from, covered_from), (to, covered_to)) =
            (self.until(interval.start), self.until(interval.end));
        let covered = Nanos(covered_to.saturating_sub(covered_from));
        let is_known = covered.0 * 2 >= interval.length().0;
        let amount = if is_known { i64::try_from(to - from).unwrap_or(i64::MAX) } else { 0 };
        Some(Sample { interval, amount, reported: u32::from(is_known), expected: 1 })
    }

    fn until(&self, time: Time) -> (i128, u64) {
        let bin = usize::try_from(time.0.0 / self.width).unwrap_or(usize::MAX);
        let Some([(amount, covered), (next_amount, next_covered)]) =
            self.before.get(bin..).and_then(|rest| rest.first_chunk())
        else {
            return self.before[self.before.len() - 1];
        };
        let part = time.0.0 % self.width;
        let share = |grown: i128| grown * i128::from(part) / i128::from(self.width);
        let covered_part = share(i128::from(next_covered - covered));
        let covered = covered + u64::try_from(covered_part).unwrap_or(0);
        (amount + share(next_amount - amount), covered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_add_up_and_what_is_not_covered_is_not_known() {
        let mut histogram = Histogram::new(8, Nanos(100));
        let span = |start, end| Interval::new(Time(Nanos(start)), Time(Nanos(end)));
        histogram.add(span(100, 400), 999);
        let sums = RunningSums::new(&histogram);
        let cut =
            [100, 133, 250, 251, 400].windows(2).map(|ends| sums.sample(span(ends[0], ends[1])));
        assert_eq!(cut.flatten().map(|sample| sample.amount).sum::<i64>(), 999);
        assert_eq!(sums.sample(span(0, 100)).map(|sample| sample.reported), Some(0));
        assert_eq!(sums.sample(span(500, 9000)).map(|sample| sample.reported), Some(0));
        assert_eq!(sums.sample(span(5, 5)), None);
    }
}
