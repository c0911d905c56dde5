//! Where something stands in a text file that a person wrote.

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
