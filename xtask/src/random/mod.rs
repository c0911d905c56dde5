//! `cargo xtask study random`: random programs that know their own truth, and what whyperf says of them.
//!
//! ```text
//!   seed ─► program ─► compiler ─► whyperf run ─┬─ what the program printed ─┐
//!                                               └─ questions and answers ────┴─► comparison ─► table
//! ```

mod comparison;
mod generator;
mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::packages;
use crate::workspace::Workspace;
use comparison::{Answer, Comparison, Judged, THRESHOLD};
use generator::Generator;
use program::{Manner, Program};

/// What the study was asked to do.
#[derive(Clone, Copy, Debug)]
struct Options {
    /// Whether the release build is taken as it is.
    built: bool,
    programs: u64,
    /// Of the first program; each has the next one.
    seed: u64,
    /// For how long each thread computes.
    seconds: u64,
}

impl Options {
    fn of(words: &[&str]) -> Result<Self> {
        let mut options = Self { built: false, programs: 500, seed: 1, seconds: 4 };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut number = || {
                let text = words.next().with_context(|| format!("{word} takes a number"))?;
                text.parse().with_context(|| format!("{word} takes a number; got {text}"))
            };
            match *word {
                "--built" => options.built = true,
                "--programs" => options.programs = number()?,
                "--seed" => options.seed = number()?,
                "--seconds" => options.seconds = number()?,
                _ => bail!(
                    "`study random` takes --built, --programs N, --seed N and --seconds N; got {word}"
                ),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let options = Options::of(words)?;
    packages::ensure_all()?;
    let workspace = Workspace::find()?;
    if !options.built {
        workspace.build_release()?;
    }
    let folder = workspace.target.join("random");
    fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
    let whyperf = workspace.release().join("whyperf");
    let mut sum = Sum::default();
    for seed in options.seed..options.seed + options.programs {
        let trial = Trial::prepare(&folder, seed, options.seconds)?;
        let comparison = trial.run(&whyperf)?;
        if comparison.judged.iter().all(|one| one.answer.is_fine() && !one.is_off())
            && comparison.larger_parts.is_empty()
        {
            trial.remove();
        } else {
            tell(&trial, &comparison);
        }
        sum.add(&comparison);
    }
    print!("{}", sum.table());
    Ok(ExitCode::SUCCESS)
}

impl Answer {
    const fn is_fine(self) -> bool {
        matches!(self, Self::Right | Self::Near)
    }
}

fn tell(trial: &Trial, comparison: &Comparison) {
    println!("seed {} ({}):", trial.seed, trial.options.join(" "));
    for one in comparison.judged.iter().filter(|one| !one.answer.is_fine() || one.is_off()) {
        let Judged { function, manner, answer, share, value } = one;
        let value = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
        println!("  {function} {manner:?}: {answer:?}, has {share:.3}, told {value}");
    }
    comparison.larger_parts.iter().for_each(|part| println!("  {part}"));
}

/// A program that was built, and where its files lie.
#[derive(Debug)]
struct Trial {
    seed: u64,
    program: Program,
    options: Vec<&'static str>,
    binary: PathBuf,
}

impl Trial {
    fn prepare(folder: &Path, seed: u64, seconds: u64) -> Result<Self> {
        let mut random = Generator::seeded(seed);
        let program = Program::random(&mut random, seconds);
        let compiler = random.one_of(&["gcc", "gcc", "clang-14"]);
        let mut options = vec![compiler, random.one_of(&["-O0", "-O1", "-O2", "-O2", "-O3"])];
        options.extend(random.one_of(&[&["-g"][..], &["-g"], &[]]));
        options.extend(random.one_of(&[["-pie", "-fPIE"], ["-no-pie", "-fno-pie"]]));
        let binary = folder.join(format!("random_{seed}"));
        let source = binary.with_extension("c");
        fs::write(&source, program.text())
            .with_context(|| format!("writing {}", source.display()))?;
        let mut build = Command::new(compiler);
        build.args(&options[1..]).arg(&source).arg("-o").arg(&binary).arg("-pthread");
        let output = build.output().with_context(|| format!("running {compiler}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{compiler} on {}: {said}", source.display());
        Ok(Self { seed, program, options, binary })
    }

    fn run(&self, whyperf: &Path) -> Result<Comparison> {
        let store = self.binary.with_extension("db");
        if store.exists() {
            fs::remove_file(&store).with_context(|| format!("removing {}", store.display()))?;
        }
        let threshold = format!("CPUbound={}%", 100.0 * THRESHOLD);
        let output = Command::new(whyperf)
            .args(["run", "--quiet", "--threshold", &threshold, "--store"])
            .arg(&store)
            .arg("--")
            .arg(&self.binary)
            .output()
            .with_context(|| format!("running {}", whyperf.display()))?;
        let printed = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "seed {}: it ended with {}", self.seed, output.status);
        let shown = |words: &[&str]| {
            let output = Command::new(whyperf).args(words).arg("--store").arg(&store).output();
            let output = output.with_context(|| format!("running {}", whyperf.display()))?;
            serde_json::from_slice::<Value>(&output.stdout).context("reading the store")
        };
        let runs = shown(&["runs", "--json"])?;
        let id = runs[0]["id"].as_str().context("the run is in the store")?;
        let questions = shown(&["show", id, "--search", "--json"])?;
        let questions = questions.as_array().context("the search is a list")?;
        Comparison::of(&self.program, &printed, questions)
    }

    /// Removes its files: nothing is to be looked at.
    fn remove(&self) {
        for file in
            ["", "c", "db", "db-journal"].map(|extension| self.binary.with_extension(extension))
        {
            // What is left is overwritten by the next study.
            let _ = fs::remove_file(file);
        }
    }
}

/// What all programs came to.
#[derive(Debug, Default)]
struct Sum {
    programs: u64,
    answers: BTreeMap<(Manner, Answer), u64>,
    values: BTreeMap<Manner, Vec<f64>>,
    off: u64,
    larger_parts: usize,
}

impl Sum {
    fn add(&mut self, comparison: &Comparison) {
        self.programs += 1;
        self.larger_parts += comparison.larger_parts.len();
        for one in &comparison.judged {
            *self.answers.entry((one.manner, one.answer)).or_default() += 1;
            self.off += u64::from(one.is_off());
            if let Some(value) = one.value {
                self.values.entry(one.manner).or_default().push((value - one.share).abs());
            }
        }
    }

    fn table(&self) -> String {
        let head = "| a function that | right | near | undecided | denied | invented | error, middle and 95 of 100 |\n|---|---|---|---|---|---|---|\n";
        let mut text = format!("\n{} programs\n\n{head}", self.programs);
        for manner in Manner::ALL {
            let count = |answer| self.answers.get(&(manner, answer)).copied().unwrap_or_default();
            let [right, near, undecided, denied, invented] =
                [Answer::Right, Answer::Near, Answer::Undecided, Answer::Denied, Answer::Invented]
                    .map(count);
            let mut errors = self.values.get(&manner).cloned().unwrap_or_default();
            errors.sort_by(f64::total_cmp);
            let at =
                |part: usize| errors.get(errors.len() * part / 100).copied().unwrap_or_default();
            let (middle, most) = (at(50), at(95));
            text += &format!(
                "| {} | {right} | {near} | {undecided} | {denied} | {invented} | {middle:.3} {most:.3} |\n",
                manner.name()
            );
        }
        text + &format!(
            "\nvalues off by more: {}; parts larger than their whole: {}\n",
            self.off, self.larger_parts
        )
    }
}
