//! One line of such a table.

use super::general_number::general;

/// What a function came to, in microseconds or in counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TableRow {
    pub(super) calls: f64,
    pub(super) subcalls: f64,
    pub(super) exclusive: f64,
    pub(super) inclusive: f64,
    /// Of a call, where that is not the quotient of the others.
    pub(super) per_call: Option<f64>,
}

impl TableRow {
    /// Adds another one.
    pub(super) fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.subcalls += other.subcalls;
        self.exclusive += other.exclusive;
        self.inclusive += other.inclusive;
    }

    /// All of them together.
    pub(super) fn sum(rows: &[Self]) -> Self {
        let mut sum = Self::default();
        rows.iter().for_each(|row| sum.add(row));
        sum
    }

    /// A part of it.
    pub(super) fn by(self, count: f64) -> Self {
        Self {
            calls: self.calls / count,
            subcalls: self.subcalls / count,
            exclusive: self.exclusive / count,
            inclusive: self.inclusive / count,
            per_call: None,
        }
    }

    /// The standard deviation over so many threads, of which some may have no row.
    pub(super) fn deviation(rows: &[Self], count: f64) -> Self {
        let deviation = |of: fn(&Self) -> f64| {
            let mean = rows.iter().map(of).sum::<f64>() / count;
            let squares = rows.iter().map(|row| (of(row) - mean).powi(2)).sum::<f64>();
            let without = (count - rows.len() as f64) * mean.powi(2);
            ((squares + without) / count).sqrt()
        };
        let called: Vec<f64> = rows
            .iter()
            .filter(|row| row.calls > 0.0)
            .map(|row| row.inclusive / row.calls)
            .collect();
        let of_calls = called.len().max(1) as f64;
        let mean = called.iter().sum::<f64>() / of_calls;
        let squares: f64 = called.iter().map(|value| (value - mean).powi(2)).sum();
        Self {
            calls: deviation(|row| row.calls),
            subcalls: deviation(|row| row.subcalls),
            exclusive: deviation(|row| row.exclusive),
            inclusive: deviation(|row| row.inclusive),
            per_call: Some((squares / of_calls).sqrt()),
        }
    }

    /// The numbers, of a whole of so much.
    pub(super) fn numbers(&self, whole: f64, is_time: bool) -> String {
        let [calls, subcalls] = [self.calls, self.subcalls].map(|number| general(number, 6));
        if self.inclusive <= 0.0 {
            return format!(
                "  0.0            0            0 {calls:>11} {subcalls:>11}          0"
            );
        }
        let share = 100.0 * self.inclusive / whole;
        let per_call = self.per_call.unwrap_or(self.inclusive / self.calls);
        let times = [self.exclusive, self.inclusive];
        let [exclusive, inclusive] = if is_time {
            times.map(clock)
        } else {
            times.map(|count| format!(" {:>10}", general(count, 4)))
        };
        format!("{share:5.1} {exclusive} {inclusive} {calls:>11} {subcalls:>11} {per_call:>10.0}")
    }
}

/// Microseconds as hours, minutes, seconds and milliseconds, whichever it takes.
fn clock(micros: f64) -> String {
    if micros < 1e3 {
        return format!("   {:>9}", general(micros / 1e3, 3));
    }
    let whole = |value: f64| value.trunc();
    let milliseconds = whole((micros / 1e3) % 1e3);
    let seconds = whole((micros / 1e6) % 60.0);
    let minutes = whole((micros / 60e6) % 60.0);
    let hours = whole(micros / 3.6e9);
    if hours > 0.0 {
        format!("{hours:2}:{minutes:02}:{seconds:02}.{milliseconds:03}")
    } else if minutes > 0.0 {
        format!("   {minutes:2}:{seconds:02}.{milliseconds:03}")
    } else if seconds > 0.0 {
        format!("      {seconds:2},{milliseconds:03}")
    } else {
        format!("         {milliseconds:3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_as_long_as_they_need_to_be() {
        let told =
            [0.0, 38.0, 999.9, 1000.0, 12_345.0, 1_167_000.0, 44e6, 70_733_442.0, 3.661_001e9]
                .map(clock);
        assert_eq!(
            told,
            [
                "           0",
                "       0.038",
                "           1",
                "           1",
                "          12",
                "       1,167",
                "      44,000",
                "    1:10.733",
                " 1:01:01.001",
            ]
        );
    }

    #[test]
    fn who_never_called_a_function_counts_in_the_deviation() {
        let row = TableRow { calls: 2.0, inclusive: 8.0, ..TableRow::default() };
        let deviation = TableRow::deviation(&[row], 2.0);
        assert_eq!(
            (deviation.calls, deviation.inclusive, deviation.per_call),
            (1.0, 4.0, Some(0.0))
        );
    }
}
