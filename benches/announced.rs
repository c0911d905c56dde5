//! Measures the cost of functions that a compiler made announce their calls: off, on, and with empty hooks.
//!
//! `cargo bench --bench announced`; with `-- --test` a few rounds, to see that it runs.

mod played;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use played::{compiled, linked, succeed};

fn main() -> ExitCode {
    played::run("announced", build)
}

fn build(folder: &Path) -> PathBuf {
    let ours = compiled("announced_function.c", &["-finstrument-functions"], folder);
    let bare = folder.join("bare.o");
    let mut rename = Command::new("objcopy");
    for pair in RENAMED {
        rename.args(["--redefine-sym", pair]);
    }
    succeed(rename.arg(&ours).arg(&bare));
    linked(&[compiled("announced_calls.c", &[], folder), ours, bare], folder)
}

/// So that the second function's hooks are the C library's.
const RENAMED: [&str; 3] = [
    "announced=bare",
    "__cyg_profile_func_enter=nothing_enter",
    "__cyg_profile_func_exit=nothing_exit",
];
