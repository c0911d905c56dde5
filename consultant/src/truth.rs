//! The answer to a question: true, false or unknown.

use serde::{Deserialize, Serialize};

/// What is known about a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Truth {
    /// Not asked, or the evidence does not suffice.
    #[default]
    Unknown,
    /// It is so.
    True,
    /// It is not so.
    False,
}

impl Truth {
    /// The word that stores, reports and exports hold.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::True => "true",
            Self::False => "false",
        }
    }
}
