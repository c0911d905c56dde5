//! `cargo xtask study sc97`: the three case studies of the paper on experiment management, with programs written for them; `docs/studies/sc97.md`.
//!
//! ```text
//!   versions of a program ─┬─ trial, by turns ─► store ─┬─ compare --markdown, compare --json ─┬─► the page
//!                          └─ trial                     ├─ scale                               │
//!                                                       └─ query ──────────────────────────────┘
//! ```
//! The page has what the verbs print, and above it in a table what they say in JSON: the study computes nothing but the spread of trials.

mod bench;
mod case_study;
mod page;
mod told;

use std::fs;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::packages;
use crate::precedence::Precedence;
use crate::workspace::Workspace;
use bench::Bench;
use case_study::CaseStudy;

pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let options = Sc97Options::of(words)?;
    packages::ensure_demo()?;
    let workspace = Workspace::find()?;
    if !options.is_built {
        workspace.build_release()?;
    }
    let begin = Instant::now();
    let mut bench = Bench::prepare(&workspace)?;
    let precedence = Precedence::take();
    for study in CaseStudy::ALL {
        for trial in 1..=options.trials {
            for version in study.versions {
                bench.run(version)?;
            }
            eprintln!("{}: trial {trial} of {}", study.name, options.trials);
        }
    }
    let has_precedence = precedence.is_some();
    drop(precedence);
    let opening = page::opening(options, has_precedence, begin.elapsed());
    let text = opening + &page::port(&bench)? + &page::tuning(&bench)? + &page::scaling(&bench)?;
    let folder = match options.is_quick() {
        true => workspace.target.join("study"),
        false => workspace.root.join("docs/studies"),
    };
    let path = folder.join("sc97.md");
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&path, text))
        .with_context(|| format!("writing {}", path.display()))?;
    println!("written to {}", path.display());
    Ok(ExitCode::SUCCESS)
}

/// What the words of the command line ask for.
#[derive(Clone, Copy, Debug)]
struct Sc97Options {
    /// Runs of each version.
    trials: u32,
    /// The release build is there.
    is_built: bool,
}

impl Sc97Options {
    fn of(words: &[&str]) -> Result<Self> {
        let mut options = Self { trials: TRIALS, is_built: false };
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            match *word {
                "--built" => options.is_built = true,
                "--trials" => {
                    let number = rest.next().context("--trials takes a number")?;
                    let parsed = number.parse().ok().filter(|trials| *trials > 1);
                    options.trials = parsed.with_context(|| format!("--trials {number}"))?;
                }
                unknown => bail!("study sc97 takes --built and --trials N, and not {unknown}"),
            }
        }
        Ok(options)
    }

    /// One that is only to be seen working does not replace what a full study left.
    const fn is_quick(self) -> bool {
        self.trials < TRIALS
    }
}

/// Runs of each version where nothing is said.
const TRIALS: u32 = 7;
