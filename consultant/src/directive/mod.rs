//! What earlier runs or a person say to a search: which questions first, which never, and when a value is too large.
//!
//! ```text
//! whyperf directives 1
//! map       /Code/oned.c  /Code/onednb.c                  # the others speak of the left name and mean the right one
//! map       /Machine/n{0-7}  /Machine/x{120-127}          # in pairs: n0 is called x120 now, n1 x121, and so on
//! prune     *  /Machine                                   # never ask by machine; `!X` is all hypotheses but X
//! priority  high  ExcessiveSyncWaitingTime  </Code/onednb.c/exchng1,/Machine,/Process,/SyncObject>
//! threshold ExcessiveSyncWaitingTime  0.12
//! hold      2 s                                           # classic verdicts conclude after this time; in s or ms
//! ```
//!
//! One a line, `#` begins a comment that belongs to its line. Reading complains about every mistake with its line and column;
//! nothing is used of what has any. Files are put together as [`Directives`]; [`DirectivesInForce`] is what a search makes of them.

mod in_force;
mod maps;
mod mistake;
mod parse;
mod range;

use crate::text_position::TextPosition;
use std::fmt;

use whyperf_model::{Focus, Nanos, Resource};

pub use in_force::DirectivesInForce;
pub(crate) use in_force::Ruling;
pub use maps::Maps;
pub use mistake::{DirectiveError, Mistake};

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
        whom: Whom,
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
pub enum Whom {
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
pub struct Entry {
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
    pub entries: Vec<Entry>,
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
    }

    /// Adds a directive that no file holds, with a comment on where it comes from.
    pub fn push(&mut self, directive: Directive, comment: Option<String>) {
        let place = TextPosition { file: "".into(), line: self.entries.len() + 2, column: 1 };
        self.entries.push(Entry { directive, comment, place });
    }
}

impl fmt::Display for Directives {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}", parse::FIRST_LINE)?;
        for entry in &self.entries {
            write!(out, "{}", entry.directive)?;
            match &entry.comment {
                Some(comment) => writeln!(out, "  # {comment}")?,
                None => writeln!(out)?,
            }
        }
        Ok(())
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

impl fmt::Display for Whom {
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
