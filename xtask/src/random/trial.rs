//! One random program: built, and run under whyperf.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::comparison::{ProgramComparison, THRESHOLD};
use super::generator::Generator;
use super::kind::ProgramKind;
use super::parts::{larger_parts, more_than_all};
use super::printed::Printed;
use super::program::GeneratedProgram;
use super::rows::Rows;
use super::stretches::Stretches;

/// A program that was built, and where its files lie.
#[derive(Debug)]
pub(super) struct ProgramTrial {
    pub(super) seed: u64,
    pub(super) program: GeneratedProgram,
    pub(super) options: Vec<&'static str>,
    binary: PathBuf,
}

/// All that was said of one program.
#[derive(Clone, Debug)]
pub(super) struct ProgramOutcome {
    pub(super) comparison: ProgramComparison,
    /// Parts whose value is larger than that of what they are a part of.
    pub(super) larger_parts: Vec<String>,
    pub(super) rows: Rows,
    pub(super) stretches: Stretches,
    /// Lines with more than all of the time.
    pub(super) more_than_all: Vec<String>,
}

impl ProgramTrial {
    /// Writes and builds the program of a seed.
    pub(super) fn prepare(
        folder: &Path,
        kind: ProgramKind,
        seed: u64,
        seconds: u64,
    ) -> Result<Self> {
        let mut random = Generator::seeded(seed);
        let program = GeneratedProgram::random(&mut random, kind, seconds);
        let compiler = kind.compiler(&mut random);
        let mut options = vec![compiler, random.one_of(&["-O0", "-O1", "-O2", "-O2", "-O3"])];
        options.extend(random.one_of(&[&["-g"][..], &["-g"], &[]]));
        options.extend(random.one_of(&[["-pie", "-fPIE"], ["-no-pie", "-fno-pie"]]));
        let binary = folder.join(format!("random_{seed}"));
        let source = binary.with_extension(kind.extension());
        fs::write(&source, program.text())
            .with_context(|| format!("writing {}", source.display()))?;
        let mut build = Command::new(compiler);
        // Files of Fortran modules go to the folder in which the compiler runs.
        build.current_dir(folder).args(&options[1..]).args(kind.needed_options());
        let output = build.arg(&source).arg("-o").arg(&binary).output();
        let output = output.with_context(|| format!("running {compiler}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{compiler} on {}: {said}", source.display());
        Ok(Self { seed, program, options, binary })
    }

    /// Runs it, and compares what whyperf says with what it prints.
    pub(super) fn run(&self, whyperf: &Path) -> Result<ProgramOutcome> {
        let output = self.measure(whyperf)?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "seed {}: it ended with {}: {said}",
            self.seed,
            output.status
        );
        fs::write(self.file("log"), &output.stderr).context("writing what whyperf said")?;
        fs::write(self.file("txt"), &output.stdout).context("writing what the program printed")?;
        let text = fs::read_to_string(self.file("json")).context("reading the report")?;
        let report: Value = serde_json::from_str(&text).context("the report is JSON")?;
        let printed = Printed::of(&String::from_utf8_lossy(&output.stdout));
        let questions = self.questions(whyperf)?;
        Ok(ProgramOutcome {
            comparison: ProgramComparison::of(&self.program, &printed, &questions)?,
            larger_parts: larger_parts(&self.program, &questions, &report),
            rows: Rows::of(&self.program, &printed, &report, &said)?,
            stretches: Stretches::of(&self.program, &printed, &report)?,
            more_than_all: more_than_all(&said),
        })
    }

    fn measure(&self, whyperf: &Path) -> Result<Output> {
        let store = self.file("db");
        if store.exists() {
            fs::remove_file(&store).with_context(|| format!("removing {}", store.display()))?;
        }
        let threshold = format!("CPUbound={}%", 100.0 * THRESHOLD);
        let mut run = Command::new(whyperf);
        run.args(["run", "--details", "--threshold", &threshold, "--profile", "1000", "--store"])
            .arg(&store);
        let output = run.arg("--json").arg(self.file("json")).arg("--").arg(&self.binary).output();
        output.with_context(|| format!("running {}", whyperf.display()))
    }

    /// All questions of the search, with their answers.
    fn questions(&self, whyperf: &Path) -> Result<Vec<Value>> {
        let shown = |words: &[&str]| {
            let mut show = Command::new(whyperf);
            let output = show.args(words).arg("--store").arg(self.file("db")).output();
            let output = output.with_context(|| format!("running {}", whyperf.display()))?;
            serde_json::from_slice::<Value>(&output.stdout).context("reading the store")
        };
        let runs = shown(&["runs", "--json"])?;
        let id = runs[0]["id"].as_str().context("the run is in the store")?;
        match shown(&["show", id, "--search", "--json"])? {
            Value::Array(questions) => Ok(questions),
            _ => anyhow::bail!("the search is no list"),
        }
    }

    fn file(&self, extension: &str) -> PathBuf {
        self.binary.with_extension(extension)
    }

    /// Removes its files: nothing is to be looked at.
    pub(super) fn remove(&self) {
        let source = self.program.kind.extension();
        for extension in ["", source, "db", "db-journal", "json", "log", "txt"] {
            // What is left is overwritten by the next study.
            let _ = fs::remove_file(self.file(extension));
        }
    }
}
