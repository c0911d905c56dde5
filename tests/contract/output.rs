//! Runs the system's tools and returns what they print.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A path inside the project.
pub(crate) fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// What a tool prints; it must succeed.
pub(crate) fn output(tool: &str, arguments: &[&OsStr]) -> String {
    let output = Command::new(tool)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{tool}: {error}; install binutils and gcc"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{tool} {arguments:?}: {}\n{said}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}
