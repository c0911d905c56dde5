//! Compares the rows that whyperf reports of a program with what the program itself says: hot code by the time of each
//! function without its callees, the profile by that of all threads.

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::manner::FunctionManner;
use super::printed::{Printed, function_of, names};
use super::program::GeneratedProgram;

/// What is wrong with the rows of one program.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// Functions of hot code whose share is wrong.
    pub(super) hot_off: Vec<String>,
    /// By how much the shares of hot code are off.
    pub(super) hot_errors: Vec<f64>,
    /// Functions of the profile that have more than the program says.
    pub(super) too_much: Vec<String>,
    /// Rows that do not add up.
    pub(super) sums_off: Vec<String>,
    /// Threads that are not told, or told and not there.
    pub(super) threads_missing: Vec<String>,
}

impl Rows {
    /// Of the report, and of its text.
    pub(super) fn of(
        program: &GeneratedProgram,
        printed: &Printed,
        report: &Value,
        text: &str,
    ) -> Result<Self> {
        let mut rows = Self::default();
        let computed = printed.number("cpu")?;
        for (at, function) in program.functions.iter().enumerate() {
            if function.manner == FunctionManner::Inlined {
                continue;
            }
            rows.compare_hot_code(at, printed.number_of("alone", at)? / computed, report);
            rows.compare_profile(at, printed, report)?;
        }
        rows.add_up(printed, report, text)?;
        let told = report["threads"].as_f64().context("the report has threads")?;
        let threads = printed.number("threads")?;
        if (told - threads).abs() > 0.5 {
            rows.threads_missing.push(format!("{threads} threads, told {told}"));
        }
        Ok(rows)
    }

    fn compare_hot_code(&mut self, at: usize, share: f64, report: &Value) {
        let words = [format!("f{at}"), format!("tiny{at}")];
        let mine = list(report, "hot_code").filter(|row| {
            let function = row["function"].as_str().map(function_of).unwrap_or_default();
            words.iter().any(|word| names(function, word))
        });
        let (mut told, mut error) = (0.0, 0.0);
        for row in mine {
            told += number(row, "share");
            error += number(row, "plus_minus");
        }
        if told > 0.0 || share > LEAST_HOT {
            self.hot_errors.push((told - share).abs());
        }
        // Of a hundred functions five are off by more than once the error. What was not sampled may have been in any.
        let tolerance = 1.5 * error + HOT_TOLERANCE;
        let least = share - number(report, "not_sampled") - tolerance;
        if told > share + tolerance || told < least {
            self.hot_off
                .push(format!("hot code: f{at} has {share:.3}, told {told:.3} ± {error:.3}"));
        }
    }

    /// The rows that end in a function cannot have more than it: they begin when it is switched on.
    fn compare_profile(&mut self, at: usize, printed: &Printed, report: &Value) -> Result<()> {
        let name = format!("f{at}");
        let (mut calls, mut seconds) = (0.0, 0.0);
        for row in list(report, "profile") {
            let mut path = row["path"].as_array().into_iter().flatten().rev();
            let mut is_next =
                || path.next().is_some_and(|one| names(one.as_str().unwrap_or_default(), &name));
            if !is_next() {
                continue;
            }
            calls += number(row, "calls");
            // The outer call has the time of the inner one already.
            if !is_next() {
                seconds += number(row, "inclusive_s");
            }
        }
        let (all_calls, all_seconds) =
            (printed.number_of("calls", at)?, printed.number_of("wall", at)?);
        if calls > all_calls || seconds > all_seconds * (1.0 + CLOSE) + MOMENT {
            self.too_much.push(format!(
                "profile: f{at} has {all_calls} calls and {all_seconds:.3} s, told {calls} and {seconds:.3}"
            ));
        }
        Ok(())
    }

    fn add_up(&mut self, printed: &Printed, report: &Value, text: &str) -> Result<()> {
        let hot: f64 = list(report, "hot_code").map(|row| number(row, "share")).sum();
        let hot = hot + number(report, "not_sampled");
        if !(LEAST_HOT_SUM..=1.0 + CLOSE).contains(&hot) {
            self.sums_off.push(format!("hot code adds up to {hot:.3}"));
        }
        let profile: f64 = list(report, "profile").map(|row| number(row, "exclusive_s")).sum();
        let profile = profile + own_code(text).unwrap_or_default();
        let life = printed.number("life")?;
        if (profile - life).abs() > SUM_TOLERANCE * life + MOMENT {
            self.sums_off.push(format!("the profile adds up to {profile:.3} s of {life:.3}"));
        }
        Ok(())
    }
}

/// Seconds of the row of the profile for all that is not told apart.
fn own_code(text: &str) -> Option<f64> {
    let line =
        text.lines().rev().find(|line| line.trim_start().starts_with("own code, not told"))?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let unit = words.iter().position(|word| ["s", "ms", "us"].contains(word))?;
    let factor = match words[unit] {
        "s" => 1.0,
        "ms" => 1e-3,
        _ => 1e-6,
    };
    Some(factor * words[unit - 1].parse::<f64>().ok()?)
}

fn list<'a>(report: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    report[name].as_array().into_iter().flatten()
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or_default()
}

/// From this share on hot code tells a function.
const LEAST_HOT: f64 = 0.01;
/// A share that is further off than its error and this is wrong.
const HOT_TOLERANCE: f64 = 0.03;
/// Functions that are too small to be told may be missing.
const LEAST_HOT_SUM: f64 = 0.93;
/// Two numbers that are alike may differ by such a part.
const CLOSE: f64 = 0.01;
/// The time of threads is seen from outside, a moment later.
const SUM_TOLERANCE: f64 = 0.03;
/// Seconds of a few calls.
const MOMENT: f64 = 0.05;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_row_of_what_is_not_told_apart_is_read_with_its_unit() {
        let text = "  f0                1.00 s   25.0 %\n  own code, not told apart      3.00 s   75.0 %\n";
        assert_eq!(own_code(text), Some(3.0));
        assert_eq!(own_code(&text.replace("3.00 s", "512.0 ms")), Some(0.512));
        assert_eq!(own_code("nothing"), None);
    }

    #[test]
    fn a_share_of_hot_code_is_off_by_more_than_its_error_or_not() {
        let row = |share: f64| json!({"hot_code": [{"function": "/Code/a.c/f1", "share": share, "plus_minus": 0.02}]});
        let off = |share| {
            let mut rows = Rows::default();
            rows.compare_hot_code(1, 0.5, &row(share));
            rows.hot_off.len()
        };
        assert_eq!([off(0.5), off(0.55), off(0.6), off(0.4)], [0, 0, 1, 1]);
    }

    #[test]
    fn a_row_with_more_than_its_function_is_seen() {
        let printed = Printed::of("calls1 10\nwall1 2.0\n");
        let row = |path: [&str; 2], seconds: f64| json!({"path": path, "calls": 5, "inclusive_s": seconds});
        let too_much = |rows: &[Value]| {
            let mut found = Rows::default();
            found.compare_profile(1, &printed, &json!({"profile": rows})).expect("said");
            found.too_much.len()
        };
        assert_eq!(too_much(&[row(["f0", "f1"], 2.0), row(["f1", "f1"], 1.5)]), 0);
        assert_eq!(too_much(&[row(["f0", "f1"], 2.5)]), 1);
        let three = [["f0", "f1"], ["f1", "f1"], ["f1", "f1"]].map(|path| row(path, 0.1));
        assert_eq!(too_much(&three), 1);
    }
}
