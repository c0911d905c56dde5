//! A breach of a rule: where it is, and what to do about it.

use std::fmt;

/// One place that breaks one rule.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) file: String,
    /// Counted from one; 0 speaks of the whole file.
    pub(crate) line: usize,
    /// What is wrong, and the way out.
    pub(crate) advice: String,
}

impl Violation {
    pub(crate) fn new(file: &str, line: usize, advice: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, advice: advice.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line.max(1), self.advice)
    }
}

/// Fails the test with every violation on a line of its own.
pub(crate) fn refuse(violations: &[Violation]) {
    let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{} violations:\n{}\n", lines.len(), lines.join("\n"));
}
