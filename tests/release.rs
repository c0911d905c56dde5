//! Finds the release build under test: promises are checked on what is shipped.

use std::env;
use std::path::PathBuf;

/// The folder with `whyperf` and `libwhyperf.so`: what `WHYPERF_TEST_BIN_DIR` says, else the one beside this program.
pub(crate) fn folder() -> PathBuf {
    let beside = || {
        let own = env::current_exe().expect("a running program has a path");
        own.ancestors().nth(3).expect("it lies in <target>/<profile>/deps").join("release")
    };
    env::var_os("WHYPERF_TEST_BIN_DIR").map_or_else(beside, PathBuf::from)
}

/// The shared object, which must have been built before.
pub(crate) fn library() -> PathBuf {
    let path = folder().join("libwhyperf.so");
    assert!(path.exists(), "{} is missing: run `cargo build --release` first", path.display());
    path
}
