//! What an instrumented function costs, and what arming and switching take: a C program that plays
//! the daemon for itself, built and run under the shipped library.
//!
//! `cargo bench --bench patch`; with `-- --test` a few rounds, to see that it runs.

#[path = "../tests/patch/offsets.rs"]
mod offsets;
mod shipped;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use offsets::offsets;
use shipped::{Folder, library};

fn main() -> ExitCode {
    let rounds = if env::args().any(|argument| argument == "--test") { "3" } else { "2001" };
    let folder = Folder::new("patch");
    let program = build(&folder.0);
    let mut preload = OsString::from("LD_PRELOAD=");
    preload.push(library());
    let mut regions = OsString::from("WHYPERF_DIR=");
    regions.push(&folder.0);
    let status = Command::new("env").arg(preload).arg(regions).arg(program).arg(rounds).status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => {
            eprintln!("patch: the measured program ended with {status}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("patch: starting the measured program: {error}");
            ExitCode::FAILURE
        }
    }
}

fn build(folder: &Path) -> PathBuf {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (object, program) = (folder.join("calls.o"), folder.join("calls"));
    let sites = "-O2 -fno-pie -pg -mfentry -mnop-mcount -mrecord-mcount -D_GNU_SOURCE";
    let mut compile = Command::new("gcc");
    compile.args(sites.split(' ')).args(offsets());
    compile.arg("-I").arg(project.join("tests/programs/patch")).arg("-c");
    compile.arg(project.join("benches/patch_calls.c")).arg("-o").arg(&object);
    succeed(compile);
    let mut link = Command::new("gcc");
    link.args(["-no-pie", "-pthread"]).arg(&object).arg("-o").arg(&program);
    succeed(link);
    program
}

fn succeed(mut command: Command) {
    let status = command.status().expect("gcc is installed");
    assert!(status.success(), "{command:?}: {status}");
}
