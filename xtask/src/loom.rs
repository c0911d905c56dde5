//! The loom models, and the mutants: every ordering, weakened, must make a model fail.
//!
//! A mutant is a `cfg(loom_mutant = "name")` in the sources of the layout or the runtime. Its value reaches
//! only the workspace's own crates, by a compiler wrapper, so that loom itself is built once.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::workspace::{Workspace, succeed};

const CRATES: [&str; 4] = ["-p", "whyperf-layout", "-p", "whyperf-runtime"];

/// Runs the models as they are.
pub(crate) fn models(workspace: &Workspace) -> Result<()> {
    succeed(&mut tests(workspace, None))
}

/// Runs the models once per mutant and refuses each mutant that no model notices.
pub(crate) fn mutants(workspace: &Workspace) -> Result<()> {
    let names = mutant_names(&workspace.root)?;
    ensure!(
        !names.is_empty(),
        "no `loom_mutant` in layout/ or runtime/: nothing proves the models"
    );
    let mut survivors = Vec::new();
    for name in &names {
        let verdict = if noticed(workspace, name)? { "caught" } else { "SURVIVED" };
        println!("mutant {name}: {verdict}");
        if verdict == "SURVIVED" {
            survivors.push(name.as_str());
        }
    }
    if !survivors.is_empty() {
        bail!("no model fails for: {}", survivors.join(", "));
    }
    println!("all {} mutants caught", names.len());
    Ok(())
}

/// Whether a model fails under the mutant. A mutant that does not compile is an error, not a catch.
fn noticed(workspace: &Workspace, name: &str) -> Result<bool> {
    let wrapper = wrapper(&workspace.target.join("loom"), name)?;
    succeed(tests(workspace, Some(&wrapper)).arg("--no-run"))
        .with_context(|| format!("building mutant {name}"))?;
    let output = tests(workspace, Some(&wrapper)).output().context("running the models")?;
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    Ok(!output.status.success()
        && (said.contains("test result: FAILED") || said.contains("panicked")))
}

fn tests(workspace: &Workspace, wrapper: Option<&Path>) -> Command {
    let mut command = workspace.cargo(&["test", "--release", "--quiet"]);
    command
        .args(CRATES)
        .args(["--lib", "--tests"])
        .env("RUSTFLAGS", "--cfg loom")
        .env("CARGO_TARGET_DIR", workspace.target.join("loom"))
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "none");
    if let Some(wrapper) = wrapper {
        command.env("RUSTC_WORKSPACE_WRAPPER", wrapper);
    }
    command
}

/// Writes the compiler wrapper of one mutant. Cargo keys its cache by the wrapper's path: one file per name.
fn wrapper(folder: &Path, name: &str) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    let path = folder.join(format!("rustc-mutant-{name}"));
    let script = format!(
        "#!/bin/sh\nrustc=$1\nshift\nexec \"$rustc\" --cfg 'loom_mutant=\"{name}\"' \"$@\"\n"
    );
    fs::write(&path, script).with_context(|| format!("writing {}", path.display()))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("making {} executable", path.display()))?;
    Ok(path)
}

fn mutant_names(root: &Path) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let mut folders = vec![root.join("layout"), root.join("runtime")];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("listing {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                names.extend(mutants_in(&fs::read_to_string(&path)?));
            }
        }
    }
    Ok(names)
}

fn mutants_in(text: &str) -> Vec<String> {
    text.split("loom_mutant = \"")
        .skip(1)
        .filter_map(|rest| rest.split_once('"'))
        .map(|(name, _)| name.to_owned())
        .filter(|name| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::mutants_in;

    #[test]
    fn mutants_are_read_from_their_conditions() {
        let text = "#[cfg(loom_mutant = \"late_word\")] x #[cfg(not(loom_mutant = \"late_word\"))]";
        assert_eq!(mutants_in(text), ["late_word", "late_word"]);
        assert!(mutants_in("a \"loom_mutant\" b").is_empty());
    }
}
