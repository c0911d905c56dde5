//! The shipped library under valgrind, in a program with threads.

use std::os::unix::fs::DirBuilderExt as _;
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result, bail};

use crate::workspace::{Workspace, succeed};

/// What valgrind runs under the library.
const PROGRAM: &str = "tests/programs/threads_under_valgrind.c";

/// A program with threads, measured by the shipped library, under valgrind: a read or a write of memory that
/// is nobody's, or a jump that depends on nothing, is a failure.
pub(super) fn run(workspace: &Workspace) -> Result<String> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        bail!("valgrind is missing (as root: apt-get install valgrind)");
    }
    workspace.build_release()?;
    let library = workspace.release().join("libwhyperf.so");
    let folder = workspace.target.join("valgrind");
    fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    let program = folder.join("threads");
    let mut compiler = Command::new(env::var("CC").unwrap_or_else(|_| "cc".to_owned()));
    compiler.current_dir(&workspace.root).args(["-O1", "-g", "-pthread", "-o"]).arg(&program);
    succeed(compiler.arg(PROGRAM))?;
    let directory = folder.join(std::process::id().to_string());
    fs::DirBuilder::new().mode(0o700).create(&directory).context("making a run directory")?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--error-exitcode=99", "--trace-children=no", "--leak-check=no"]);
    valgrind.arg(&program).env("LD_PRELOAD", library).env("WHYPERF_DIR", &directory);
    let outcome = succeed(&mut valgrind);
    let left = fs::read_dir(&directory).context("reading the run directory")?.count();
    fs::remove_dir_all(&directory).context("removing the run directory")?;
    outcome?;
    // That of the launcher, which the library is loaded into first, and the program's.
    if left != 2 {
        bail!("{left} regions were left, not two: the library did not measure the program");
    }
    Ok("the release build's library in a program of eight threads, three times in turn".to_owned())
}
