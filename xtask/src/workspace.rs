//! Finds the workspace and its target folder, and calls cargo for it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, iter};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use toml::Table;

/// The variable that tells tests where the build under test lies.
pub(crate) const PLACE: &str = "WHYPERF_TEST_BIN_DIR";

/// The cargo call that builds what is shipped.
pub(crate) const RELEASE_BUILD: &str =
    "build --release -p whyperf -p whyperf-probes --no-default-features --features whyperf/command";

/// The checkout this chore runs in.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    /// Folder of the root manifest.
    pub(crate) root: PathBuf,
    /// Cargo's target folder, wherever the environment or the configuration puts it.
    pub(crate) target: PathBuf,
}

impl Workspace {
    /// Asks cargo, which alone knows every setting that moves the target folder.
    pub(crate) fn find() -> Result<Self> {
        let here = env::var("CARGO_MANIFEST_DIR").context("run this as `cargo xtask <chore>`")?;
        let root = PathBuf::from(here)
            .parent()
            .context("the folder of xtask has no parent")?
            .to_path_buf();
        let output = Command::new(cargo_program())
            .current_dir(&root)
            .args(["metadata", "--format-version", "1", "--no-deps"])
            .output()
            .context("running `cargo metadata`")?;
        ensure!(
            output.status.success(),
            "`cargo metadata` failed:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let metadata: Value =
            serde_json::from_slice(&output.stdout).context("reading what `cargo metadata` says")?;
        let target = metadata["target_directory"].as_str();
        let target = target.context("`cargo metadata` names no target_directory")?;
        Ok(Self { root, target: PathBuf::from(target) })
    }

    /// Folder of the release build: the command, and `libwhyperf.so` beside it.
    pub(crate) fn release(&self) -> PathBuf {
        self.target.join("release")
    }

    /// Folder of the debug build of the same.
    pub(crate) fn debug(&self) -> PathBuf {
        self.target.join("debug")
    }

    /// A cargo call in the workspace.
    pub(crate) fn cargo(&self, words: &[&str]) -> Command {
        let mut command = Command::new(cargo_program());
        command.current_dir(&self.root).args(words);
        command
    }

    /// Builds the command and the shared object in release mode.
    pub(crate) fn build_release(&self) -> Result<()> {
        let words: Vec<&str> = RELEASE_BUILD.split(' ').collect();
        let status = self.cargo(&words).status().context("running `cargo build --release`")?;
        ensure!(status.success(), "`cargo build --release` failed: its messages are above");
        for file in ["whyperf", "libwhyperf.so"] {
            let path = self.release().join(file);
            ensure!(path.is_file(), "the release build left no {}", path.display());
        }
        Ok(())
    }

    /// Names of the test programs that the root manifest declares.
    pub(crate) fn root_tests(&self) -> Result<Vec<String>> {
        let path = self.root.join("Cargo.toml");
        let text =
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let manifest: Table =
            text.parse().with_context(|| format!("reading {}", path.display()))?;
        Ok(declared_tests(&manifest))
    }
}

/// Runs a command to its end and says which one failed.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    let status = command.status().with_context(|| format!("running `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` ended with {status}");
    }
    Ok(())
}

/// What a command prints, which ends well.
pub(crate) fn said(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let output = command.output().with_context(|| format!("running `{shown}`"))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{shown}` ended with {}: {complaint}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A command as one would type it.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn cargo_program() -> String {
    env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// Names of the `[[test]]` tables of a manifest.
fn declared_tests(manifest: &Table) -> Vec<String> {
    let tests = manifest.get("test").and_then(|tests| tests.as_array());
    let names = tests.into_iter().flatten().filter_map(|test| test.get("name")?.as_str());
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::declared_tests;

    #[test]
    fn only_test_tables_name_tests() {
        let manifest = "[[bin]]\nname = \"a\"\n[[test]]\nname = \"tidy\"\n[[bench]]\nname=\"b\"\n\
                        [[test]]\nname = \"live\"\n";
        let manifest = manifest.parse().expect("well-formed TOML");
        assert_eq!(declared_tests(&manifest), ["tidy", "live"]);
    }
}
