//! The error of a text that is not a resource, a focus or a metric, with the column where it is wrong.

use std::fmt;

/// A complaint about one place in a text. Columns count characters from one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The character at which reading stopped, counted from one.
    pub column: usize,
    /// What was found there.
    pub problem: Problem,
}

/// What can be wrong with the text of a resource or a focus.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A resource begins with `/`.
    NoLeadingSlash,
    /// The first component names none of the hierarchies.
    UnknownHierarchy(String),
    /// Two slashes follow each other, or the text ends in one.
    EmptyName,
    /// A character that may stand in a name only as `%XX`.
    Unescaped(char),
    /// A `%` without two hexadecimal digits, or one that hides a character needing no escape.
    BadEscape,
    /// A focus begins with `<`, or is one resource.
    NoOpening,
    /// A focus ends with `>`.
    NoClosing,
    /// A set opened by `(` ends with `)`.
    OpenSet,
    /// A set names at least one resource.
    EmptySet,
    /// A set keeps to one hierarchy.
    MixedSet,
    /// A hierarchy is named once.
    Duplicate(&'static str),
    /// No metric has this name.
    UnknownMetric(String),
}

impl ParseError {
    pub(crate) fn new(column: usize, problem: Problem) -> Self {
        Self { column, problem }
    }

    /// The same complaint about a text of which this one is a piece, starting after `before` characters.
    pub(crate) fn shifted(self, before: usize) -> Self {
        Self { column: self.column + before, ..self }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "column {}: {}", self.column, self.problem)
    }
}

impl std::error::Error for ParseError {}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLeadingSlash => write!(out, "a resource begins with '/'"),
            Self::UnknownHierarchy(name) => write!(
                out,
                "'{name}' is no hierarchy; there are Code, Machine, Process, SyncObject, File and UserEvent"
            ),
            Self::EmptyName => write!(out, "a name is missing between or after the slashes"),
            Self::Unescaped(character) => write!(
                out,
                "{character:?} may not stand in a name; write it as %{:02X}",
                u32::from(*character)
            ),
            Self::BadEscape => {
                write!(out, "'%' is followed by the two hexadecimal digits of a byte")
            }
            Self::NoOpening => {
                write!(out, "a focus begins with '<', or is one resource, as /Code/f")
            }
            Self::NoClosing => write!(out, "a focus ends with '>'"),
            Self::OpenSet => {
                write!(out, "the set is not closed by ')'; a '(' in a name is written %28")
            }
            Self::EmptySet => write!(out, "the set is empty"),
            Self::MixedSet => write!(out, "a set names resources of one hierarchy"),
            Self::Duplicate(name) => {
                write!(out, "/{name} is named twice; put several of its resources into (...)")
            }
            Self::UnknownMetric(name) => write!(out, "there is no metric '{name}'"),
        }
    }
}
