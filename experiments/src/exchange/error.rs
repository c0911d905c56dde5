//! Why something of another tool cannot be taken in: what was read where, and what is wrong there.

use std::io;
use std::path::PathBuf;

/// Why a file or folder is not taken in; nothing of it is kept then.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A line makes no sense.
    #[error("{}, line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Which line, the first being 1.
        line: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// There is nothing to take in.
    #[error("{} holds {what}", path.display())]
    Nothing {
        /// The file or folder.
        path: PathBuf,
        /// What is there instead.
        what: &'static str,
    },
    /// A database cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: rusqlite::Error,
    },
    /// A database holds no trial that was asked for, or more than one where none was.
    #[error("{} holds several trials, or none of that name: name one by --select: {names}", path.display())]
    Trials {
        /// The file.
        path: PathBuf,
        /// Numbers and names of all there are.
        names: String,
    },
    /// It cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}
