//! The two-level callpath profile as a table: where the time of all processes went, the costliest callpaths first.

use std::collections::BTreeMap;

use super::ReportedProfileRow;
use crate::output::terminal::{self, OutputStyle, plain, shortened};

/// The table's lines: a heading and at most `most` rows. `whole` is the time of all threads in seconds.
pub(crate) fn lines(
    profile: &[ReportedProfileRow],
    most: usize,
    whole: f64,
    output_style: OutputStyle,
) -> Vec<String> {
    let mut paths = summed(profile);
    paths.sort_by(|(one, a), (other, b)| b.exclusive.total_cmp(&a.exclusive).then(one.cmp(other)));
    let all: f64 = paths.iter().map(|(_, sum)| sum.exclusive).sum();
    let whole = whole.max(all);
    let hidden = paths.len().saturating_sub(most);
    paths.truncate(most);
    let columns = output_style.width.saturating_sub(NUMBERS + 2).max(LEAST_NAME);
    let mut lines = vec![output_style.paint(heading(columns), terminal::FAINT)];
    for (path, sum) in &paths {
        let arrow = output_style.either(" → ", " > ");
        let name = shortened(&plain(&path.join(arrow)), columns, output_style);
        let gap = " ".repeat(columns - name.chars().count());
        lines.push(format!("  {name}{gap}{}", sum.numbers(whole)).trim_end().to_owned());
    }
    let shown: f64 = paths.iter().map(|(_, sum)| sum.exclusive).sum();
    let mut add = |name: String, time: f64| {
        let name = format!("{name:columns$}{}", time_and_share(time, whole));
        lines.push(output_style.paint(format!("  {name}"), terminal::FAINT));
    };
    if hidden > 0 {
        add(format!("{hidden} more; see --profile"), all - shown);
    }
    if whole > all {
        add("own code, not told apart".to_owned(), whole - all);
    }
    lines
}

fn time_and_share(time: f64, whole: f64) -> String {
    let share = if whole > 0.0 { 100.0 * time / whole } else { 0.0 };
    format!("{:>9}{:>9}", seconds(time), format!("{share:.1} %"))
}

/// One callpath over all threads.
#[derive(Clone, Debug, Default)]
struct CallpathSum {
    calls: u64,
    bytes: u64,
    exclusive: f64,
    /// Seconds of each process.
    processes: BTreeMap<u32, f64>,
    /// The share of their lives in which it was counted, where that is not all in each.
    coverage: Option<f64>,
}

impl CallpathSum {
    fn numbers(&self, whole: f64) -> String {
        let times = self.processes.values();
        let most = times.clone().copied().fold(0.0, f64::max);
        let least = times.copied().fold(f64::INFINITY, f64::min).min(most);
        // What was counted was called at least once: a tool that tells neither calls nor time of a path does not know them.
        let [times, calls] = match (self.exclusive > 0.0, self.calls) {
            (false, 0) => ["", ""].map(str::to_owned),
            (_, calls) => {
                let times = time_and_share(self.exclusive, whole);
                let calls = if calls > 0 { count(calls) } else { String::new() };
                [format!("{times}{:>9}{:>9}", seconds(least), seconds(most)), calls]
            }
        };
        format!(
            "{times:36}{calls:>11}{:>10}{:>7}",
            bytes(self.bytes),
            self.coverage.map(part).unwrap_or_default()
        )
    }
}

fn heading(columns: usize) -> String {
    let gap = " ".repeat(columns - "callpath".len());
    format!(
        "  callpath{gap}{:>9}{:>9}{:>9}{:>9}{:>11}{:>10}{:>7}",
        "time", "share", "least", "most", "calls", "bytes", "seen"
    )
}

fn summed(profile: &[ReportedProfileRow]) -> Vec<(&[String], CallpathSum)> {
    let mut paths: BTreeMap<&[String], CallpathSum> = BTreeMap::new();
    for row in profile {
        let sum = paths.entry(&row.path).or_default();
        sum.calls += row.calls;
        sum.bytes += row.bytes;
        sum.exclusive += row.exclusive_s;
        *sum.processes.entry(row.process).or_default() += row.exclusive_s;
        sum.coverage = row.coverage.into_iter().chain(sum.coverage).reduce(f64::min);
    }
    paths.into_iter().collect()
}

/// A share of a life, which is not all of it.
fn part(coverage: f64) -> String {
    match 100.0 * coverage {
        percent if percent < 0.1 => "<0.1 %".to_owned(),
        percent if percent < 10.0 => format!("{percent:.1} %"),
        percent => format!("{:.0} %", percent.min(99.0)),
    }
}

/// Seconds with a unit that keeps the number short.
pub(crate) fn seconds(value: f64) -> String {
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
pub(crate) fn bytes(value: u64) -> String {
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
const NUMBERS: usize = 9 + 9 + 9 + 9 + 11 + 10 + 7;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::report::example;

    #[test]
    fn rows_are_summed_over_processes() {
        let lines = lines(&example::report().profile, 10, 4.0, OutputStyle::PLAIN);
        assert_eq!(lines.len(), 3);
        let row: Vec<&str> = lines[1].split_whitespace().collect();
        let expected = "exchng1 → MPI_Sendrecv 3.00 s 75.0 % 1.00 s 2.00 s 2 000 15.3 MiB";
        assert_eq!(row, expected.split(' ').collect::<Vec<_>>());
        assert!(lines.iter().all(|line| line.chars().count() <= 100), "{lines:#?}");
    }

    #[test]
    fn rows_and_the_rest_add_up_and_a_part_of_a_run_is_told() {
        let row = |name: &str, exclusive_s, coverage| ReportedProfileRow {
            path: vec![name.to_owned()],
            calls: 10,
            exclusive_s,
            coverage,
            ..ReportedProfileRow::default()
        };
        let rows = [row("f", 2.0, Some(0.6234)), row("g", 1.0, None), row("h", 0.5, Some(0.0001))];
        let lines = lines(&rows, 2, 4.0, OutputStyle::PLAIN);
        let words: Vec<Vec<&str>> =
            lines.iter().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(
            words[1],
            ["f", "2.00", "s", "50.0", "%", "2.00", "s", "2.00", "s", "10", "62", "%"]
        );
        assert_eq!(words[2], ["g", "1.00", "s", "25.0", "%", "1.00", "s", "1.00", "s", "10"]);
        assert!(
            lines[3].contains("1 more") && lines[3].ends_with("500.0 ms   12.5 %"),
            "{lines:#?}"
        );
        assert!(
            lines[4].contains("own code") && lines[4].ends_with("500.0 ms   12.5 %"),
            "{lines:#?}"
        );
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
