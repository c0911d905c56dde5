//! The kinds of what can go wrong with a database, whichever it is.

use std::io;

/// What is wrong, as far as something can be done about it.
#[derive(Debug)]
pub(crate) enum Problem {
    /// What is there is damaged, or no database.
    Damaged,
    /// It may be read only.
    ReadOnly,
    /// Somebody else has it.
    Busy,
    /// There is no room.
    Full,
    /// A file cannot be opened.
    CannotOpen(io::Error),
    /// No server answers there, or it has gone away.
    Unreachable,
    /// The server does not let this user in.
    Refused,
    /// Something else.
    Other,
}
