//! The library as it is shipped, and what the system's tools say of it.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library: where `WHYPERF_TEST_BIN_DIR` says, else in the release folder beside this test.
pub(crate) fn library() -> PathBuf {
    let folder = env::var_os("WHYPERF_TEST_BIN_DIR").map_or_else(release_folder, PathBuf::from);
    let path = folder.join("libwhyperf.so");
    assert!(
        path.exists(),
        "{} is missing: cargo build --release -p whyperf-probes",
        path.display()
    );
    path
}

fn release_folder() -> PathBuf {
    let test = env::current_exe().expect("a running program has a path");
    test.ancestors().nth(3).expect("tests lie in <target>/<profile>/deps").join("release")
}

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

/// A folder of this test, removed in the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("whyperf-contract-{name}-{}", std::process::id()));
        std::fs::create_dir(&path).expect("the folder's name is new");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
