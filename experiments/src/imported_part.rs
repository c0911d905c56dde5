//! A part of an imported run, as it is written at once: the run as a whole is in memory nowhere.

use whyperf_model::matching::Grown;
use whyperf_model::{Nanos, UserEventRow};

use crate::foreign_bytes::ForeignBytes;

/// Some threads of an imported run.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImportedPart {
    /// Callpaths that no part before had.
    pub(crate) callpaths: Vec<NumberedCallpath>,
    /// Callpaths of threads.
    pub(crate) rows: Vec<ImportedRow>,
    /// Whether some of these threads were there before, as contexts and threads with large numbers may be: the last one counts.
    pub(crate) is_again: bool,
    /// Values that the program told.
    pub(crate) user_events: Vec<UserEventRow>,
    /// What these threads add to the one pass of the record.
    pub(crate) grown: Vec<Grown>,
    /// The threads to the letter.
    pub(crate) foreign: ForeignBytes,
}

/// A callpath by its number in the run.
#[derive(Clone, Debug)]
pub(crate) struct NumberedCallpath {
    pub(crate) number: u32,
    /// From the outside in.
    pub(crate) path: Vec<String>,
    /// Where it is, for all threads that say nothing else.
    pub(crate) source: Option<String>,
}

/// What a callpath came to in a thread.
#[derive(Clone, Debug)]
pub(crate) struct ImportedRow {
    pub(crate) process: u32,
    pub(crate) thread: u32,
    /// The number of the callpath.
    pub(crate) callpath: u32,
    pub(crate) calls: u64,
    pub(crate) inclusive: Nanos,
    pub(crate) exclusive: Nanos,
    /// Where it is, if elsewhere than in the thread that had it first.
    pub(crate) source: Option<Box<str>>,
}

impl ImportedPart {
    /// So many callpaths of threads are written at once: each time the disk is waited for.
    const ROWS: usize = 1 << 15;
    /// And so many user events of threads, of which each has its name.
    const USER_EVENTS: usize = 1 << 13;
    /// And so many bytes to the letter.
    const BYTES: usize = 1 << 20;

    /// Whether it is time to write it, when so many bytes to the letter wait for it.
    pub(crate) const fn is_full(&self, bytes: usize) -> bool {
        self.rows.len() >= Self::ROWS
            || self.user_events.len() >= Self::USER_EVENTS
            || bytes >= Self::BYTES
    }
}
