//! What whyperf said of a program's functions, beside what the program itself says.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::program::{Manner, Program};

/// The threshold that is asked with.
pub(super) const THRESHOLD: f64 = 0.2;
/// By this factor a share lies clearly above or below it.
const CLEARLY: f64 = 1.5;
/// A value that is further off than this is wrong.
const TOLERANCE: f64 = 0.08;

/// What became of the question about a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Answer {
    /// As the program says.
    Right,
    /// A bottleneck that was not found, and not denied either.
    Undecided,
    /// A bottleneck that was denied.
    Denied,
    /// No bottleneck, and said to be one.
    Invented,
    /// Near the threshold: both is right.
    Near,
}

/// A function, and what was said of it.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) function: String,
    pub(super) manner: Manner,
    pub(super) answer: Answer,
    /// Its share of the time in which processors were to be had, by itself.
    pub(super) share: f64,
    /// By whyperf, if that found it.
    pub(super) value: Option<f64>,
}

impl Judged {
    /// Whether the value is far from the share.
    pub(super) fn is_off(&self) -> bool {
        self.value.is_some_and(|value| (value - self.share).abs() > TOLERANCE)
    }
}

/// All that was said of one program.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    pub(super) judged: Vec<Judged>,
    /// Parts whose value is larger than that of what they are a part of.
    pub(super) larger_parts: Vec<String>,
}

impl Comparison {
    /// Of what the program printed, with the questions of its search.
    pub(super) fn of(program: &Program, printed: &str, questions: &[Value]) -> Result<Self> {
        let told = numbers(printed);
        let number =
            |name: &str| told.get(name).copied().with_context(|| format!("{name} is missing"));
        let available = number("life")? - number("delay")?;
        let mut judged = Vec::new();
        for (at, function) in program.functions.iter().enumerate() {
            let name = format!("f{at}");
            let share = number(&name)? / available;
            let question = question(questions, &name);
            let truth = question.and_then(|one| one["truth"].as_str()).unwrap_or("unknown");
            let found = question.filter(|_| truth == "true");
            let value = found.and_then(|one| one["value"].as_f64());
            let (manner, answer) = (function.manner, answer(share, truth));
            judged.push(Judged { function: name, manner, answer, share, value });
        }
        Ok(Self { judged, larger_parts: larger_parts(questions) })
    }
}

fn numbers(printed: &str) -> BTreeMap<&str, f64> {
    let pair =
        |line| str::split_once(line, ' ').and_then(|(name, rest)| Some((name, rest.parse().ok()?)));
    printed.lines().filter_map(pair).collect()
}

/// The question whether a function of the program computes.
fn question<'a>(questions: &'a [Value], function: &str) -> Option<&'a Value> {
    let is_meant = |one: &&Value| {
        let focus = one["focus"].as_str().unwrap_or_default();
        let code = focus.strip_suffix(",/Machine,/Process,/SyncObject>");
        let ends = code.is_some_and(|code| code.rsplit('/').next() == Some(function));
        ends && one["hypothesis"] == "CPUbound"
    };
    questions.iter().find(is_meant)
}

fn answer(share: f64, truth: &str) -> Answer {
    match truth {
        _ if share > THRESHOLD / CLEARLY && share < THRESHOLD * CLEARLY => Answer::Near,
        "true" if share < THRESHOLD => Answer::Invented,
        "false" if share > THRESHOLD => Answer::Denied,
        "true" => Answer::Right,
        _ if share > THRESHOLD => Answer::Undecided,
        _ => Answer::Right,
    }
}

/// Parts of the whole program with more than it.
fn larger_parts(questions: &[Value]) -> Vec<String> {
    let value = |one: &Value| one["value"].as_f64().filter(|_| one["truth"] == "true");
    let mut larger = Vec::new();
    for whole in questions.iter().filter(|one| one["focus"] == WHOLE) {
        let parts = questions.iter().filter(|one| one["hypothesis"] == whole["hypothesis"]);
        let Some(most) = value(whole) else { continue };
        for part in parts {
            if let Some(value) = value(part).filter(|value| *value > most + ROUNDING) {
                larger.push(format!("{} has {value:.3} of {most:.3}", part["focus"]));
            }
        }
    }
    larger
}

const WHOLE: &str = "</Code,/Machine,/Process,/SyncObject>";
/// Two values that are alike may differ by this.
const ROUNDING: f64 = 0.005;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_share_is_above_below_or_near_the_threshold() {
        assert_eq!(answer(0.5, "true"), Answer::Right);
        assert_eq!(answer(0.5, "false"), Answer::Denied);
        assert_eq!(answer(0.5, "unknown"), Answer::Undecided);
        assert_eq!(answer(0.05, "true"), Answer::Invented);
        assert_eq!(answer(0.05, "unknown"), Answer::Right);
        assert_eq!([answer(0.21, "false"), answer(0.19, "true")], [Answer::Near; 2]);
    }

    #[test]
    fn a_part_with_more_than_its_whole_is_seen() {
        let one = |focus: &str, value: f64| json!({"hypothesis": "CPUbound", "focus": focus, "truth": "true", "value": value});
        let part = "</Code/a.c/f1,/Machine,/Process,/SyncObject>";
        assert_eq!(larger_parts(&[one(WHOLE, 0.5), one(part, 0.6)]).len(), 1);
        assert!(larger_parts(&[one(WHOLE, 0.6), one(part, 0.5)]).is_empty());
        assert!(question(&[one(part, 0.5)], "f1").is_some());
        assert!(question(&[one(part, 0.5)], "f11").is_none());
    }
}
