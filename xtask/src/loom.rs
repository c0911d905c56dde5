//! The loom models, and the mutants: every ordering, weakened, must make its model fail.
//!
//! Models and mutants are those of the table in `docs/layout.md`. All are in one program; its environment says what to
//! weaken.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::workspace::{Workspace, succeed};

const TABLE: &str = "docs/layout.md";
/// What loom says when it gives up; no model has noticed anything then.
const GAVE_UP: &str = "exceeded maximum number of branches";

/// Runs the models as they are.
pub(crate) fn models(workspace: &Workspace) -> Result<()> {
    succeed(&mut Command::new(build(workspace)?))
}

/// Runs each mutant's models and refuses it when none of them fails.
pub(crate) fn mutants(workspace: &Workspace) -> Result<()> {
    let path = workspace.root.join(TABLE);
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let program = build(workspace)?;
    let mut survivors = Vec::new();
    let mut caught = 0;
    for row in rows(&text) {
        for mutant in &row.mutants {
            if is_noticed(&program, mutant, &row.models)? {
                println!("mutant {mutant}: caught by {}", row.models.join(" or "));
                caught += 1;
            } else {
                println!("mutant {mutant}: SURVIVED");
                survivors.push(mutant.clone());
            }
        }
    }
    if !survivors.is_empty() {
        bail!("no model of its row in {TABLE} fails for: {}", survivors.join(", "));
    }
    ensure!(caught > 0, "no mutant in the table of {TABLE}: nothing proves the models");
    println!("all {caught} mutants caught");
    Ok(())
}

/// Whether one of the models fails when that ordering is weakened.
fn is_noticed(program: &Path, mutant: &str, models: &[String]) -> Result<bool> {
    let output = Command::new(program)
        .args(models)
        .env("WHYPERF_MUTANT", mutant)
        .output()
        .with_context(|| format!("running the models of mutant {mutant}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(!said.contains(GAVE_UP), "mutant {mutant} is too much for its model:\n{said}");
    Ok(!output.status.success() && said.contains("test result: FAILED"))
}

/// Builds the models; answers where the program is.
fn build(workspace: &Workspace) -> Result<PathBuf> {
    let mut command = workspace.cargo(&["test", "--release", "--quiet", "--no-run"]);
    command
        .args(["-p", "whyperf-layout", "--test", "loom"])
        .arg("--message-format=json-render-diagnostics")
        .env("RUSTFLAGS", "--cfg loom")
        .env("CARGO_TARGET_DIR", workspace.target.join("loom"))
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "none")
        .stderr(std::process::Stdio::inherit());
    let output = command.output().context("building the models")?;
    ensure!(output.status.success(), "the models do not build: the messages are above");
    let messages = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    let mut program = None;
    for message in messages {
        let message = message.context("reading what cargo says")?;
        program = message["executable"].as_str().map(PathBuf::from).or(program);
    }
    program.context("cargo names no program with the models")
}

/// One line of the table: the models, and the mutants that must make one of them fail.
#[derive(Debug, PartialEq, Eq)]
struct ModelRow {
    models: Vec<String>,
    mutants: Vec<String>,
}

/// The lines of the table whose last two columns name something.
fn rows(text: &str) -> Vec<ModelRow> {
    let lines = text.lines().filter(|line| line.starts_with("| `"));
    let rows = lines.filter_map(|line| {
        let mut cells = line.trim_end_matches(['|', ' ']).rsplit('|');
        let (mutants, models) = (names(cells.next()?), names(cells.next()?));
        Some(ModelRow { models, mutants })
    });
    rows.filter(|row| !row.models.is_empty() && !row.mutants.is_empty()).collect()
}

/// What stands between backticks.
fn names(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{ModelRow, rows};

    #[test]
    fn models_and_mutants_are_the_last_columns() {
        let table = "| name | promise | model | mutants |\n|---|---|---|---|\n\
                     | `open` | `a` before b | `never_twice`, `nor_thrice` | `open_store` |\n\
                     | `handler` | c | [harness](x.rs) | none |\n";
        let models = ["never_twice", "nor_thrice"].map(str::to_owned).to_vec();
        assert_eq!(rows(table), [ModelRow { models, mutants: vec!["open_store".to_owned()] }]);
    }
}
