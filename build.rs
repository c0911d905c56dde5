//! Builds the library for the command that `cargo install` makes, which has it inside: nothing else is installed.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_library)");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    // Whoever builds the library beside the command does without, and so do tests of the command.
    let is_wanted =
        env::var_os("CARGO_FEATURE_LIBRARY").is_some() && variable("PROFILE") == "release";
    println!("cargo::rerun-if-changed=build.rs");
    if !is_wanted {
        return;
    }
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    for part in ["Cargo.lock", "layout", "runtime", "probes"] {
        println!("cargo::rerun-if-changed={}", root.join(part).display());
    }
    let library = build(&root, &PathBuf::from(variable("OUT_DIR")), &variable("TARGET"));
    println!("cargo::rustc-env=WHYPERF_BUILT_LIBRARY={}", library.display());
    println!("cargo::rustc-cfg=has_library");
}

/// Builds it in a folder of its own: that of this build is taken.
fn build(root: &Path, place: &Path, target: &str) -> PathBuf {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args(["build", "--release", "--offline", "--quiet", "--lib"]);
    cargo.args(["--package", "whyperf-probes", "--target", target]).arg("--target-dir").arg(place);
    // What only a debugger reads would make the command longer by ten megabytes.
    cargo.env("CARGO_PROFILE_RELEASE_DEBUG", "false");
    let status = cargo.status().unwrap_or_else(|error| panic!("{cargo:?}: {error}"));
    assert!(status.success(), "{cargo:?}: {status}");
    place.join(target).join("release/libwhyperf.so")
}
