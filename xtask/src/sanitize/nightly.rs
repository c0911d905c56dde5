//! The tests under AddressSanitizer, ThreadSanitizer and Miri, which only a nightly toolchain has.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use crate::workspace::{Workspace, succeed};

/// Crates that run outside of measured programs, and the layout, which both sides run.
const CRATES: [&str; 9] = [
    "layout",
    "model",
    "code",
    "consultant",
    "experiments",
    "inject",
    "instrument",
    "daemon",
    "testkit",
];
/// Has no threads, and random histories that take very long where each step is watched for races.
const WITHOUT_THREADS: &str = "consultant";
/// What an interpreter can run: no system calls, and little enough.
const INTERPRETED: [&str; 1] = ["layout"];
/// The machine that is measured, named so that build scripts are not built for a sanitizer, too.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Memory that is nobody's, used again or lost.
pub(super) fn address(workspace: &Workspace) -> Result<String> {
    sanitized(workspace, "address", &[], &CRATES)
}

/// Races. Unless the standard library is built for it, too, what it synchronizes by looks like one.
pub(super) fn thread(workspace: &Workspace) -> Result<String> {
    let sysroot = output(nightly("rustc").args(["--print", "sysroot"]))?;
    if !Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/std").is_dir() {
        bail!(
            "the standard library's source is missing: rustup component add rust-src --toolchain nightly"
        );
    }
    let threaded = CRATES.into_iter().filter(|name| *name != WITHOUT_THREADS);
    sanitized(workspace, "thread", &["-Zbuild-std"], &threaded.collect::<Vec<_>>())
}

fn sanitized(
    workspace: &Workspace,
    sanitizer: &str,
    more: &[&str],
    crates: &[&str],
) -> Result<String> {
    ensure_nightly()?;
    let mut cargo = nightly("cargo");
    cargo.current_dir(&workspace.root).args(["test", "--lib", "--tests", "--no-fail-fast"]);
    cargo.args(["--target", TARGET]).args(more).args(packages(crates));
    cargo.env("CARGO_TARGET_DIR", workspace.target.join(sanitizer));
    cargo.env("RUSTFLAGS", format!("-Zsanitizer={sanitizer}"));
    // Tests of stack samples look for what lies on the stack, and not on a copy of it.
    cargo.env("ASAN_OPTIONS", "detect_stack_use_after_return=0");
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
    // Tests unwind in any case; a standard library that aborts would be built beside the one they need.
    cargo.env("CARGO_PROFILE_DEV_PANIC", "unwind");
    succeed(&mut cargo)?;
    Ok(format!("unit and integration tests of {}", crates.join(", ")))
}

/// Whatever the language leaves undefined, orderings of memory included.
pub(super) fn miri(workspace: &Workspace) -> Result<String> {
    ensure_nightly()?;
    if output(nightly("cargo").args(["miri", "--version"])).is_err() {
        bail!("Miri is missing: rustup component add miri --toolchain nightly");
    }
    let mut cargo = nightly("cargo");
    cargo.current_dir(&workspace.root).args(["miri", "test", "--lib", "--tests"]);
    cargo.args(packages(&INTERPRETED));
    cargo.env("CARGO_TARGET_DIR", workspace.target.join("interpreted"));
    succeed(&mut cargo)?;
    Ok(format!("unit and integration tests of {}", INTERPRETED.join(", ")))
}

fn packages(crates: &[&str]) -> Vec<String> {
    crates.iter().map(|name| format!("--package=whyperf-{name}")).collect()
}

/// A program of the nightly toolchain; what cargo tells this one of its own would mislead it.
pub(super) fn nightly(program: &str) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", program]);
    for name in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
        command.env_remove(name);
    }
    command
}

pub(super) fn ensure_nightly() -> Result<()> {
    let there = output(nightly("cargo").arg("--version"));
    there.context("a nightly toolchain is missing: rustup toolchain install nightly").map(drop)
}

/// What a command prints; its complaints are not shown.
pub(super) fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::null()).output().context("running rustup")?;
    ensure!(output.status.success(), "it ended with {}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
