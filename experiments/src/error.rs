//! The errors of a store: what was attempted on which file, and what to try.

use std::io;
use std::path::PathBuf;

use crate::database::{AddressError, DatabaseError, Problem};

/// Why a store could not be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file cannot be opened or made.
    #[error("cannot open the store {}: {source}; name another with --store or WHYPERF_STORE", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It is a folder, a pipe or a device.
    #[error("the store {} is no file; name another with --store or WHYPERF_STORE", path.display())]
    NoFile {
        /// What was named.
        path: PathBuf,
    },
    /// Somebody else could read or change what is written there.
    #[error("the store {} is not written: {why}; name another with --store or WHYPERF_STORE", path.display())]
    NotOwn {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// There is none, where one is to be read.
    #[error("there is no store {} yet; `whyperf run` makes one, --store or WHYPERF_STORE name another", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else, or was cut or damaged.
    #[error("{} is damaged or is no store of whyperf: {reason}; move it away, and the next run makes a new one", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// In the words of the database.
        reason: String,
    },
    /// It was written by a newer whyperf.
    #[error("the store {} has version {found} and this whyperf knows versions up to {known}: use a newer whyperf, or another --store", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// It may be read only.
    #[error("the store {} cannot be written; check its permissions and its folder's, or name another with --store", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// Another process locked it for too long.
    #[error("the store {} is being written by another process and did not become free; try again", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The URL of a server is none.
    #[error("the store {} cannot be understood: {reason}; it is postgres://USER@HOST:PORT/DATABASE", path.display())]
    Address {
        /// The URL, without its password.
        path: PathBuf,
        /// What is wrong with it.
        reason: AddressError,
    },
    /// No server answers there, or it went away.
    #[error("the store {} cannot be reached: {reason}", path.display())]
    Unreachable {
        /// The URL, without its password.
        path: PathBuf,
        /// In the words of the system or of the server.
        reason: String,
    },
    /// The server does not let this user in.
    #[error("the store {} does not let whyperf in: {reason}", path.display())]
    Refused {
        /// The URL, without its password.
        path: PathBuf,
        /// In the words of the server.
        reason: String,
    },
    /// No room for it.
    #[error("no room for the store {}: the disk or a quota is full; what was written before stays", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// Something else went wrong.
    #[error("the store {} failed while {doing}: {reason}", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What was attempted.
        doing: &'static str,
        /// In the words of the database.
        reason: String,
    },
    /// No run is called that.
    #[error("there is no run {wanted} in {}; `whyperf runs` lists them", path.display())]
    NoSuchRun {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        wanted: String,
    },
    /// A run has no such phase, or the part of it that is asked for has no length.
    #[error(
        "run {run} has no such part: `whyperf show {run}` lists its phases, and says how long it took"
    )]
    NoPart {
        /// Which run.
        run: crate::run::RunId,
    },
    /// Scaling is asked of runs that have all the same number of processes, or of none.
    #[error("how a program scales is told by whole runs with different numbers of processes, and {} has no two of them among those named: run it with 2, 4 and 8, too", path.display())]
    OneProcessCount {
        /// The file.
        path: PathBuf,
    },
    /// The run was stored without what a diagnosis needs.
    #[error("run {run} in {} has no record to diagnose: an older whyperf stored it, or it was killed before its first record was written", path.display())]
    NoRecord {
        /// The file.
        path: PathBuf,
        /// Which run.
        run: crate::run::RunId,
    },
    /// What was stored for a diagnosis cannot be read.
    #[error("the record of run {run} in {} {reason}; it cannot be searched again, and `whyperf show {run}` tells what else is stored of the run", path.display())]
    BadRecord {
        /// The file.
        path: PathBuf,
        /// Which run.
        run: crate::run::RunId,
        /// Why not.
        reason: crate::record::RecordError,
    },
    /// What was stored of its messages cannot be read.
    #[error("the messages of run {run} in {} {reason}; what else is stored of the run can be read", path.display())]
    BadMessages {
        /// The file.
        path: PathBuf,
        /// Which run.
        run: crate::run::RunId,
        /// Why not.
        reason: crate::message_series::MessageSeriesError,
    },
    /// Several are.
    #[error("{wanted} could be several runs: {}; write more of the one that is meant", candidates.join(", "))]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// Some of those it could be.
        candidates: Vec<String>,
    },
}

impl StoreError {
    /// What the database said, as one of ours.
    pub(crate) fn of(path: &std::path::Path, doing: &'static str, error: &DatabaseError) -> Self {
        let path = path.to_owned();
        let reason = error.to_string();
        match error.problem() {
            Problem::Damaged => Self::Damaged { path, reason },
            Problem::ReadOnly => Self::ReadOnly { path },
            Problem::Busy => Self::Busy { path },
            Problem::Full => Self::Full { path },
            Problem::CannotOpen(source) => Self::Open { path, source },
            Problem::Unreachable => Self::Unreachable { path, reason },
            Problem::Refused => Self::Refused { path, reason },
            Problem::Other => Self::Failed { path, doing, reason },
        }
    }

    /// Whether there is a server that this whyperf cannot get at: what is to be written belongs into a file meanwhile.
    #[must_use]
    pub const fn is_out_of_reach(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Refused { .. })
    }
}
