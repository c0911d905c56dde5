//! The mistakes that a directive file can contain, and the message for each.

use crate::text_position::{TextPosition, quoted};
use std::fmt;

use whyperf_model::{Problem, Resource};

use super::definition::FIRST_LINE;
use super::range::MOST_NAMES;
use crate::hypothesis::ThresholdFault;

/// A mistake and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectiveError {
    /// Where.
    pub place: TextPosition,
    /// What is wrong.
    pub mistake: Mistake,
}

/// What can be wrong with directives.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Mistake {
    /// The file does not begin as it should.
    FirstLine,
    /// It is of a version that this whyperf does not know.
    Version(String),
    /// No directive is called so.
    Keyword(String),
    /// Something is missing.
    Missing(&'static str),
    /// There is more than there should be.
    Extra(String),
    /// No hypothesis is called so.
    Hypothesis(String),
    /// Neither `high` nor `low`.
    Level(String),
    /// Not a resource, or not a focus.
    Name(Problem),
    /// Not a value of the hypothesis, or not one that values can pass.
    Threshold(ThresholdFault),
    /// Not a time that can be a dwell time.
    DwellTime(String),
    /// Not a unit of time.
    Unit(String),
    /// A map leads from one hierarchy to another, or is about a root.
    Unmappable,
    /// Ranges stand for so many old names and so many new ones.
    Ranges(u64, u64),
    /// With this one, the ranges of the file stand for so many names.
    TooMany(u64),
    /// A new name of a range is an old one, too, and would be renamed once more.
    Overlap,
    /// Following the maps never ends.
    Cycle(Resource),
    /// It contradicts what was said there.
    Contradiction(TextPosition),
}

impl DirectiveError {
    /// The same in a column of what stands there.
    pub(super) fn shifted(mut self, column: usize) -> Self {
        self.place.column += column - 1;
        self
    }
}

impl fmt::Display for DirectiveError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.mistake)
    }
}

impl std::error::Error for DirectiveError {}

impl fmt::Display for Mistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FirstLine => write!(out, "the file must begin with '{FIRST_LINE}'"),
            Self::Version(version) => write!(
                out,
                "directives of version {} cannot be read, only those of version 1; use a newer whyperf",
                quoted(version)
            ),
            Self::Keyword(word) => {
                write!(
                    out,
                    "{} is no directive; there are map, prune, priority, threshold and hold",
                    quoted(word)
                )
            }
            Self::Missing(wanted) => write!(out, "{wanted} is missing"),
            Self::Extra(word) => write!(out, "{} is too much", quoted(word)),
            Self::Hypothesis(name) => {
                let name = quoted(name);
                write!(out, "there is no hypothesis {name}; `whyperf hypotheses` prints all")
            }
            Self::Level(word) => write!(out, "{} is neither 'high' nor 'low'", quoted(word)),
            Self::Name(problem) => write!(out, "{problem}"),
            Self::Threshold(fault) => write!(out, "{fault}"),
            Self::DwellTime(word) => write!(
                out,
                "{} is no time to hold a verdict; it lies between 1 ms and 1 hour, as in `2 s`",
                quoted(word)
            ),
            Self::Unit(word) => {
                write!(out, "{} is no unit of time here; there are s and ms", quoted(word))
            }
            Self::Ranges(old, new) => write!(
                out,
                "ranges are mapped in pairs, but the old name stands for {old} and the new one for {new}"
            ),
            Self::TooMany(names) => write!(
                out,
                "the ranges of this file stand for {names} names by now, and {MOST_NAMES} is the most; map what lies above them, or fewer"
            ),
            Self::Overlap => {
                write!(out, "the ranges overlap: a new name would be taken for an old one again")
            }
            Self::Unmappable => {
                write!(
                    out,
                    "a map leads from one resource to another of the same hierarchy, both below its root"
                )
            }
            Self::Cycle(resource) => {
                write!(out, "the maps lead from {resource} back to it, or on without end")
            }
            Self::Contradiction(place) => write!(out, "this contradicts {place}"),
        }
    }
}
