//! `cargo xtask package`: whyperf as others install it.
//!
//! ```text
//!   the release build ──► Installation: a folder with bin, lib, include, share ──┬─► tarball, with an environment module file in it
//!                                                                                ├─► Debian package ──► container file
//!                         the sources that are committed ────────────────────────┴─► archive ──► Spack recipe
//! ```

mod check;
mod debian;
mod installation;
mod notices;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

pub(crate) use check::check;

use crate::package::installation::{Installation, InstallationForm};
use crate::workspace::{Workspace, succeed};

/// The version of everything that is packaged.
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    let (is_built, rest) = match words {
        ["--built", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if !is_built {
        workspace.build_release()?;
    }
    let release = workspace.release();
    match rest {
        [] => {
            let place = workspace.target.join("package");
            for made in make(&workspace, &release, &place)? {
                println!("{}", made.display());
            }
        }
        ["--into", prefix] => {
            Installation::of(&workspace, &release, InstallationForm::Prefix)
                .write(Path::new(prefix))?;
        }
        _ => bail!("`package` takes --built, and --into FOLDER; got {}", words.join(" ")),
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes all of it anew in a folder; answers what there is.
fn make(workspace: &Workspace, release: &Path, place: &Path) -> Result<Vec<PathBuf>> {
    let _ = fs::remove_dir_all(place);
    fs::create_dir_all(place).with_context(|| format!("making {}", place.display()))?;
    let tarball = tarball(workspace, release, place)?;
    let deb = debian::package(workspace, release, place)?;
    let container = debian::container_file(&deb, place)?;
    let mut made = vec![tarball, deb, container];
    made.extend(sources::spack(workspace, place)?);
    Ok(made)
}

/// The Debian package alone.
pub(crate) fn make_deb(workspace: &Workspace, place: &Path) -> Result<PathBuf> {
    fs::create_dir_all(place).with_context(|| format!("making {}", place.display()))?;
    debian::package(workspace, &workspace.release(), place)
}

/// One folder that works wherever it is unpacked.
fn tarball(workspace: &Workspace, release: &Path, place: &Path) -> Result<PathBuf> {
    let name = format!("whyperf-{VERSION}-x86_64-linux");
    let folder = place.join(&name);
    Installation::of(workspace, release, InstallationForm::Prefix).write(&folder)?;
    let file = place.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.arg("--directory").arg(place).args(["--sort=name", "--owner=0", "--group=0"]);
    tar.args(["--numeric-owner", "--gzip", "--create", "--file"]).arg(&file).arg(&name);
    succeed(&mut tar)?;
    fs::remove_dir_all(&folder).with_context(|| format!("removing {}", folder.display()))?;
    Ok(file)
}

/// A template with each `@NAME@` replaced.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    values
        .iter()
        .fold(template.to_owned(), |text, (name, value)| text.replace(&format!("@{name}@"), value))
}

/// Writes a file, and the folders that it lies in.
fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    fs::write(path, content).with_context(|| format!("writing {}", path.display()))
}
