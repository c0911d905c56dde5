//! What a database said that could not do something.

use std::io;

use super::problem::Problem;
use super::server::ServerError;

/// Why a statement was not carried out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    /// In the words of SQLite.
    #[error("{0}")]
    File(#[from] rusqlite::Error),
    /// In the words of the server, or of the way to it.
    #[error("{0}")]
    Server(#[from] ServerError),
    /// Something else stands in a column than was written there.
    #[error("column {column} of an answer is not what was stored")]
    Content {
        /// Counted from 0.
        column: usize,
    },
}

impl DatabaseError {
    /// The kind of it.
    pub(crate) fn problem(&self) -> Problem {
        use rusqlite::ErrorCode as Code;
        match self {
            Self::Server(error) => error.problem(),
            Self::Content { .. } => Problem::Other,
            Self::File(error) => match error.sqlite_error_code() {
                Some(Code::NotADatabase | Code::DatabaseCorrupt) => Problem::Damaged,
                Some(Code::ReadOnly | Code::PermissionDenied) => Problem::ReadOnly,
                Some(Code::DatabaseBusy | Code::DatabaseLocked) => Problem::Busy,
                Some(Code::DiskFull) => Problem::Full,
                Some(Code::CannotOpen) => Problem::CannotOpen(io::Error::other(error.to_string())),
                _ => Problem::Other,
            },
        }
    }
}
