//! The bytes of a file, wherever they are kept.

use std::fmt;

/// Bytes that stay where they are: a file in memory, or mapped.
///
/// Files are cut and overwritten while they are mapped. Whoever maps them answers for what happens
/// then, and says so in `is_damaged`.
pub trait Storage: fmt::Debug + Send + Sync {
    /// All of the file.
    fn bytes(&self) -> &[u8];

    /// Whether a part of it was gone when it was read.
    fn is_damaged(&self) -> bool {
        false
    }
}

impl Storage for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}
