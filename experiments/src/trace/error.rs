//! The errors of traces: what was attempted on which file, and what is wrong with it.

use std::io;
use std::path::PathBuf;

use whyperf_extrapolate::Rank;

/// Why a trace could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be opened, read or written.
    #[error("cannot {doing} the trace {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was attempted.
        doing: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// It is something else.
    #[error("{} is no trace of whyperf; `whyperf trace import` makes one of text", path.display())]
    NoTrace {
        /// The file.
        path: PathBuf,
    },
    /// A newer whyperf wrote it.
    #[error("the trace {} has version {found} and this whyperf knows versions up to {known}: use a newer whyperf", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u8,
        /// Ours.
        known: u8,
    },
    /// Its end is missing.
    #[error("the trace {} is cut: its index, which is written last, is missing; make it again", path.display())]
    Cut {
        /// The file.
        path: PathBuf,
    },
    /// The index makes no sense.
    #[error("the index of the trace {} is damaged; make it again", path.display())]
    BadIndex {
        /// The file.
        path: PathBuf,
    },
    /// Events of a rank make no sense.
    #[error("the trace {} is damaged: block {block} of {rank} cannot be read; make it again", path.display())]
    BadBlock {
        /// The file.
        path: PathBuf,
        /// Whose events.
        rank: Rank,
        /// Which block of the rank.
        block: usize,
    },
    /// An event of a rank that the trace does not have.
    #[error("the trace {} has {ranks} ranks, and an event is of {rank}", path.display())]
    NoSuchRank {
        /// The file.
        path: PathBuf,
        /// Whose event.
        rank: Rank,
        /// How many ranks there are.
        ranks: u32,
    },
}

/// A mistake in a trace as text.
#[derive(Debug, thiserror::Error)]
pub enum TextTraceError {
    /// A line cannot be understood.
    #[error("{file}:{line}: {what}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1 on.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A file of an archive cannot be read.
    #[error("{file}: {what}")]
    Archive {
        /// The file.
        file: String,
        /// What is wrong.
        what: String,
    },
    /// The trace that is made of it cannot be written.
    #[error(transparent)]
    Written(#[from] TraceError),
}
