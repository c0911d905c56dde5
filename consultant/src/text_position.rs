//! A position in a text file that a person wrote, and the form in which a word of that file is quoted.

use std::fmt;
use std::sync::Arc;

/// Where a directive stands. Lines and columns count from one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPosition {
    /// The file, as it was named.
    pub file: Arc<str>,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl fmt::Display for TextPosition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// More of a word that is wrong would hide what is said of it.
const LONGEST_SHOWN: usize = 60;

/// A word as it can be shown on a terminal, however long it is.
pub(crate) fn quoted(word: &str) -> String {
    let begin: String = word.chars().take(LONGEST_SHOWN).collect();
    let rest = if begin.len() < word.len() { "..." } else { "" };
    format!("'{}{rest}'", begin.escape_debug())
}
