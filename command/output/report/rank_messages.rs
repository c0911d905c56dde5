//! The table of messages: a row for each pair of ranks, and the lines that a reader sees of it.

use std::cmp::Ordering;

use super::profile::{bytes, count, seconds};
use crate::output::terminal::{self, OutputStyle};

/// A row of it, as the page has it, too.
pub(crate) use whyperf_viewer::MessagesRow as RankMessages;

/// A heading, the rows of `most` pairs, those first that waited longest, and the sum of the others.
pub(crate) fn rank_lines(
    all: &[RankMessages],
    most: usize,
    output_style: OutputStyle,
) -> Vec<String> {
    if all.is_empty() {
        return Vec::new();
    }
    let (others, mut rows): (Vec<&RankMessages>, Vec<&RankMessages>) =
        all.iter().partition(|row| is_others(row));
    rows.sort_by(|one, other| compare(one, other));
    let has_jobs = all.iter().any(|row| row.job != all[0].job);
    let arrow = output_style.either("→", ">");
    let heading = format!(
        "{:>18}{:>12}{:>11}{:>10}{:>10}",
        format!("from {arrow} to"),
        "calls",
        "bytes",
        "waiting",
        "sending"
    );
    let mut lines = vec![output_style.paint(heading, terminal::FAINT)];
    let (shown, more) = rows.split_at(most.min(rows.len()));
    for row in shown {
        let job = if has_jobs { format!("job {} ", row.job) } else { String::new() };
        let [from, to] = [row.from, row.to].map(name);
        lines.push(numbers(row, &format!("{job}{from} {arrow} {to}")));
    }
    if !more.is_empty() || !others.is_empty() {
        let mut sum = RankMessages::default();
        more.iter().chain(&others).for_each(|row| add(&mut sum, row));
        // How many pairs are not told apart is not known.
        let counted = format!("{} more", count(more.len() as u64));
        let pairs = if others.is_empty() { &counted } else { "all others" };
        lines.push(output_style.paint(numbers(&sum, pairs), terminal::FAINT));
    }
    lines
}

/// Whether it is the sum of all pairs that are not told apart.
const fn is_others(row: &RankMessages) -> bool {
    row.from.is_none() && row.to.is_none()
}

/// Those that waited longest come first.
fn compare(one: &RankMessages, other: &RankMessages) -> Ordering {
    let by_waiting = other.waiting_s.total_cmp(&one.waiting_s);
    let by_sending = || other.sending_s.total_cmp(&one.sending_s);
    let by_name = || (one.job, one.from, one.to).cmp(&(other.job, other.from, other.to));
    by_waiting.then_with(by_sending).then_with(by_name)
}

fn add(sum: &mut RankMessages, other: &RankMessages) {
    sum.calls = sum.calls.saturating_add(other.calls);
    sum.bytes = sum.bytes.saturating_add(other.bytes);
    sum.waiting_s += other.waiting_s;
    sum.sending_s += other.sending_s;
}

fn numbers(row: &RankMessages, name: &str) -> String {
    let RankMessages { calls, bytes: size, waiting_s, sending_s, .. } = row;
    format!(
        "{name:>18}{:>12}{:>11}{:>10}{:>10}",
        count(*calls),
        bytes(*size),
        seconds(*waiting_s),
        seconds(*sending_s)
    )
}

/// A rank; a question mark where it cannot be told.
fn name(rank: Option<u32>) -> String {
    rank.map_or_else(|| "?".to_owned(), |rank| rank.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(from: u32, to: Option<u32>, waiting_s: f64) -> RankMessages {
        let from = Some(from);
        RankMessages { from, to, calls: 1000, bytes: 2048, waiting_s, ..RankMessages::default() }
    }

    #[test]
    fn pairs_that_waited_most_come_first_and_the_others_are_one_line() {
        let rows =
            [row(0, Some(1), 0.5), row(1, None, 2.0), row(2, Some(3), 0.25), row(3, Some(2), 0.25)];
        let lines = rank_lines(&rows, 2, OutputStyle::PLAIN);
        assert_eq!(
            lines,
            [
                "         from → to       calls      bytes   waiting   sending",
                "             1 → ?       1 000    2.0 KiB    2.00 s       0 s",
                "             0 → 1       1 000    2.0 KiB  500.0 ms       0 s",
                "            2 more       2 000    4.0 KiB  500.0 ms       0 s"
            ]
        );
        assert_eq!(rank_lines(&rows, 4, OutputStyle::PLAIN).len(), 5, "no rest, no line");
        assert_eq!(rank_lines(&[], 4, OutputStyle::PLAIN), [""; 0]);
    }

    #[test]
    fn pairs_that_are_not_told_apart_are_in_the_last_line() {
        let others = RankMessages { from: None, ..row(0, None, 8.0) };
        let rows = [others, row(0, Some(1), 0.5), row(1, Some(0), 0.25)];
        let last = |most| rank_lines(&rows, most, OutputStyle::PLAIN).pop();
        let told = |line: &str| Some(line.to_owned());
        assert_eq!(last(9), told("        all others       1 000    2.0 KiB    8.00 s       0 s"));
        assert_eq!(last(1), told("        all others       2 000    4.0 KiB    8.25 s       0 s"));
    }

    #[test]
    fn a_large_job_has_few_lines_and_none_is_too_wide() {
        let far = |from| row(from, Some(from + 1), f64::from(from) * 1e4);
        let mut rows: Vec<_> = (100_000..200_000).map(far).collect();
        rows.push(RankMessages { job: 7, calls: 123_456_789_012, ..far(3) });
        let lines = rank_lines(&rows, 8, OutputStyle::PLAIN);
        assert_eq!(lines.len(), 10);
        assert!(lines.iter().all(|line| line.chars().count() <= 100), "{lines:?}");
        assert!(lines[1].contains("job 0 199999 → 200000"), "jobs are told apart: {}", lines[1]);
        assert!(lines[9].contains("99 993 more"), "{}", lines[9]);
    }
}
