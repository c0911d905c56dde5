//! The errors of the daemon, each with the object that it happened to.

use std::io;
use std::path::PathBuf;

/// An attempt that failed, and on what.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The place for run directories cannot be prepared.
    #[error(
        "cannot create the run directory {path}: {source}; set WHYPERF_SHM_DIR to a directory you may write"
    )]
    CreateRunDirectory {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The place for run directories belongs to another user or lets others in.
    #[error("refusing the directory {path}: {why}; remove it or set WHYPERF_SHM_DIR")]
    UnsafeDirectory {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A run directory cannot be read.
    #[error("cannot read the run directory {path}: {source}")]
    ReadRunDirectory {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A region file cannot be opened or mapped.
    #[error("cannot map the region {path}: {source}")]
    MapRegion {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A region file is not what it should be.
    #[error("leaving out the region {path}: {why}")]
    BadRegion {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        why: BadRegion,
    },
    /// The thread that reads symbols cannot be started.
    #[error("cannot start the thread that reads symbols: {source}")]
    StartSymbols {
        /// Why.
        source: io::Error,
    },
}

/// What is wrong with a region file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRegion {
    /// It is a directory, a device or the like.
    #[error("it is no regular file")]
    NotAFile,
    /// Another user's.
    #[error("it belongs to user {owner}")]
    Owner {
        /// Whose it is.
        owner: u32,
    },
    /// Too short for what it says it holds.
    #[error("it is {found} bytes long where {needed} are needed")]
    Size {
        /// How long it is.
        found: u64,
        /// How long it has to be.
        needed: u64,
    },
    /// Its first bytes are no region's.
    #[error("it does not begin as a region does")]
    Magic,
    /// Written by a library of another version.
    #[error(
        "its layout is version {found}, this whyperf reads version {expected}; use the library that came with it"
    )]
    Version {
        /// What it says.
        found: u32,
        /// What can be read.
        expected: u32,
    },
    /// A number in its header that no library writes.
    #[error("its header is not one that the library writes")]
    Header,
}
