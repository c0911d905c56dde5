//! The errors of reading an object file.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// What was attempted on which file, and why it did not work.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The file cannot be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It is no ELF file.
    #[error("{} is no ELF object", path.display())]
    NotElf {
        /// Which file.
        path: PathBuf,
    },
    /// Its headers make no sense.
    #[error("{} has headers that make no sense: {reason}", path.display())]
    Malformed {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        reason: object::Error,
    },
    /// It was deleted or replaced while a process has it mapped, and the rest cannot be read.
    #[error("{} was deleted or replaced while it is in use; start the program anew to see its functions", path.display())]
    Replaced {
        /// Which file.
        path: PathBuf,
    },
    /// Its code lies further apart than code can jump.
    #[error("the code of {} lies more than 4 GiB apart", path.display())]
    Scattered {
        /// Which file.
        path: PathBuf,
    },
    /// It has debug information of something else.
    #[error("{} is of another build and was not used", path.display())]
    Unrelated {
        /// Which file.
        path: PathBuf,
    },
    /// It is an object for another machine than this one.
    #[error("{} holds code for another machine ({found})", path.display())]
    Machine {
        /// Which file.
        path: PathBuf,
        /// What it is for.
        found: &'static str,
    },
}
