//! One run of a solver under whyperf, as the command tells of it.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::Value;

/// A hypothesis at a focus, in one text.
pub(super) type Pair = String;

/// What came of a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    /// Whether it was true at the end.
    pub(super) is_true: bool,
    /// How far the value lies from the threshold, as a factor.
    pub(super) margin: f64,
    /// Whether it was measured, and the answer is no.
    pub(super) is_denied: bool,
    /// Whether it was measured.
    pub(super) was_tested: bool,
    /// When it was found true, in seconds since `MPI_Init`.
    pub(super) found: Option<f64>,
}

/// What a run showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Trial {
    /// Its name in the store.
    pub(super) run: String,
    /// Every question of the search.
    pub(super) answers: BTreeMap<Pair, Answer>,
    /// The share of the slowest process's time that measuring took at most.
    pub(super) cost: f64,
    /// Seconds.
    pub(super) elapsed: f64,
}

impl Trial {
    /// Reads what `whyperf show --search --json` and `--resources --json` print, and the report.
    pub(super) fn read(search: &str, resources: &str, report: &str) -> Result<Self> {
        let report: Value = serde_json::from_str(report).context("reading the report")?;
        let run = report["run"].as_str().context("the report names no run")?.to_owned();
        let init = initialized(resources)?;
        let number = |value: &Value| value.as_f64().unwrap_or_default();
        let cost = number(&report["cost"]["max"]);
        Ok(Self {
            run,
            answers: answers(search, init)?,
            cost,
            elapsed: number(&report["elapsed_s"]),
        })
    }

    /// Those of some pairs that were so in this run as well, as far as it can tell: it did not measure them and say no.
    pub(super) fn undenied(&self, of: &[Pair]) -> Vec<Pair> {
        let is_denied = |pair: &&Pair| {
            self.answers.get(*pair).is_some_and(|one| one.is_denied && one.found.is_none())
        };
        of.iter().filter(|pair| !is_denied(pair)).cloned().collect()
    }

    /// When a pair was found.
    pub(super) fn found(&self, pair: &Pair) -> Option<f64> {
        self.answers.get(pair).and_then(|answer| answer.found)
    }

    /// Which pairs were true at the end.
    pub(super) fn holding(&self) -> impl Iterator<Item = (&Pair, &Answer)> {
        self.answers.iter().filter(|(_, answer)| answer.is_true)
    }

    /// How many pairs were measured.
    pub(super) fn tested(&self) -> usize {
        self.answers.values().filter(|answer| answer.was_tested).count()
    }

    /// When this part of some pairs was found; none when it never was.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a part of a few hundred"
    )]
    pub(super) fn time_to(&self, part: f64, of: &[Pair]) -> Option<f64> {
        let mut times: Vec<f64> = of.iter().filter_map(|pair| self.found(pair)).collect();
        times.sort_by(f64::total_cmp);
        let wanted = (part * of.len() as f64).ceil() as usize;
        times.get(wanted.saturating_sub(1)).copied()
    }
}

/// The answers of a search so far.
pub(super) fn answers(search: &str, init: f64) -> Result<BTreeMap<Pair, Answer>> {
    let all: Vec<Value> = serde_json::from_str(search).context("reading the search")?;
    let answer = |one: &Value| {
        let text = |member: &str| one[member].as_str().unwrap_or_default().to_owned();
        let (value, threshold) = (one["value"].as_f64(), one["threshold"].as_f64());
        let ratio = value.zip(threshold).map_or(1.0, |(value, threshold)| value / threshold);
        let found = one["found"].as_f64().map(|nanos| (nanos * 1e-9 - init).max(0.0));
        let answer = Answer {
            is_true: one["truth"] == "true",
            // Shares are bad above their threshold, numbers of bytes below it.
            is_denied: one["truth"] == "false" && (ratio < 1.0) == (threshold < Some(1.0)),
            margin: ratio.max(ratio.recip()),
            was_tested: one["asked"].as_u64().unwrap_or_default() > 0,
            found,
        };
        (format!("{} {}", text("hypothesis"), text("focus")), answer)
    };
    Ok(all.iter().map(answer).collect())
}

/// When `MPI_Init` had returned, in seconds: when something was first communicated by.
fn initialized(resources: &str) -> Result<f64> {
    let all: Vec<Value> = serde_json::from_str(resources).context("reading the resources")?;
    let is_object =
        |one: &&Value| one["name"].as_str().is_some_and(|name| name.starts_with("/SyncObject/"));
    let appeared = all.iter().filter(is_object).filter_map(|one| one["appeared"].as_f64());
    let first = appeared.reduce(f64::min).context("the program never communicated")?;
    Ok(first * 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial() -> Trial {
        let question = |focus: &str, truth: &str, value: f64, found: &str| {
            format!(
                r#"{{"hypothesis":"H","focus":"{focus}","truth":"{truth}","value":{value},"threshold":0.2,"asked":1,"found":{found}}}"#
            )
        };
        let search = [
            question("a", "true", 0.8, "1500000000"),
            question("b", "false", 0.1, "null"),
            question("c", "true", 0.3, "4000000000"),
        ];
        let resources = r#"[{"name":"/Process/0","appeared":100000000,"retired":null},
            {"name":"/SyncObject/Message","appeared":500000000,"retired":null}]"#;
        let report = r#"{"run":"ab12","elapsed_s":9.5,"cost":{"max":0.02}}"#;
        Trial::read(&format!("[{}]", search.join(",")), resources, report).expect("well formed")
    }

    #[test]
    fn times_count_from_the_first_communication() {
        let trial = trial();
        assert_eq!((trial.run.as_str(), trial.tested()), ("ab12", 3));
        assert_eq!(trial.found(&"H a".to_owned()), Some(1.0));
        assert_eq!(trial.holding().count(), 2);
        assert!((trial.answers["H b"].margin - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_part_is_found_when_its_last_pair_is() {
        let of = ["H a", "H c", "H gone"].map(str::to_owned);
        assert_eq!(trial().time_to(0.25, &of), Some(1.0));
        assert_eq!(trial().time_to(0.5, &of), Some(3.5));
        assert_eq!(trial().time_to(1.0, &of), None);
        let of = ["H a", "H b", "H gone"].map(str::to_owned);
        assert_eq!(trial().undenied(&of), ["H a", "H gone"], "b was measured, and is not so");
    }
}
