//! What calls of a function cost while it is on, and what of that is taken off again; nothing is judged.
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
