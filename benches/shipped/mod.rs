//! What benchmarks run beside: the shipped library, and a run directory of their own.

use std::env;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The shipped library: where `WHYPERF_TEST_BIN_DIR` says, else in the release folder beside us.
pub(crate) fn library() -> PathBuf {
    let beside = || {
        let program = env::current_exe().expect("a running program has a path");
        let target = program.ancestors().nth(3).expect("benches lie in <target>/<profile>/deps");
        target.join("release")
    };
    let folder = env::var_os("WHYPERF_TEST_BIN_DIR").map_or_else(beside, PathBuf::from);
    let path = folder.join("libwhyperf.so");
    assert!(
        path.exists(),
        "{} is missing: cargo build --release -p whyperf-probes",
        path.display()
    );
    path
}

/// A private folder on tmpfs, removed in the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let shared = Path::new("/dev/shm");
        let base = if shared.is_dir() { shared.to_owned() } else { env::temp_dir() };
        let path = base.join(format!("whyperf-bench-{name}-{}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&path).expect("the folder's name is new");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
