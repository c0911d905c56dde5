//! Runs the programs for real and by simulation, in turns.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::spread::Spread;
use crate::workspace::{Workspace, said, succeed};

/// Where programs, machine and traces are, and how often each is run.
pub(super) struct Bench {
    whyperf: PathBuf,
    folder: PathBuf,
    runs: u32,
}

/// A program of so many steps on so many ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) program: &'static str,
    pub(super) steps: u32,
    pub(super) ranks: u32,
}

/// How the time of a job is found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way<'w> {
    /// It is run with these words.
    Real(&'w [&'w str]),
    /// It is traced with these words, and its trace simulated with these options of `what-if`.
    Predicted { words: &'w [&'w str], options: &'w [&'w str], found: Found },
}

/// What is taken of what `what-if` says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    /// How long the run takes, with what is changed.
    Elapsed,
    /// How much less that is than the same trace takes without the change.
    Saved,
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
        let whyperf = workspace.release().join("whyperf");
        let bench = Self { whyperf, folder, runs };
        let launcher = LAUNCH.join(" ") + " -n 2";
        let mut measure =
            bench.command(&["machine", "measure", "-o", MACHINE, "--launcher", &launcher]);
        succeed(&mut measure)?;
        Ok(bench)
    }

    /// The seconds that a job takes in each way; the ways take turns, so that what else the machine does reaches all of them.
    pub(super) fn in_turns<const N: usize>(
        &self,
        job: Job,
        ways: [Way<'_>; N],
    ) -> Result<[Spread; N]> {
        let mut found = [const { Vec::new() }; N];
        for _ in 0..self.runs {
            for (way, found) in ways.iter().zip(&mut found) {
                found.push(match way {
                    Way::Real(words) => self.real(job, words)?,
                    Way::Predicted { words, options, found } => {
                        self.predicted(job, words, options, *found)?
                    }
                });
            }
        }
        Ok(found.map(Spread::of))
    }

    fn real(&self, job: Job, words: &[&str]) -> Result<f64> {
        let mut command = Command::new(LAUNCH[0]);
        command.args(&LAUNCH[1..]).args(self.words(job)).args(words);
        let said = said(&mut command)?;
        let seconds = said.split_whitespace().last().and_then(|word| word.parse().ok());
        seconds.with_context(|| format!("{job:?} said '{said}' and no time"))
    }

    fn predicted(&self, job: Job, words: &[&str], options: &[&str], found: Found) -> Result<f64> {
        for left in ["predicted.db", "predicted.db.traces"] {
            let path = self.folder.join(left);
            // Whichever of the two it is; neither is there the first time.
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
        let mut record = self.command(&["run", "-q", "--serial", "--store", "predicted.db", "--"]);
        said(record.args(LAUNCH).args(self.words(job)).args(words))?;
        let words =
            ["what-if", "latest", "--store", "predicted.db", "--machine", MACHINE, "--json"];
        let said = said(self.command(&words).args(options))?;
        let result: serde_json::Value = serde_json::from_str(&said).context("reading what-if")?;
        let seconds = match (options, found) {
            ([], _) => &result["elapsed_s"],
            (_, Found::Elapsed) => &result["changes"][0]["elapsed_s"],
            (_, Found::Saved) => &result["changes"][0]["saved_s"],
        };
        seconds.as_f64().with_context(|| format!("what-if said {said}"))
    }

    fn words(&self, job: Job) -> Vec<String> {
        let path = self.folder.join("extrapolation/predicted").display().to_string();
        let (ranks, steps) = (job.ranks.to_string(), job.steps.to_string());
        vec!["-n".to_owned(), ranks, path, job.program.to_owned(), steps]
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
