//! The log of a search: each step that it took and why, as tests, status lines and papers read it.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;
use whyperf_model::{Focus, Hierarchy, Resource, Time};

use crate::hypothesis::ValueUnit;
use crate::truth::Truth;

/// One thing that happened in the search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// When.
    pub time: Time,
    /// What.
    pub happening: Happening,
}

/// A hypothesis at a focus, as it is printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Subject {
    /// The name of the hypothesis.
    pub hypothesis: Cow<'static, str>,
    /// Where it is tested.
    pub focus: Focus,
}

/// Where the idea came from to ask a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// From the whole program down.
    #[default]
    Search,
    /// A directive.
    Priority,
    /// Values of other questions: many false callers may have one thing in common.
    Hint,
    /// A resource or a call that was learned later than what leads to it.
    #[serde(rename = "late resource")]
    Late,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum Happening {
    /// A pair is measured from now on.
    Started {
        /// Which.
        subject: Subject,
        /// Whether it was found false before and is asked again.
        again: bool,
        /// The share of the time that switching it on is predicted to cost; nothing where all is switched on already.
        price: f64,
    },
    /// What was switched on is observed for the first time.
    Priced {
        /// Which.
        function: Resource,
        /// The share of the time that it was predicted to cost.
        predicted: f64,
        /// The share that it costs.
        observed: f64,
    },
    /// The evidence suffices, or turned.
    Concluded(Conclusion),
    /// A true node got children along a hierarchy, or more precise hypotheses where none is named.
    Refined {
        /// Which.
        subject: Subject,
        /// Along which hierarchy.
        along: Option<&'static str>,
        /// Questions that are new.
        news: usize,
        /// Questions that another node had led to before: shadows.
        shadows: usize,
        /// Parts left out because there are too many.
        left_out: usize,
    },
    /// Nothing true leads to it any more.
    Dropped {
        /// Which.
        subject: Subject,
    },
    /// The data source cannot measure it.
    Refused {
        /// Which.
        subject: Subject,
        /// Why, in the data source's words.
        reason: String,
        /// Whether what it calls is asked about in its place.
        looked_through: bool,
    },
    /// It is passed so often that it is measured in short windows, which cover a share of the time.
    TooHot {
        /// Which.
        subject: Subject,
        /// The share.
        coverage: f64,
    },
    /// It cannot be counted, and is estimated by stack samples.
    Sampled {
        /// Which.
        subject: Subject,
    },
    /// The windows were too few for a verdict.
    TooHotToTell {
        /// Which.
        subject: Subject,
        /// The share of the time that they covered.
        coverage: f64,
    },
    /// Measuring costs as much as it may: nothing is started until there is room.
    HeldBack {
        /// What was observed.
        cost: f64,
        /// What is allowed.
        limit: f64,
        /// How many wait.
        waiting: usize,
    },
    /// It is true, costs too much to be measured on, and stays true.
    Rests {
        /// Which.
        subject: Subject,
        /// What it cost.
        cost: f64,
    },
    /// It could not be told for long, and others wait: it is asked again when there are places.
    Yields {
        /// Which.
        subject: Subject,
    },
    /// It costs more than there is room for: it is measured again when there is.
    PutBack {
        /// Which.
        subject: Subject,
        /// What it cost.
        cost: f64,
    },
    /// There is room again.
    Resumed {
        /// What was observed.
        cost: f64,
    },
    /// A hypothesis is true from another value on.
    ThresholdMoved {
        /// Which.
        hypothesis: Cow<'static, str>,
        /// The value.
        threshold: f64,
        /// How many false questions are asked again.
        again: usize,
    },
    /// A priority or a prune counts from now on.
    Directed {
        /// As a file of directives says it.
        directive: String,
        /// How many questions that were open are given up.
        given_up: usize,
    },
    /// Nothing is judged or asked until it goes on.
    Paused,
    /// It goes on.
    Unpaused,
    /// The run is over.
    Ended,
}

/// A verdict with its reasons.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Conclusion {
    /// What it is about.
    pub subject: Subject,
    /// The verdict.
    pub truth: Truth,
    /// What it was before.
    pub was: Truth,
    /// The value since the evidence began.
    pub value: f64,
    /// What it was compared with.
    pub threshold: f64,
    /// What both are.
    #[serde(skip)]
    pub unit: ValueUnit,
    /// The sign of the comparison that would make it true.
    pub operator: char,
    /// One less the chance that the evidence is luck; zero where none is bounded.
    pub confidence: f64,
    /// When the evidence began.
    pub since: Time,
    /// The share of the time that was measured: all of it, unless it is passed too often for that.
    pub coverage: f64,
    /// Where the idea came from.
    pub origin: Origin,
    /// Whether it only says of some processes what holds for all: they do not differ from the others, as far as is known by then.
    #[serde(rename = "echoes")]
    pub is_duplicate: bool,
}

