//! Environments of Python below the target folder, with programs and packages of PyPI.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::workspace::succeed;

/// Whether the machine is said to have no PyPI.
pub(crate) fn is_left_out() -> bool {
    let without = env::var("WHYPERF_TEST_WITHOUT").unwrap_or_default();
    without.split_whitespace().any(|name| name == "pypi")
}

/// An environment with these packages, each with its version, which is made once; answers the folder of its programs.
pub(crate) fn with_packages(folder: &Path, packages: &[&str]) -> Result<PathBuf> {
    let stamp = folder.join("installed");
    let wanted = packages.join(" ");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(folder.join("bin"));
    }
    let mut make = Command::new("python3");
    succeed(make.args(["-m", "venv", "--clear"]).arg(folder))
        .context("making an environment of Python needs python3-venv")?;
    let mut install = Command::new(folder.join("bin/pip"));
    install.args(["install", "--quiet", "--disable-pip-version-check"]).args(packages);
    succeed(&mut install).with_context(|| format!("installing {wanted} from PyPI"))?;
    fs::write(&stamp, wanted).with_context(|| format!("writing {}", stamp.display()))?;
    Ok(folder.join("bin"))
}
