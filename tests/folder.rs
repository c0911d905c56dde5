//! Folders that only their owner may use, as run directories must be.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// A new one, removed in the end with all that is in it.
#[derive(Debug)]
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// Below another folder, by a name that no other process takes.
    pub(crate) fn below(parent: &Path, name: &str) -> Self {
        let path = parent.join(format!("whyperf-{name}-{}", std::process::id()));
        make_private(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes one that stays.
pub(crate) fn make_private(path: &Path) {
    let made = DirBuilder::new().mode(0o700).create(path);
    made.unwrap_or_else(|error| panic!("making {}: {error}", path.display()));
}
