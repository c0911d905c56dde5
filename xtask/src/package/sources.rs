//! The archive of the sources, and the Spack recipe that builds it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::package::{VERSION, filled, write};
use crate::workspace::{Workspace, succeed};

/// Makes both in a folder; the recipe takes the archive from there until its `url` is changed.
pub(crate) fn spack(workspace: &Workspace, place: &Path) -> Result<[PathBuf; 2]> {
    let archive = place.join(format!("whyperf-{VERSION}.tar.gz"));
    let mut git = Command::new("git");
    git.current_dir(&workspace.root).args(["archive", "--format=tar.gz"]);
    git.arg(format!("--prefix=whyperf-{VERSION}/")).arg("--output").arg(&archive).arg("HEAD");
    succeed(&mut git)?;
    let url = format!("file://{}", archive.display());
    let values = [
        ("VERSION", VERSION),
        ("URL", &url),
        ("SHA256", &checksum(&archive)?),
        ("RUST", &compiler(workspace)?),
    ];
    let folder = place.join("spack");
    let recipe = folder.join("packages/whyperf/package.py");
    write(&recipe, filled(include_str!("templates/package.py"), &values))?;
    write(&folder.join("repo.yaml"), include_str!("templates/repo.yaml"))?;
    Ok([archive, recipe])
}

fn checksum(file: &Path) -> Result<String> {
    let printed = Command::new("sha256sum").arg(file).output().context("running `sha256sum`")?;
    ensure!(printed.status.success(), "`sha256sum` failed on {}", file.display());
    let text = String::from_utf8_lossy(&printed.stdout);
    Ok(text.split_whitespace().next().context("it prints a sum")?.to_owned())
}

/// The oldest compiler that builds it.
fn compiler(workspace: &Workspace) -> Result<String> {
    let path = workspace.root.join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let manifest: toml::Table = text.parse().context("reading the manifest")?;
    let version = manifest["workspace"]["package"]["rust-version"].as_str();
    Ok(version.context("the manifest names the oldest compiler")?.to_owned())
}