impl Step {
    /// The conclusion, if it is one that something is true and not a duplicate of another: what a user wants to see at once.
    #[must_use]
    pub fn finding(&self) -> Option<&Conclusion> {
        match &self.happening {
            Happening::Concluded(conclusion) => {
                Some(conclusion).filter(|one| one.truth == Truth::True && !one.is_duplicate)
            }
            _ => None,
        }
    }
}

impl Happening {
    pub(crate) fn axis(hierarchy: Option<Hierarchy>) -> Option<&'static str> {
        hierarchy.map(Hierarchy::name)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:8.3} {}", self.time.as_secs_f64(), self.happening)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Search => "search",
            Self::Priority => "priority",
            Self::Hint => "hint",
            Self::Late => "late resource",
        })
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.hypothesis, self.focus)
    }
}

impl fmt::Display for Happening {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started { subject, again, price } => {
                let word = if *again { "again    " } else { "started  " };
                write!(out, "{word} {subject}")?;
                if *price > 0.0 { write!(out, " for {price:.4}") } else { Ok(()) }
            }
            Self::Priced { function, predicted, observed } => {
                write!(out, "priced    {function}: {observed:.4}, predicted {predicted:.4}")
            }
            Self::Concluded(conclusion) => conclusion.fmt(out),
            Self::Refined { subject, along, news, shadows, left_out } => {
                let along = along.unwrap_or("why");
                write!(out, "refined   {subject} along {along}: {news} new, {shadows} shadows")?;
                if *left_out > 0 { write!(out, ", {left_out} left out") } else { Ok(()) }
            }
            Self::Dropped { subject } => write!(out, "dropped   {subject}"),
            Self::Refused { subject, reason, looked_through } => {
                write!(out, "refused   {subject}: {reason}")?;
                if *looked_through { write!(out, "; looked through") } else { Ok(()) }
            }
            Self::TooHot { subject, coverage } => {
                write!(out, "too hot   {subject}: in windows of {coverage:.4} of the time")
            }
            Self::Sampled { subject } => write!(out, "sampled   {subject}"),
            Self::TooHotToTell { subject, coverage } => {
                write!(out, "untold    {subject}: too hot to tell from {coverage:.4} of the time")
            }
            Self::HeldBack { cost, limit, waiting } => {
                write!(
                    out,
                    "held back at a cost of {cost:.3} (limit {limit:.3}), {waiting} waiting"
                )
            }
            Self::Rests { subject, cost } => write!(out, "rests     {subject}: it cost {cost:.4}"),
            Self::Yields { subject } => write!(out, "yields    {subject}: others wait"),
            Self::PutBack { subject, cost } => {
                write!(out, "put back  {subject}: it cost {cost:.4}")
            }
            Self::Resumed { cost } => write!(out, "resumed at a cost of {cost:.3}"),
            Self::ThresholdMoved { hypothesis, threshold, again } => {
                write!(out, "threshold of {hypothesis} is {threshold} now: {again} asked again")
            }
            Self::Directed { directive, given_up } => {
                let words: Vec<&str> = directive.split_whitespace().collect();
                write!(out, "{} from now on", words.join(" "))?;
                if *given_up > 0 { write!(out, ": {given_up} given up") } else { Ok(()) }
            }
            Self::Paused => write!(out, "paused"),
            Self::Unpaused => write!(out, "goes on"),
            Self::Ended => write!(out, "ended"),
        }
    }
}

impl fmt::Display for Conclusion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match (self.truth, self.was) {
            (Truth::True, _) => "true     ",
            (Truth::False, Truth::True) => "passed   ",
            (Truth::False, _) => "false    ",
            (Truth::Unknown, _) => "unknown  ",
        };
        write!(out, "{word} {}", self.subject)?;
        let decimals = if self.threshold < 1.0 { 3 } else { 0 };
        write!(
            out,
            ": {:.decimals$} {} {:.decimals$}",
            self.value,
            self.relation(),
            self.threshold
        )?;
        write!(out, " since {:.3}, sure to {:.3}", self.since.as_secs_f64(), self.confidence)?;
        if self.coverage < 1.0 {
            write!(out, ", seen {:.4} of the time", self.coverage)?;
        }
        match self.origin {
            Origin::Search => Ok(()),
            origin => write!(out, " ({origin})"),
        }
    }
}

impl Conclusion {
    fn relation(&self) -> char {
        if self.value > self.threshold { '>' } else { '<' }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_and_each_origin_keeps_the_word_that_stores_hold() {
        let answers = [Truth::Unknown, Truth::True, Truth::False].map(Truth::name);
        assert_eq!(answers, ["unknown", "true", "false"]);
        let origins = [Origin::Search, Origin::Priority, Origin::Hint, Origin::Late];
        let words = origins.map(|origin| origin.to_string());
        assert_eq!(words, ["search", "priority", "hint", "late resource"]);
    }
}
