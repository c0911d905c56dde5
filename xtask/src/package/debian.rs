//! The Debian package, and the container file that installs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::package::installation::{Installation, InstallationForm};
use crate::package::{VERSION, filled, write};
use crate::workspace::{Workspace, succeed};

/// Makes the package in a folder.
pub(crate) fn package(workspace: &Workspace, release: &Path, place: &Path) -> Result<PathBuf> {
    let tree = place.join("debian");
    let system = tree.join("usr");
    Installation::of(workspace, release, InstallationForm::System).write(&system)?;
    let documents = system.join("share/doc/whyperf");
    copyright(&documents)?;
    for folder in [system.join("share/man/man1"), documents.clone()] {
        compress(&folder)?;
    }
    let depends = depends(&system)?;
    let size = kilobytes(&tree)?.to_string();
    let values = [("VERSION", VERSION), ("SIZE", &size), ("DEPENDS", &depends)];
    write(&tree.join("DEBIAN/control"), filled(include_str!("templates/control"), &values))?;
    let file = place.join(format!("whyperf_{VERSION}_amd64.deb"));
    let mut build = Command::new("dpkg-deb");
    // xz would take a quarter less, and a quarter of a minute.
    build.args(["--build", "--root-owner-group", "-Zgzip"]).arg(&tree).arg(&file);
    succeed(&mut build)?;
    fs::remove_dir_all(&tree).with_context(|| format!("removing {}", tree.display()))?;
    Ok(file)
}

/// Writes the file that makes an image out of the package.
pub(crate) fn container_file(deb: &Path, place: &Path) -> Result<PathBuf> {
    let name = deb.file_name().unwrap_or_default().to_string_lossy();
    let file = place.join("Containerfile");
    let values = [("DEB", &*name), ("SYSTEM", &system())];
    write(&file, filled(include_str!("templates/Containerfile"), &values))?;
    Ok(file)
}

/// The image of the system that this was built on: an older one may lack what the C library has here.
fn system() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let value = |name: &str| {
        let line = release.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.map(|value| value.trim_matches('"').to_owned())
    };
    match (value("ID").as_deref(), value("VERSION_CODENAME")) {
        (Some("debian"), Some(name)) => format!("debian:{name}-slim"),
        (Some("ubuntu"), Some(name)) => format!("ubuntu:{name}"),
        _ => "debian:stable-slim".to_owned(),
    }
}

/// The C library in the version whose symbols are used, and the compiler's where it is linked.
fn depends(system: &Path) -> Result<String> {
    let mut newest = (0, 0);
    let mut needs_compiler_library = false;
    for name in ["bin/whyperf", "lib/whyperf/libwhyperf.so"] {
        let read = Command::new("objdump").arg("-p").arg(system.join(name)).output();
        let read = read.context("running `objdump`")?;
        ensure!(read.status.success(), "`objdump -p {name}` failed");
        let text = String::from_utf8_lossy(&read.stdout);
        needs_compiler_library |= text.contains("libgcc_s.so.1");
        newest = newest.max(newest_version(&text));
    }
    let (major, minor) = newest;
    let compiler = if needs_compiler_library { ", libgcc-s1" } else { "" };
    Ok(format!("libc6 (>= {major}.{minor}){compiler}"))
}

/// The newest version of the C library that an object names.
fn newest_version(printed: &str) -> (u32, u32) {
    let versions = printed.split_whitespace().filter_map(|word| word.strip_prefix("GLIBC_"));
    let numbers = versions.filter_map(|version| {
        let mut numbers = version.split('.').map_while(|number| number.parse().ok());
        Some((numbers.next()?, numbers.next()?))
    });
    numbers.max().unwrap_or_default()
}

fn copyright(documents: &Path) -> Result<()> {
    let text = "whyperf is licensed under MIT or Apache-2.0, as you like:\n\
                /usr/share/doc/whyperf/LICENSE-MIT and LICENSE-APACHE.\n\
                It is made of crates of others, with their licences in third-party.txt.gz beside this file.\n";
    write(&documents.join("copyright"), text)
}

/// Compresses pages for `man`, and long lists.
fn compress(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".1") || name == "third-party.txt" {
            succeed(Command::new("gzip").args(["--best", "--no-name"]).arg(&path))?;
        }
    }
    Ok(())
}

fn kilobytes(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let entry = entry?;
        let about = entry.metadata()?;
        sum += if about.is_dir() { kilobytes(&entry.path())? } else { about.len().div_ceil(1024) };
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::newest_version;

    #[test]
    fn versions_are_compared_as_numbers() {
        let printed = "0x09691a75 0x00 05 GLIBC_2.2.5\n0x069691b4 0x00 02 GLIBC_2.34\n GLIBC_2.9";
        assert_eq!(newest_version(printed), (2, 34));
    }
}
