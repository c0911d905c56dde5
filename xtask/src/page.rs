//! `cargo xtask page`: the page of the viewer, built by npm out of `viewer/page/`. What it is built of and what comes of it are both
//! committed, so whyperf is built without npm; the check holds the two together.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result, ensure};

use crate::workspace::{PLACE, Workspace, succeed};

/// What the build makes of the sources and of the description of the interface.
const BUILT: [&str; 4] = ["dist/page.js", "dist/page.css", "dist/page.sha256", "data/api.d.ts"];

/// Builds the page into its folder.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    let folder = folder(workspace);
    npm(&folder, &["ci", "--ignore-scripts", "--no-audit", "--no-fund"])?;
    npm(&folder, &["run", "build"])
}

/// Runs the page's own tests, and refuses a built page that its sources do not make to the byte.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    if is_left_out() {
        return Ok(());
    }
    let folder = folder(workspace);
    let committed = BUILT.map(|name| read(&folder, name));
    build(workspace)?;
    for (name, committed) in BUILT.into_iter().zip(committed) {
        ensure!(
            read(&folder, name)? == committed?,
            "viewer/page/{name} was not what the sources make: it is now; commit it with them"
        );
    }
    npm(&folder, &["test"])
}

/// Shows runs in a browser: as a file, from a server, and while one goes on. It needs the release build, and what [`check`] installed.
pub(crate) fn browser(workspace: &Workspace) -> Result<()> {
    if is_left_out() {
        return Ok(());
    }
    let folder = folder(workspace);
    let mut tests = Command::new("npm");
    tests.current_dir(&folder).args(["run", "browser"]).env(PLACE, workspace.release());
    succeed(&mut tests)
        .context("the tests in a browser need Chromium, Open MPI and a release build")
}

/// Whether the page is not to be checked, on a machine without npm.
fn is_left_out() -> bool {
    let without = env::var("WHYPERF_TEST_WITHOUT").unwrap_or_default();
    let is_so = without.split_whitespace().any(|name| name == "npm");
    if is_so {
        println!("the page is NOT checked: WHYPERF_TEST_WITHOUT names npm");
    }
    is_so
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("viewer/page")
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>> {
    let path = folder.join(name);
    fs::read(&path).with_context(|| format!("reading {}", path.display()))
}

fn npm(folder: &Path, words: &[&str]) -> Result<()> {
    let done = succeed(Command::new("npm").current_dir(folder).args(words));
    done.context("the page is built and tested by npm, with Node.js 20.19 or newer")
}
