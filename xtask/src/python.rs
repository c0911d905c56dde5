//! Runs the tests of the Python package, and its notebook, on the release build.

use std::process::Command;

use anyhow::{Context as _, Result};

use crate::python_environment;
use crate::workspace::{Workspace, succeed};

/// What the package needs, for tables of Parquet and graph frames of Hatchet, too.
const PACKAGES: [&str; 3] = ["pandas==2.3.3", "pyarrow==26.0.1", "llnl-hatchet==2026.2.0"];

/// Runs all of them. It needs the release build.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    if python_environment::is_left_out() {
        println!("the Python package is NOT tested: WHYPERF_TEST_WITHOUT names pypi");
        return Ok(());
    }
    let programs = python_environment::with_packages(&workspace.target.join("python"), &PACKAGES)?;
    let mut tests = Command::new(programs.join("python"));
    tests.args(["-m", "unittest", "discover", "--start-directory"]);
    tests.arg(workspace.root.join("python/tests"));
    tests.env("PYTHONPATH", workspace.root.join("python/src"));
    // No compiled files among the sources.
    tests.env("PYTHONDONTWRITEBYTECODE", "1");
    tests.env("WHYPERF_COMMAND", workspace.release().join("whyperf"));
    succeed(&mut tests).context("the Python package")
}
