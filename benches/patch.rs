//! What an instrumented function costs, and what arming and switching take: a C program that plays
//! the daemon for itself, built and run under the shipped library.
//!
//! `cargo bench --bench patch`; with `-- --test` a few rounds, to see that it runs.

use std::env;
use std::ffi::OsString;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use whyperf_layout::{Head, Header, Node, geometry};

fn main() -> ExitCode {
    let rounds = if env::args().any(|argument| argument == "--test") { "3" } else { "2001" };
    let folder = Folder::new();
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

/// Where the parts of a region are, for the program.
fn offsets() -> Vec<String> {
    let all = [
        ("COMMANDS", geometry::COMMANDS),
        ("REPLIES", geometry::REPLIES),
        ("RESULTS", geometry::RESULTS),
        ("STAGING", geometry::STAGING),
        ("REGIONS", geometry::REGIONS),
        ("SLOTS", geometry::SLOTS),
        ("SLOT_SIZE", geometry::SLOT_SIZE),
        ("NODES", geometry::NODES_IN_SLOT),
        ("MAPPED_SIZE", geometry::slot_offset(64)),
        ("SLOT_COUNT", offset_of!(Header, slot_count)),
        ("HEAD_NODES", offset_of!(Head, nodes)),
        ("HEAD_ANOMALIES", offset_of!(Head, anomalies)),
        ("NODE_REGION", offset_of!(Node, region)),
    ];
    all.iter().map(|(name, value)| format!("-D{name}={value}ul")).collect()
}

/// The shipped library: where `WHYPERF_TEST_BIN_DIR` says, else in the release folder beside us.
fn library() -> PathBuf {
    let beside = || {
        let program = env::current_exe().expect("a running program has a path");
        let target = program.ancestors().nth(3).expect("benches lie in <target>/<profile>/deps");
        target.join("release")
    };
    let folder = env::var_os("WHYPERF_TEST_BIN_DIR").map_or_else(beside, PathBuf::from);
    let path = folder.join("libwhyperf.so");
    assert!(
        path.exists(),
        "{} is missing: cargo build --release -p whyperf-probes",
        path.display()
    );
    path
}

/// A private folder on tmpfs, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let shared = Path::new("/dev/shm");
        let base = if shared.is_dir() { shared.to_owned() } else { env::temp_dir() };
        let path = base.join(format!("whyperf-bench-patch-{}", std::process::id()));
        std::fs::create_dir(&path).expect("the folder's name is new");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
