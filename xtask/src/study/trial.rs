//! One run of a solver under whyperf, as the command reports it.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::Value;

/// A hypothesis at a focus, in one text.
pub(super) type PairText = String;

/// What came of a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct QuestionAnswer {
    /// Whether it was true at the end.
    pub(super) is_true: bool,
    /// How far the value lies from the threshold, as a factor.
    pub(super) margin: f64,
    /// Whether it was measured, and the answer is no.
    pub(super) is_denied: bool,
    /// Whether it was measured.
    pub(super) was_tested: bool,
    /// Whether the value is a share of the time: what is true of a part is then true of the whole.
    pub(super) is_share: bool,
    /// When it was found true, in seconds since `MPI_Init`.
    pub(super) found: Option<f64>,
}

/// What a run showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Trial {
    /// Its name in the store.
    pub(super) run: String,
    /// Every question of the search.
    pub(super) answers: BTreeMap<PairText, QuestionAnswer>,
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
    pub(super) fn undenied(&self, of: &[PairText]) -> Vec<PairText> {
        let is_denied = |pair: &&PairText| {
            self.answers.get(*pair).is_some_and(|one| one.is_denied) && self.found(pair).is_none()
        };
        of.iter().filter(|pair| !is_denied(pair)).cloned().collect()
    }

    /// When a pair was found.
    pub(super) fn found(&self, pair: &PairText) -> Option<f64> {
        found(&self.answers, pair)
    }

    /// Which of some pairs was found last, and when.
    pub(super) fn last<'a>(&self, of: &'a [PairText]) -> Option<(&'a PairText, f64)> {
        let found = |pair| Some((pair, self.found(pair)?));
        of.iter().filter_map(found).max_by(|one, other| one.1.total_cmp(&other.1))
    }

    /// Which pairs were true at the end.
    pub(super) fn holding(&self) -> impl Iterator<Item = (&PairText, &QuestionAnswer)> {
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
    pub(super) fn time_to(&self, part: f64, of: &[PairText]) -> Option<f64> {
        let mut times: Vec<f64> = of.iter().filter_map(|pair| self.found(pair)).collect();
        times.sort_by(f64::total_cmp);
        let wanted = (part * of.len() as f64).ceil() as usize;
        times.get(wanted.saturating_sub(1)).copied()
    }
}

/// When a pair was found, or something that implies it: the same share of time in a part of its code or of its objects.
pub(super) fn found(answers: &BTreeMap<PairText, QuestionAnswer>, pair: &PairText) -> Option<f64> {
    let implies = |one: &&(&PairText, &QuestionAnswer)| {
        one.0 == pair || (one.1.is_share && is_part(one.0, pair))
    };
    answers
        .iter()
        .filter(|one| implies(&one))
        .filter_map(|(_, answer)| answer.found)
        .reduce(f64::min)
}

/// Whether a pair asks the same of a part of the code or of the objects, and of the same processes and machines.
fn is_part(part: &str, of: &str) -> bool {
    let (parts, wholes) = (part.split(','), of.split(','));
    let is_within = |part: &str, whole: &str| {
        let is_open = ["/Code", "/SyncObject"].iter().any(|root| whole.contains(root));
        part == whole
            || (is_open
                && part
                    .trim_end_matches('>')
                    .strip_prefix(whole.trim_end_matches('>'))
                    .is_some_and(|rest| rest.starts_with('/')))
    };
    parts.clone().count() == wholes.clone().count()
        && parts.zip(wholes).all(|(part, whole)| is_within(part, whole))
}

/// The answers of a search so far.
pub(super) fn answers(search: &str, init: f64) -> Result<BTreeMap<PairText, QuestionAnswer>> {
    let all: Vec<Value> = serde_json::from_str(search).context("reading the search")?;
    let answer = |one: &Value| {
        let text = |member: &str| one[member].as_str().unwrap_or_default().to_owned();
        let (value, threshold) = (one["value"].as_f64(), one["threshold"].as_f64());
        let ratio = value.zip(threshold).map_or(1.0, |(value, threshold)| value / threshold);
        let found = one["found"].as_f64().map(|nanos| (nanos * 1e-9 - init).max(0.0));
        let answer = QuestionAnswer {
            is_true: one["truth"] == "true",
            // Shares are bad above their threshold, numbers of bytes below it.
            is_denied: one["truth"] == "false" && (ratio < 1.0) == (threshold < Some(1.0)),
            margin: ratio.max(ratio.recip()),
            was_tested: one["asked"].as_u64().unwrap_or_default() > 0,
            is_share: threshold < Some(1.0),
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
        let pairs = ["H a", "H b", "H c"].map(str::to_owned);
        let last = trial.last(&pairs).expect("two were found");
        assert_eq!(last, (&pairs[2], 3.5));
        assert!((trial.answers["H b"].margin - 2.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_found_of_a_part_is_found_of_the_whole() {
        let is_true = |share, found| QuestionAnswer {
            is_true: true,
            margin: 2.0,
            is_denied: false,
            was_tested: true,
            is_share: share,
            found: Some(found),
        };
        let name = |hypothesis: &str, code: &str, process: &str, object: &str| {
            format!("{hypothesis} </Code{code},/Machine,/Process{process},/SyncObject{object}>")
        };
        let answers = [
            (name("Wait", "/a.c/f", "/1", "/Message/w/5"), is_true(true, 3.0)),
            (name("Wait", "/a.c", "/1", "/Message"), is_true(true, 2.0)),
            (name("Small", "/a.c/f", "", ""), is_true(false, 1.0)),
        ];
        let answers = BTreeMap::from(answers);
        let when = |hypothesis, code, process, object| {
            found(&answers, &name(hypothesis, code, process, object))
        };
        assert_eq!(when("Wait", "", "/1", "/Message"), Some(2.0), "the first of two");
        assert_eq!(when("Wait", "", "/1", "/Message/w/5"), Some(3.0));
        assert_eq!(when("Wait", "", "", "/Message/w/5"), None, "one process is not all");
        assert_eq!(when("Wait", "/a", "/1", ""), None, "half a name");
        assert_eq!(when("Small", "/a.c", "", ""), None, "no share");
        assert_eq!(when("Small", "/a.c/f", "", ""), Some(1.0));
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
