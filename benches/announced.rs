//! What functions cost that a compiler made announce their calls: off, on, and against empty hooks, under the
//! shipped library.
//!
//! `cargo bench --bench announced`; with `-- --test` a few rounds, to see that it runs.

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
    let folder = Folder::new("announced");
    let program = build(&folder.0);
    let mut preload = OsString::from("LD_PRELOAD=");
    preload.push(library());
    let mut regions = OsString::from("WHYPERF_DIR=");
    regions.push(&folder.0);
    let status = Command::new("env").arg(preload).arg(regions).arg(program).arg(rounds).status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => {
            eprintln!("announced: the measured program ended with {status}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("announced: starting the measured program: {error}");
            ExitCode::FAILURE
        }
    }
}

fn build(folder: &Path) -> PathBuf {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [ours, bare, calls] = ["ours.o", "bare.o", "calls.o"].map(|name| folder.join(name));
    let mut compile = Command::new("gcc");
    compile.args(["-O2", "-fno-pie", "-finstrument-functions", "-c"]);
    compile.arg(project.join("benches/announced_function.c")).arg("-o").arg(&ours);
    succeed(compile);
    let mut rename = Command::new("objcopy");
    for pair in RENAMED {
        rename.args(["--redefine-sym", pair]);
    }
    rename.arg(&ours).arg(&bare);
    succeed(rename);
    let mut compile = Command::new("gcc");
    compile.args(["-O2", "-fno-pie", "-D_GNU_SOURCE"]).args(offsets());
    compile.arg("-I").arg(project.join("tests/programs/patch")).arg("-c");
    compile.arg(project.join("benches/announced_calls.c")).arg("-o").arg(&calls);
    succeed(compile);
    let program = folder.join("calls");
    let mut link = Command::new("gcc");
    link.args(["-no-pie", "-pthread"]).args([&calls, &ours, &bare]).arg("-o").arg(&program);
    succeed(link);
    program
}

/// So that the second function's hooks are the C library's.
const RENAMED: [&str; 3] = [
    "announced=bare",
    "__cyg_profile_func_enter=nothing_enter",
    "__cyg_profile_func_exit=nothing_exit",
];

fn succeed(mut command: Command) {
    let status = command.status().expect("gcc and objcopy are installed");
    assert!(status.success(), "{command:?}: {status}");
}
