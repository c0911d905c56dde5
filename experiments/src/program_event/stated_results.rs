//! Results that somebody wrote down: a model, a requirement, the figures of a paper. They are an operand like a run.
//!
//! ```text
//!   whyperf results 1
//!   # metric   focus                       value
//!   wall       <>                          40 s
//!   sync_wait  </Code/oned.c/exchng1>      2.5 s
//!   msgs       </Process/(0,3)>            12000
//!   cpu        </Process/0>                7.2 s, 7.4 s, 7.1 s
//!   cpu        </Code/oned.c/copy>         35/80, 25/178, ?
//! ```
//! A time has one of the units s, ms, us and ns; what is counted has none, and bytes may say B. Several values are those of trials, in the
//! same order on each line; `?` stands for a trial of which nothing is known. `35/80` says that 35 of 80 stack samples of a trial were there:
//! its share of what the whole program came to, which has to be stated, too. What is not said is not known, and takes no part in a comparison.

use std::collections::BTreeMap;

use thiserror::Error;
use whyperf_model::{Focus, Hierarchy, Metric, ParseError, Resource, Unit};

use super::event::ProgramEvent;
use super::results::{PerformanceResults, SampledAmount};

/// By metric and focus: what it is to be in each trial, in the unit of the metric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatedResults {
    values: BTreeMap<(Metric, Focus), Vec<Option<StatedValue>>>,
    /// The most values that one of them has.
    trials: usize,
}

/// What is stated of one trial.
#[derive(Clone, Copy, Debug, PartialEq)]
enum StatedValue {
    /// In the unit of the metric.
    Amount(f64),
    /// So many of all samples.
    Samples { inside: f64, all: f64 },
}

/// Why a text states no results: in which line, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct StatedResultsError {
    /// Which line, the first being 1.
    pub line: usize,
    /// What is wrong.
    pub problem: StatedResultsProblem,
}

/// What may be wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StatedResultsProblem {
    /// It is a file of something else.
    #[error("the first line is not `whyperf results 1`")]
    NoHead,
    /// A word is missing.
    #[error("a result is a metric, a focus and a value, as in: wall <> 40 s")]
    Incomplete,
    /// The metric or the focus is none.
    #[error("{0}")]
    Name(ParseError),
    /// The value is none of its metric.
    #[error("{value} is no value of {metric}, which is {expected}")]
    Value {
        /// What stands there.
        value: String,
        /// Of which metric.
        metric: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// It is no number of samples of others.
    #[error("{0} is not how many of all samples were there, as 35/80")]
    Samples(String),
    /// The same pair again.
    #[error("{0} was stated before")]
    Twice(String),
}

impl StatedResults {
    /// Reads the form above.
    ///
    /// # Errors
    /// At the first line that makes no sense.
    pub fn parse(text: &str) -> Result<Self, StatedResultsError> {
        let mut lines = (1..).zip(text.lines());
        if lines.next().is_none_or(|(_, head)| head.trim() != HEAD) {
            return Err(StatedResultsError { line: 1, problem: StatedResultsProblem::NoHead });
        }
        let mut results = Self::default();
        for (line, text) in lines {
            let text = text.split('#').next().unwrap_or_default().trim();
            if !text.is_empty() {
                results.add(text).map_err(|problem| StatedResultsError { line, problem })?;
            }
        }
        Ok(results)
    }

    fn add(&mut self, text: &str) -> Result<(), StatedResultsProblem> {
        let (metric, rest) =
            text.split_once(char::is_whitespace).ok_or(StatedResultsProblem::Incomplete)?;
        let end = rest.rfind('>').ok_or(StatedResultsProblem::Incomplete)?;
        let (focus, value) = rest.split_at(end + 1);
        let metric: Metric = metric.parse().map_err(StatedResultsProblem::Name)?;
        let focus: Focus = focus.trim().parse().map_err(StatedResultsProblem::Name)?;
        let trial = |text: &str| match text.trim() {
            "?" => Ok(None),
            text => StatedValue::parse(metric, text).map(Some),
        };
        let values = value.split(',').map(trial).collect::<Result<Vec<_>, _>>()?;
        self.trials = self.trials.max(values.len());
        match self.values.insert((metric, focus.clone()), values) {
            Some(_) => Err(StatedResultsProblem::Twice(format!("{metric} {focus}"))),
            None => Ok(()),
        }
    }

