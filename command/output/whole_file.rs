//! Files that are replaced as a whole: a reader never sees half of one.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Puts a content in the place of what is there. What is no regular file is written as it is.
pub(crate) fn replace(path: &Path, content: impl AsRef<[u8]>) -> std::io::Result<()> {
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return fs::write(path, content);
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let unfinished = PathBuf::from(name);
    let mut file = fs::File::create(&unfinished)?;
    let written = file.write_all(content.as_ref()).and_then(|()| file.sync_all());
    let written = written.and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}
