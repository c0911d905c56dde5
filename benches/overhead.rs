//! Measures the cost of calls of a function that is on, and the part of it that is subtracted again; it reports and does
//! not judge.
//!
//! `cargo bench --bench overhead` on a machine with nothing beside it.

mod played;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use played::{compiled, linked};

fn main() -> ExitCode {
    played::run("overhead", build)
}

fn build(folder: &Path) -> PathBuf {
    let sites = ["-pg", "-mfentry", "-mnop-mcount", "-mrecord-mcount"];
    linked(&[compiled("../tests/programs/patch/overhead.c", &sites, folder)], folder)
}
