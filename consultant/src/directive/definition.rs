//! A directive: one piece of advice to a search, and the line of text that states it.

use std::fmt;

use whyperf_model::{Focus, Nanos, Resource};

use crate::text_position::TextPosition;

/// What a file of directives begins with.
pub(super) const FIRST_LINE: &str = "whyperf directives 1";

/// One thing that is said.
#[derive(Clone, Debug, PartialEq)]
pub enum Directive {
    /// What the other directives call `from` is called `to` now, and so is all below it.
    Map {
        /// The old name.
        from: Resource,
        /// The new one.
        to: Resource,
    },
    /// Some hypotheses are never asked about a resource, nor about what is below it.
    Prune {
        /// Which hypotheses.
        whom: PrunedHypotheses,
        /// The resource; of a root, all that is below it.
        resource: Resource,
    },
    /// A question is asked at once and for the whole run, or after the others.
    Priority {
        /// Which of the two.
        level: Level,
        /// The hypothesis.
        hypothesis: String,
        /// The focus.
        focus: Focus,
    },
    /// A hypothesis is true from another value on.
    Threshold {
        /// The hypothesis.
        hypothesis: String,
        /// The value.
        value: f64,
    },
    /// The dwell time of classic verdicts.
    DwellTime(Nanos),
}

/// The hypotheses that a prune is about, with those that make them more precise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PrunedHypotheses {
    /// All.
    All,
    /// This one.
    Only(String),
    /// All but this one.
    AllBut(String),
}

/// How soon a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// At once, and for the whole run.
    High,
    /// After all others.
    Low,
}

/// A directive, the comment on its line, and where it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectiveLine {
    /// What is said.
    pub directive: Directive,
    /// Where that comes from, in words.
    pub comment: Option<String>,
    /// Where it stands.
    pub place: TextPosition,
}

/// All that is said, in the order in which it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Directives {
    /// One for each line that says something.
    pub entries: Vec<DirectiveLine>,
    /// What was learned once and is not said any more, with the reason; for people.
    pub dropped: Vec<String>,
}

impl Directive {
    /// What it speaks of: two directives of one subject say the same, or contradict each other.
    #[must_use]
    pub fn subject(&self) -> String {
        match self {
            Self::Map { from, .. } => format!("map {from}"),
            Self::Prune { whom, resource } => format!("prune {whom} {resource}"),
            Self::Threshold { hypothesis, .. } => format!("threshold {hypothesis}"),
            Self::Priority { hypothesis, focus, .. } => format!("priority {hypothesis} {focus}"),
            Self::DwellTime(_) => "hold".to_owned(),
        }
    }
}

impl Directives {
    /// Adds what another file says.
    pub fn append(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.dropped.extend(other.dropped);
    }

    /// Notes a directive that is not said any more, and why.
    pub fn drop_contradicted(&mut self, directive: &Directive, reason: &str) {
        let words: Vec<String> =
            directive.to_string().split_whitespace().map(str::to_owned).collect();
        self.dropped.push(format!("{}: {reason}", words.join(" ")));
    }

    /// Adds a directive that no file holds, with a comment on where it comes from.
    pub fn push(&mut self, directive: Directive, comment: Option<String>) {
        let place = TextPosition { file: "".into(), line: self.entries.len() + 2, column: 1 };
        self.entries.push(DirectiveLine { directive, comment, place });
    }
}

impl fmt::Display for Directives {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}", FIRST_LINE)?;
        for entry in &self.entries {
            write!(out, "{}", entry.directive)?;
            match &entry.comment {
                Some(comment) => writeln!(out, "  # {comment}")?,
                None => writeln!(out)?,
            }
        }
        self.dropped.iter().try_for_each(|dropped| writeln!(out, "# no longer: {dropped}"))
    }
}

impl fmt::Display for Directive {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Map { from, to } => write!(out, "map       {from}  {to}"),
            Self::Prune { whom, resource } => write!(out, "prune     {whom}  {resource}"),
            Self::Priority { level, hypothesis, focus } => {
                write!(out, "priority  {level}  {hypothesis}  {focus}")
            }
            Self::Threshold { hypothesis, value } => {
                write!(out, "threshold {hypothesis}  {value}")
            }
            Self::DwellTime(time) => write!(out, "hold      {}", TimeText(*time)),
        }
    }
}

/// A time as it stands in a file.
pub(crate) struct TimeText(pub(crate) Nanos);

impl fmt::Display for TimeText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < Nanos::from_secs(1) {
            write!(out, "{} ms", Nanos(self.0.0 * 1000).as_secs_f64())
        } else {
            write!(out, "{} s", self.0.as_secs_f64())
        }
    }
}

impl fmt::Display for PrunedHypotheses {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => write!(out, "*"),
            Self::Only(name) => write!(out, "{name}"),
            Self::AllBut(name) => write!(out, "!{name}"),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::High => "high",
            Self::Low => "low",
        })
    }
}
