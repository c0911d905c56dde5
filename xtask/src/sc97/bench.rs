//! Builds the programs, runs them into a store, and asks it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::case_study::Version;
use super::told::Comparison;
use crate::spread::Spread;
use crate::workspace::{Workspace, said, succeed};

/// Where programs and runs are.
pub(super) struct Bench {
    whyperf: PathBuf,
    folder: PathBuf,
    /// What each application printed of each work.
    printed: BTreeMap<(&'static str, &'static [&'static str]), String>,
}

const STORE: &str = "sc97.db";

impl Bench {
    /// Builds the programs for both libraries, into a folder without a store.
    pub(super) fn prepare(workspace: &Workspace) -> Result<Self> {
        let folder = workspace.target.join("sc97");
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        for mpi in ["openmpi", "mpich"] {
            let mut make = Command::new("make");
            make.arg("-C").arg(workspace.root.join("tests/programs"));
            let out = format!("OUT={}", folder.join(mpi).display());
            make.args(["--no-print-directory", &format!("MPI={mpi}"), &out, "sc97"]);
            succeed(make.stdout(std::process::Stdio::null()))?;
        }
        // There is none the first time.
        let _ = fs::remove_file(folder.join(STORE));
        let whyperf = workspace.release().join("whyperf");
        Ok(Self { whyperf, folder, printed: BTreeMap::new() })
    }

    /// One trial; what the program prints must be what it printed before.
    pub(super) fn run(&mut self, version: &Version) -> Result<()> {
        let words = ["run", "-q", "--store", STORE, "--application", version.application];
        let mut command = self.command(&words);
        command.args(["--experiment", version.experiment, "--"]).args(version.launch.words());
        let printed = said(command.arg(self.folder.join(version.program)).args(version.work))?;
        let known = self.printed.entry((version.application, version.work));
        let known = known.or_insert_with(|| printed.clone());
        ensure!(*known == printed, "{version:?} printed {printed}, and others {known}");
        Ok(())
    }

    /// What the programs print, each once.
    pub(super) fn printed(&self) -> impl Iterator<Item = &str> {
        self.printed.values().map(|text| text.trim())
    }

    /// How the second experiment compares with the first.
    pub(super) fn compare(&self, a: &str, b: &str) -> Result<Comparison> {
        let json = self.folder.join("comparison.json");
        let (a, b) = (format!("experiment:{a}"), format!("experiment:{b}"));
        let words = ["compare", &a, &b, "--store", STORE, "--markdown", "--json"];
        let markdown = said(self.command(&words).arg(&json))?;
        let text = fs::read(&json).with_context(|| format!("reading {}", json.display()))?;
        let json: Value = serde_json::from_slice(&text).context("reading a comparison")?;
        Ok(Comparison { markdown, json })
    }

    /// What a verb prints for people.
    pub(super) fn printed_by(&self, words: &[&str]) -> Result<String> {
        said(self.command(words).args(["--store", STORE]))
    }

    /// A metric over the trials of an experiment, in units of so much.
    pub(super) fn spread(&self, metric: &str, of: &str, unit: f64) -> Result<String> {
        let question = format!("{metric} of experiment:{of}");
        let json = self.printed_by(&["query", &question, "--format", "json"])?;
        let answers: Value = serde_json::from_str(&json).context("reading answers")?;
        let rows = answers["rows"].as_array().context("answers have no rows")?;
        let values: Option<Vec<f64>> = rows.iter().map(|row| row["value"].as_f64()).collect();
        let is_of_all = answers["without"].as_array().is_some_and(Vec::is_empty);
        Ok(match values {
            Some(values) if values.is_empty() => "not there".to_owned(),
            Some(values) if is_of_all => Spread::of(values).shown(unit),
            _ => "not known".to_owned(),
        })
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.whyperf);
        command.args(words).current_dir(&self.folder);
        command
    }
}
