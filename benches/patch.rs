//! Measures the cost of an instrumented function, and the time of arming and switching.
//!
//! `cargo bench --bench patch`; with `-- --test` a few rounds, to see that it runs.

mod played;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use played::{compiled, linked};

fn main() -> ExitCode {
    played::run("patch", build)
}

fn build(folder: &Path) -> PathBuf {
    // Each function begins with one instruction of five bytes that does nothing.
    let sites = ["-pg", "-mfentry", "-mnop-mcount", "-mrecord-mcount"];
    linked(&[compiled("patch_calls.c", &sites, folder)], folder)
}
