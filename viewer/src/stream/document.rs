//! A stream as a page is told of it.

use std::fmt;

use serde::Serialize;

use super::attribute::StreamAttribute;
use super::declaration::StreamPicture;

/// A stream, from one of its records on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamDocument {
    /// [`crate::VERSION`].
    pub version: u32,
    /// How it is called.
    pub name: String,
    /// The file that it was read from, or the command that prints it.
    pub source: String,
    /// What its records have.
    pub attributes: Vec<StreamAttribute>,
    /// How it is drawn: as declared, or as its attributes suggest.
    pub pictures: Vec<StreamPicture>,
    /// How many records there are.
    pub records: usize,
    /// Of so many records that came one is kept.
    pub every: usize,
    /// The number of the first that is told.
    pub from: usize,
    /// By attribute, the values of the records from there on.
    pub columns: Vec<ColumnDocument>,
    /// Lines that were left out, the first of them.
    pub malformed: Vec<MalformedRow>,
    /// How many those are in all.
    pub malformed_count: u64,
}

/// The values of an attribute; null where a record has none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ColumnDocument {
    /// Numbers, and moments in seconds since the beginning of the run.
    Numbers(Vec<Option<f64>>),
    /// Words.
    Words(Vec<Option<String>>),
}

/// A line that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MalformedRow {
    /// Which line; the first is 1.
    pub line: u64,
    /// Which column; the first is 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for MalformedRow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.line, self.column, self.what)
    }
}