    /// The resources that it names.
    #[must_use]
    pub fn event(&self) -> ProgramEvent {
        let foci = self.values.keys().map(|(_, focus)| focus);
        let parts = foci.flat_map(|focus| Hierarchy::ALL.map(|one| focus.part(one).to_vec()));
        ProgramEvent::new(parts.flatten().filter(|resource: &Resource| !resource.is_root()))
    }

    /// How many trials it states: one where nothing else is said.
    #[must_use]
    pub fn trials(&self) -> usize {
        self.trials.max(1)
    }

    /// The metrics that it speaks of.
    pub fn metrics(&self) -> impl Iterator<Item = Metric> {
        self.values.keys().map(|(metric, _)| *metric)
    }
}

impl PerformanceResults for StatedResults {
    fn by_trial(&mut self, metric: Metric, focus: &Focus) -> Vec<Option<f64>> {
        let of_trial = |value: Option<StatedValue>| match value? {
            StatedValue::Amount(amount) => Some(amount),
            StatedValue::Samples { .. } => None,
        };
        self.of_trials(metric, focus).map(of_trial).collect()
    }

    fn sampled_by_trial(&mut self, metric: Metric, focus: &Focus) -> Vec<Option<SampledAmount>> {
        let wholes = self.by_trial(metric, &Focus::whole_program());
        let of_trial = |(value, whole): (Option<StatedValue>, Option<f64>)| match value? {
            StatedValue::Samples { inside, all } => {
                let share = inside / all;
                Some(SampledAmount { amount: share * whole?, share, samples: all })
            }
            StatedValue::Amount(_) => None,
        };
        self.of_trials(metric, focus).zip(wholes).map(of_trial).collect()
    }
}

impl StatedResults {
    /// What is stated of a pair in each trial.
    fn of_trials(
        &self,
        metric: Metric,
        focus: &Focus,
    ) -> impl Iterator<Item = Option<StatedValue>> {
        let known = self.values.get(&(metric, focus.clone())).cloned().unwrap_or_default();
        let unknown = self.trials().saturating_sub(known.len());
        known.into_iter().chain(std::iter::repeat_n(None, unknown))
    }
}

impl StatedValue {
    fn parse(metric: Metric, text: &str) -> Result<Self, StatedResultsProblem> {
        let count = |text: &str| text.trim().parse::<u32>().ok().map(f64::from);
        let samples = text.split_once('/').map(|(inside, all)| (count(inside), count(all)));
        match samples {
            Some((Some(inside), Some(all))) if inside <= all && all > 0.0 => {
                Ok(Self::Samples { inside, all })
            }
            Some(_) => Err(StatedResultsProblem::Samples(text.to_owned())),
            None => amount(metric, text).map(Self::Amount),
        }
    }
}

/// A value in the unit of its metric.
fn amount(metric: Metric, text: &str) -> Result<f64, StatedResultsProblem> {
    let unit = metric.definition().unit;
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let (number, symbol) = (digits.trim().parse::<f64>().ok(), &text[digits.len()..]);
    let scale = match (unit, symbol) {
        (Unit::Nanoseconds, "s") => Some(1e9),
        (Unit::Nanoseconds, "ms") => Some(1e6),
        (Unit::Nanoseconds, "us") => Some(1e3),
        (Unit::Nanoseconds, "ns") => Some(1.0),
        (Unit::Nanoseconds, _) => None,
        (_, "") => Some(1.0),
        (unit, symbol) => (unit.symbol() == symbol).then_some(1.0),
    };
    let value = number.zip(scale).map(|(number, scale)| number * scale);
    value.filter(|value| value.is_finite()).ok_or_else(|| StatedResultsProblem::Value {
        value: text.to_owned(),
        metric: metric.name(),
        expected: match unit {
            Unit::Nanoseconds => "a time with a unit, as 2.5 s or 40 ms",
            Unit::Bytes => "a number of bytes, as 4096 or 4096 B",
            Unit::Operations | Unit::Processes | Unit::Events | Unit::OfProgram => "a number",
        },
    })
}

