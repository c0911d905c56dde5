//! The two-level callpath profile as a table: where the time of all processes went, the costliest callpaths first.

use std::collections::BTreeMap;

use super::ProfileRow;
use crate::output::terminal::{self, Manner, shortened};

/// The table's lines: a heading and at most `most` rows. `whole` is the time of all threads in seconds.
pub(crate) fn lines(
    profile: &[ProfileRow],
    most: usize,
    whole: f64,
    manner: Manner,
) -> Vec<String> {
    let mut paths = summed(profile);
    paths.sort_by(|(one, a), (other, b)| b.exclusive.total_cmp(&a.exclusive).then(one.cmp(other)));
    let hidden = paths.len().saturating_sub(most);
    paths.truncate(most);
    let columns = manner.width.saturating_sub(NUMBERS + 2).max(LEAST_NAME);
    let mut lines = vec![manner.paint(heading(columns), terminal::FAINT)];
    for (path, sum) in &paths {
        let arrow = manner.either(" → ", " > ");
        let name = shortened(&path.join(arrow), columns, manner);
        let gap = " ".repeat(columns - name.chars().count());
        lines.push(format!("  {name}{gap}{}", sum.numbers(whole)));
    }
    if hidden > 0 {
        lines.push(manner.paint(format!("  and {hidden} more; see --profile"), terminal::FAINT));
    }
    lines
}

/// One callpath over all threads.
#[derive(Clone, Debug, Default)]
struct Sum {
    calls: u64,
    bytes: u64,
    exclusive: f64,
    /// Seconds of each process.
    processes: BTreeMap<u32, f64>,
}

impl Sum {
    fn numbers(&self, whole: f64) -> String {
        let share = if whole > 0.0 { 100.0 * self.exclusive / whole } else { 0.0 };
        let times = self.processes.values();
        let most = times.clone().copied().fold(0.0, f64::max);
        let least = times.copied().fold(f64::INFINITY, f64::min).min(most);
        format!(
            "{:>9}{:>9}{:>9}{:>9}{:>11}{:>10}",
            seconds(self.exclusive),
            format!("{share:.1} %"),
            seconds(least),
            seconds(most),
            count(self.calls),
            bytes(self.bytes)
        )
    }
}

fn heading(columns: usize) -> String {
    let gap = " ".repeat(columns - "callpath".len());
    format!(
        "  callpath{gap}{:>9}{:>9}{:>9}{:>9}{:>11}{:>10}",
        "time", "share", "least", "most", "calls", "bytes"
    )
}

fn summed(profile: &[ProfileRow]) -> Vec<(&[String], Sum)> {
    let mut paths: BTreeMap<&[String], Sum> = BTreeMap::new();
    for row in profile {
        let sum = paths.entry(&row.path).or_default();
        sum.calls += row.calls;
        sum.bytes += row.bytes;
        sum.exclusive += row.exclusive_s;
        *sum.processes.entry(row.process).or_default() += row.exclusive_s;
    }
    paths.into_iter().collect()
}

/// Seconds with a unit that keeps the number short.
fn seconds(value: f64) -> String {
    match value {
        _ if value >= 100.0 => format!("{value:.0} s"),
        _ if value >= 1.0 => format!("{value:.2} s"),
        _ if value >= 1e-3 => format!("{:.1} ms", value * 1e3),
        _ if value > 0.0 => format!("{:.1} us", value * 1e6),
        _ => "0 s".to_owned(),
    }
}

/// Calls, with a space between thousands.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[expect(clippy::cast_precision_loss, reason = "a size to be shown needs three digits")]
fn bytes(value: u64) -> String {
    let mut size = value as f64;
    for unit in ["B", "KiB", "MiB", "GiB", "TiB"] {
        if size < 1000.0 || unit == "TiB" {
            let digits = usize::from(unit != "B" && size < 100.0);
            return if value == 0 { String::new() } else { format!("{size:.digits$} {unit}") };
        }
        size /= 1024.0;
    }
    String::new()
}

/// Columns of a callpath's name, even where rows become wider than the terminal.
const LEAST_NAME: usize = 24;
/// Columns of all numbers of a row.
const NUMBERS: usize = 9 + 9 + 9 + 9 + 11 + 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::report::example;

    #[test]
    fn rows_are_summed_over_processes() {
        let lines = lines(&example::report().profile, 10, 4.0, Manner::PLAIN);
        assert_eq!(lines.len(), 2);
        let row: Vec<&str> = lines[1].split_whitespace().collect();
        let expected = "exchng1 → MPI_Sendrecv 3.00 s 75.0 % 1.00 s 2.00 s 2 000 15.3 MiB";
        assert_eq!(row, expected.split(' ').collect::<Vec<_>>());
        assert!(lines.iter().all(|line| line.chars().count() == 100), "{lines:#?}");
    }

    #[test]
    fn numbers_stay_short() {
        assert_eq!(count(1), "1");
        assert_eq!(count(1_234_567), "1 234 567");
        assert_eq!(bytes(0), "");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_048_576), "1.0 MiB");
        assert_eq!(seconds(0.0042), "4.2 ms");
    }
}
