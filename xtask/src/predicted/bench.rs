//! Runs the programs for real and by simulation, in turns.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::workspace::{Workspace, succeed};

/// Where programs, machine and traces are, and how often each is run.
pub(super) struct Bench {
    whyperf: PathBuf,
    folder: PathBuf,
    runs: u32,
}

impl Bench {
    /// Builds the programs, and measures this machine.
    pub(super) fn prepare(workspace: &Workspace, runs: u32) -> Result<Self> {
        let folder = workspace.target.join("predicted");
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        let sources = workspace.root.join("tests/programs");
        let out = format!("OUT={}", folder.display());
        let program = folder.join("extrapolation/predicted");
        let mut make = Command::new("make");
        succeed(make.arg("-C").arg(sources).args(["MPI=openmpi", &out]).arg(program))?;
        let bench = Self { whyperf: workspace.release().join("whyperf"), folder, runs };
        let launcher = LAUNCH.join(" ") + " -n 2";
        let mut measure =
            bench.command(&["machine", "measure", "-o", MACHINE, "--launcher", &launcher]);
        succeed(&mut measure)?;
        Ok(bench)
    }

    /// The least time for real and by simulation, in seconds, of a program on so many ranks, changed or not.
    pub(super) fn compare(
        &self,
        program: &str,
        steps: u32,
        ranks: u32,
        change: Option<(&str, &[&str])>,
    ) -> Result<[f64; 2]> {
        let (mut real, mut predicted) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..self.runs {
            real = real.min(self.real(program, steps, ranks, change.map(|(word, _)| word))?);
            // What is changed for real is changed in the simulation of the trace as it is.
            let options = change.map_or(&[][..], |(_, options)| options);
            predicted = predicted.min(self.predicted(program, steps, ranks, (None, options))?);
        }
        Ok([real, predicted])
    }

    /// The least time by simulation of a program that was changed for real.
    pub(super) fn changed(
        &self,
        program: &str,
        steps: u32,
        ranks: u32,
        change: &str,
    ) -> Result<f64> {
        let all =
            (0..self.runs).map(|_| self.predicted(program, steps, ranks, (Some(change), &[])));
        all.reduce(|one, other| Ok(one?.min(other?))).context("--runs is 0")?
    }

    fn real(&self, program: &str, steps: u32, ranks: u32, change: Option<&str>) -> Result<f64> {
        let mut command = Command::new(LAUNCH[0]);
        command.args(&LAUNCH[1..]).args(self.words(program, steps, ranks)).args(change);
        let said = said(&mut command)?;
        let seconds = said.split_whitespace().last().and_then(|word| word.parse().ok());
        seconds.with_context(|| format!("{program} said '{said}' and no time"))
    }

    fn predicted(
        &self,
        program: &str,
        steps: u32,
        ranks: u32,
        (change, options): (Option<&str>, &[&str]),
    ) -> Result<f64> {
        for left in ["predicted.db", "predicted.db.traces"] {
            let path = self.folder.join(left);
            // Whichever of the two it is; neither is there the first time.
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
        let mut record = self.command(&["run", "-q", "--serial", "--store", "predicted.db", "--"]);
        record.args(LAUNCH).args(self.words(program, steps, ranks)).args(change);
        said(&mut record)?;
        let words =
            ["what-if", "latest", "--store", "predicted.db", "--machine", MACHINE, "--json"];
        let said = said(self.command(&words).args(options))?;
        let result: serde_json::Value = serde_json::from_str(&said).context("reading what-if")?;
        let elapsed = match options {
            [] => &result["elapsed_s"],
            _ => &result["changes"][0]["elapsed_s"],
        };
        elapsed.as_f64().with_context(|| format!("what-if said {said}"))
    }

    fn words(&self, program: &str, steps: u32, ranks: u32) -> Vec<String> {
        let path = self.folder.join("extrapolation/predicted").display().to_string();
        vec!["-n".to_owned(), ranks.to_string(), path, program.to_owned(), steps.to_string()]
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.whyperf);
        command.args(words).current_dir(&self.folder);
        command
    }
}

/// The figures of this machine.
const MACHINE: &str = "here.toml";
const LAUNCH: [&str; 3] = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"];

/// What a command prints, which must succeed.
fn said(command: &mut Command) -> Result<String> {
    let output = command.output().context("running a command of the study")?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} ended with {}: {complaint}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
