//! Measures how close functions that are called too often come to the budget, and what share of the time windows cover; it
//! reports and does not judge.
//!
//! `cargo bench --bench limits` on a machine with nothing beside it: 100,000 visits a second are allowed, and a millisecond of 20 is covered.

mod played;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use played::{compiled, linked};

fn main() -> ExitCode {
    played::run("limits", build)
}

fn build(folder: &Path) -> PathBuf {
    let sites = ["-pg", "-mfentry", "-mnop-mcount", "-mrecord-mcount"];
    linked(&[compiled("../tests/programs/patch/limits.c", &sites, folder)], folder)
}
