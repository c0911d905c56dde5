//! Copies programs that are run next.

use std::path::Path;
use std::process::Command;

/// Copies a file, with its mode. Another process does it: a file that this one wrote is "busy" as long as a child of another thread has not
/// begun its own program, and cannot be run.
pub(crate) fn copied(from: &Path, to: &Path) {
    let status = Command::new("cp").arg(from).arg(to).status().expect("every system has `cp`");
    assert!(status.success(), "{} is not copied to {}", from.display(), to.display());
}
