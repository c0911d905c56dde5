//! The counts of the kernel and the processor in a report: by process and thread exactly, by function as estimates from
//! samples.

use serde::Serialize;
use whyperf_model::{Counter, Unit};

use super::profile::count;
use crate::output::terminal::{self, OutputStyle, plain, shortened};

/// What a counter counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedCounter {
    /// What `perf` calls it.
    pub(crate) name: &'static str,
    pub(crate) metric: &'static str,
    pub(crate) unit: &'static str,
    /// `None` where nothing is known.
    pub(crate) total: Option<u64>,
    /// Of the total, what was counted where no function is known.
    pub(crate) unplaced: u64,
    /// The processor's counters had to take turns: all is an estimate.
    #[serde(rename = "scaled")]
    pub(crate) is_scaled: bool,
    /// Seconds that threads ran before it counted them: that is in none of the numbers.
    pub(crate) uncounted_s: f64,
    /// Threads of which nothing is known.
    pub(crate) missed_threads: usize,
    pub(crate) processes: Vec<ReportedProcess>,
    /// Those with most in their own code first.
    pub(crate) functions: Vec<CountedCode>,
    /// Why nothing is known.
    pub(crate) refused: Option<&'static str>,
}

/// What was counted in a process.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedProcess {
    pub(crate) process: String,
    pub(crate) total: u64,
    pub(crate) threads: Vec<CountedThread>,
}

/// What was counted in a thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct CountedThread {
    pub(crate) thread: String,
    pub(crate) total: u64,
}

/// What was counted in a function.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct CountedCode {
    pub(crate) function: String,
    pub(crate) inclusive: i64,
    /// By how much that may be off, with 95 of 100.
    pub(crate) inclusive_plus_minus: f64,
    pub(crate) own: i64,
    pub(crate) own_plus_minus: f64,
}

impl ReportedCounter {
    /// Nothing is known of it yet.
    pub(crate) fn of(counter: Counter) -> Self {
        let definition = counter.metric().definition();
        let (metric, unit) = (definition.name, definition.unit);
        let unit = if unit == Unit::Nanoseconds { "ns" } else { "events" };
        Self { name: counter.name(), metric, unit, ..Self::default() }
    }

    /// Whether its total is all that happened in the threads that it counted.
    pub(crate) const fn is_exact(&self) -> bool {
        !self.is_scaled && self.uncounted_s <= 0.0
    }
}

/// The table's lines: for each counter its total, and the functions that have most of it.
pub(crate) fn lines(counters: &[ReportedCounter], output_style: OutputStyle) -> Vec<String> {
    let known = counters.iter().filter(|one| one.refused.is_none());
    known.flat_map(|one| of_counter(one, output_style)).collect()
}

fn of_counter(one: &ReportedCounter, output_style: OutputStyle) -> Vec<String> {
    let total = one.total.unwrap_or(0);
    let columns = output_style.width.saturating_sub(NUMBERS + 4).max(LEAST_NAME);
    let mut lines = vec![format!("  {:<24}{:>18}{}", one.name, count(total), remarks(one))];
    let told = one.functions.iter().filter(|one| is_much(one.own, total) && says_something(one));
    for function in told.take(MOST) {
        let name = shortened(&plain(&function.function), columns, output_style);
        let gap = " ".repeat(columns - name.chars().count());
        let own = with_error(function.own, function.own_plus_minus, output_style);
        let all = with_error(function.inclusive, function.inclusive_plus_minus, output_style);
        lines.push(format!("    {name}{gap}{own:>NUMBER$}{all:>NUMBER$}"));
    }
    if one.unplaced > 0 {
        let rest =
            format!("    {:<columns$}{:>NUMBER$}", "not in a known function", count(one.unplaced));
        lines.push(output_style.paint(rest, terminal::FAINT));
    }
    lines
}

fn remarks(one: &ReportedCounter) -> String {
    let ranks = one.processes.iter().map(|process| process.total);
    let parts = [
        (one.processes.len() > 1).then(|| {
            let (least, most) = (ranks.clone().min(), ranks.max());
            let [least, most] = [least, most].map(|amount| count(amount.unwrap_or(0)));
            format!("{least} to {most} by process")
        }),
        one.is_scaled.then(|| "scaled: the counters took turns".to_owned()),
        (one.uncounted_s > 0.0).then(|| format!("{:.3} s of running not counted", one.uncounted_s)),
        (one.missed_threads > 0).then(|| format!("{} threads not counted", one.missed_threads)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!("  {}", parts.join(", ")) }
}

fn with_error(amount: i64, error: f64, output_style: OutputStyle) -> String {
    let whole = count(u64::try_from(amount).unwrap_or(0));
    if error < 0.5 {
        return whole;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole events")]
    let error = count(error as u64);
    format!("{whole} {} {error}", output_style.either("±", "+-"))
}

fn is_much(own: i64, total: u64) -> bool {
    u64::try_from(own).unwrap_or(0).saturating_mul(100) >= total && own > 0
}

/// An amount that may be off by more than itself says nothing.
fn says_something(function: &CountedCode) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let is_more = |amount: i64, error: f64| amount as f64 > error;
    is_more(function.own, function.own_plus_minus)
        || is_more(function.inclusive, function.inclusive_plus_minus)
}

/// Functions of a counter, columns of a number and of both, and of a name at least.
const MOST: usize = 8;
const NUMBER: usize = 28;
const NUMBERS: usize = 2 * NUMBER;
const LEAST_NAME: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    fn counters() -> ReportedCounter {
        let function = |function: &str, own, own_plus_minus| CountedCode {
            function: function.to_owned(),
            inclusive: own + 100,
            inclusive_plus_minus: own_plus_minus,
            own,
            own_plus_minus,
        };
        let process = |process: &str, total| ReportedProcess {
            process: process.to_owned(),
            total,
            threads: Vec::new(),
        };
        let faults = "page-faults".parse().expect("there is such a counter");
        ReportedCounter {
            total: Some(51_200),
            unplaced: 12,
            processes: vec![process("0", 20_000), process("1", 31_200)],
            functions: vec![
                function("/Code/a.c/touch", 50_000, 312.0),
                function("/Code/a.c/few", 10, 0.0),
                function("/Code/a.c/perhaps", 900, 7_403.0),
            ],
            ..ReportedCounter::of(faults)
        }
    }

    #[test]
    fn a_counter_has_its_total_and_its_functions_with_what_they_may_be_off() {
        let lines = lines(&[counters()], OutputStyle::PLAIN);
        let words: Vec<String> = lines
            .iter()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(words[0], "page-faults 51 200 20 000 to 31 200 by process");
        assert_eq!(words[1], "/Code/a.c/touch 50 000 ± 312 50 100 ± 312");
        assert_eq!(words[2], "not in a known function 12");
        assert_eq!(words.len(), 3, "{words:?}");
    }

    #[test]
    fn what_is_not_counted_is_null() {
        let one =
            ReportedCounter { refused: Some("this machine has no such counter"), ..counters() };
        let one = ReportedCounter { total: None, ..one };
        let text = serde_json::to_string(&one).expect("plain data");
        assert!(text.starts_with(
            r#"{"name":"page-faults","metric":"page_faults","unit":"events","total":null,"unplaced":12,"scaled":false"#
        ));
        assert!(lines(&[one], OutputStyle::PLAIN).is_empty(), "the notes say why");
    }
}
