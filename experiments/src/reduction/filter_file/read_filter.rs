//! A filter while it is read: its rules, its mistakes and what it says beside.

use whyperf_model::{CodeFilter, FilterEffect, FilterTarget};

use super::filter_error::{FilterError, FilterProblem, MOST_RULES};

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct ReadFilter {
    filter: CodeFilter,
    rules: usize,
    mistakes: Vec<FilterError>,
    notes: Vec<String>,
}

/// Where something stands in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FilterPlace {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl FilterPlace {
    /// At this byte of a line.
    pub(super) fn of(line: usize, text: &str, byte: usize) -> Self {
        Self { line, column: text[..byte].chars().count() + 1 }
    }
}

impl ReadFilter {
    /// Adds a rule, if it is not one too many.
    pub(super) fn add(&mut self, target: FilterTarget, effect: FilterEffect, at: FilterPlace) {
        self.rules += 1;
        match self.rules {
            ..=MOST_RULES => self.filter.add(target, effect),
            rules if rules == MOST_RULES + 1 => self.complain(at, FilterProblem::TooMany),
            _ => {}
        }
    }

    /// Notes a mistake.
    pub(super) fn complain(&mut self, at: FilterPlace, problem: FilterProblem) {
        self.mistakes.push(FilterError { line: at.line, column: at.column, problem });
    }

    /// Notes what is said and not done.
    pub(super) fn note(&mut self, line: usize, what: &str) {
        self.notes.push(format!("line {line}: {what}"));
    }

    /// The filter and the notes.
    pub(super) fn finished(self) -> Result<(CodeFilter, Vec<String>), Vec<FilterError>> {
        if self.mistakes.is_empty() { Ok((self.filter, self.notes)) } else { Err(self.mistakes) }
    }
}