/// The first line of a file of results.
const HEAD: &str = "whyperf results 1";

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(text: &str) -> Result<StatedResults, StatedResultsError> {
        StatedResults::parse(&format!("{HEAD}\n{text}"))
    }

    #[test]
    fn results_are_read_in_the_unit_of_their_metric() {
        let text = "# a model\nwall <> 40 s\nsync_wait </Code/a.c> 2.5ms # by hand\nmsgs </Process/(0,3)> 12000\n";
        let mut results = stated(text).expect("well formed");
        let mut value = |metric, focus: &str| {
            results.results(metric, &focus.parse().expect("well formed")).mean()
        };
        assert_eq!(value(Metric::Wall, "<>"), Some(4e10));
        assert_eq!(value(Metric::SyncWait, "</Code/a.c>"), Some(2.5e6));
        assert_eq!(value(Metric::Msgs, "</Process/(3,0)>"), Some(12000.0));
        assert_eq!(value(Metric::Cpu, "<>"), None, "what is not stated is not known");
        let event = results.event();
        let names: Vec<&str> = event.resources().map(Resource::path).collect();
        assert_eq!(names, ["/Code", "/Code/a.c", "/Process", "/Process/0", "/Process/3"]);
    }

    #[test]
    fn several_values_are_those_of_trials() {
        let text = "cpu <> 4 s, ?, 4500 ms\nmsgs <> 12";
        let mut results = stated(text).expect("well formed");
        assert_eq!(results.trials(), 3);
        let whole = Focus::whole_program();
        assert_eq!(results.by_trial(Metric::Cpu, &whole), [Some(4e9), None, Some(4.5e9)]);
        assert_eq!(results.by_trial(Metric::Msgs, &whole), [Some(12.0), None, None]);
    }

    #[test]
    fn samples_are_a_share_of_what_the_whole_program_came_to() {
        let text = "cpu <> 4 s, ?, 5 s\ncpu </Code/a.c/f> 20/80, 1/2, 0/7";
        let mut results = stated(text).expect("well formed");
        let focus: Focus = "</Code/a.c/f>".parse().expect("well formed");
        assert_eq!(results.by_trial(Metric::Cpu, &focus), [None; 3], "nothing was measured");
        let sampled = |amount, share, samples| Some(SampledAmount { amount, share, samples });
        let expected = [sampled(1e9, 0.25, 80.0), None, sampled(0.0, 0.0, 7.0)];
        assert_eq!(results.sampled_by_trial(Metric::Cpu, &focus), expected);
    }

    #[test]
    fn each_mistake_is_named_with_its_line() {
        for (text, message) in [
            ("wall <>", "line 2: is no value"),
            ("wall 40 s", "line 2: a result is a metric, a focus and a value"),
            ("wail <> 40 s", "line 2: "),
            ("wall </Cod> 40 s", "line 2: "),
            ("wall <> 40", "line 2: 40 is no value of wall, which is a time with a unit"),
            ("msgs <> 40 s", "line 2: 40 s is no value of msgs"),
            ("wall <> nan s", "line 2: "),
            ("msgs <> 12,", "line 2: "),
            ("cpu </Code/a.c> 9/8", "line 2: 9/8 is not how many of all samples were there"),
            ("cpu </Code/a.c> 0/0", "line 2: 0/0 is not how many"),
            (
                "msgs <> 1\nmsgs <> 2",
                "line 3: msgs </Code,/Machine,/Process,/SyncObject> was stated before",
            ),
        ] {
            let error = stated(text).expect_err(text).to_string();
            assert!(
                error.replace("line 2:  is", "line 2: is").starts_with(message),
                "{text}: {error}"
            );
        }
        assert!(StatedResults::parse("").is_err());
        assert!(StatedResults::parse("whyperf directives 1\n").is_err());
    }
}
