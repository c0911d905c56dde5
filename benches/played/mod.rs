//! Builds a C program that plays the daemon for itself, and runs it under the shipped library.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

#[path = "../../tests/building.rs"]
mod building;
#[path = "../../tests/patch/offsets.rs"]
mod offsets;
#[path = "../shipped/mod.rs"]
mod shipped;

pub(crate) use building::succeed;

/// Builds it in a folder of its own and runs it: a few rounds under `--test`.
pub(crate) fn run(name: &str, build: fn(&Path) -> PathBuf) -> ExitCode {
    let rounds = if env::args().any(|argument| argument == "--test") { "3" } else { "2001" };
    let folder = shipped::in_memory(name);
    let program = build(&folder.0);
    let mut preload = OsString::from("LD_PRELOAD=");
    preload.push(shipped::library());
    let mut regions = OsString::from("WHYPERF_DIR=");
    regions.push(&folder.0);
    let status = Command::new("env").arg(preload).arg(regions).arg(program).arg(rounds).status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => {
            eprintln!("{name}: the measured program ended with {status}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{name}: starting the measured program: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Compiles a source that plays the daemon, of this folder or named from here.
pub(crate) fn compiled(source: &str, options: &[&str], folder: &Path) -> PathBuf {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let name = Path::new(source).file_name().expect("a source has a name");
    let object = folder.join(name).with_extension("o");
    let mut compile = Command::new("gcc");
    compile.args(["-O2", "-fno-pie", "-D_GNU_SOURCE"]).args(options).args(offsets::offsets());
    compile.arg("-I").arg(project.join("tests/programs/patch")).arg("-c");
    succeed(compile.arg(project.join("benches").join(source)).arg("-o").arg(&object));
    object
}

/// Makes a program of objects.
pub(crate) fn linked(objects: &[PathBuf], folder: &Path) -> PathBuf {
    let program = folder.join("program");
    let mut link = Command::new("gcc");
    succeed(link.args(["-no-pie", "-pthread"]).args(objects).arg("-o").arg(&program));
    program
}
