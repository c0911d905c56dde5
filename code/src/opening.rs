//! The settings by which an object is opened: how its file is read, and which folder keeps results that take time to
//! compute.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::storage::Storage;

/// What is needed to open an object.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The file as its user names it. Its last part names the object where nothing else does.
    pub path: PathBuf,
    /// Where the file is reached from here.
    pub reach: PathBuf,
    /// How files are read: this one, and those with its debug information.
    pub read: StorageReader,
    /// A folder that only its owner can write, for what takes time to work out.
    pub cache: Option<PathBuf>,
}

/// Reads a file, or maps it.
pub type StorageReader = fn(&Path) -> io::Result<Arc<dyn Storage>>;

impl Opening {
    /// A file that is reached by its name, read into memory, and about which nothing is kept.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), reach: path.to_owned(), read: whole, cache: None }
    }
}

fn whole(path: &Path) -> io::Result<Arc<dyn Storage>> {
    // A pipe or a device of that name would be read for ever.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    Ok(Arc::new(fs::read(path)?))
}
