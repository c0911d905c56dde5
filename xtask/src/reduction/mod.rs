//! `cargo xtask study reduction`: what measuring every function costs a program whose functions mostly do hardly anything, and what is left of that after a
//! rule named those that measuring is not worth. The page it leaves is among the studies.
//!
//! ```text
//!   program ─┬─ alone ─────────────────────────────────────────────► its own times
//!            ├─ all functions, with compensation and without ──────► its own times, and what whyperf says of each function
//!            └─ all functions ─► whyperf reduce ─► whyperf run --filter ─► the same
//! ```
//! The ways take turns, so that what else the machine does reaches all of them. The program knows how long its parts take.

mod bench;
mod function_times;
mod page;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::packages;
use crate::workspace::Workspace;
use bench::Bench;

pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let options = ReductionOptions::of(words)?;
    packages::ensure_demo()?;
    let workspace = Workspace::find()?;
    if !options.is_built {
        workspace.build_release()?;
    }
    let begin = Instant::now();
    let bench = Bench::prepare(&workspace, options)?;
    let found = bench.measure()?;
    let text = page::written(&found, options, begin.elapsed());
    println!("{text}");
    // One that is only to be seen working does not replace what a full study left.
    let folder = match options.is_quick() {
        true => workspace.target.join("study"),
        false => workspace.root.join("docs/studies"),
    };
    let path = folder.join("reduction.md");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, text))
        .with_context(|| format!("writing {}", path.display()))?;
    println!("written to {}", path.display());
    Ok(ExitCode::SUCCESS)
}

/// What the words of the command line ask for.
#[derive(Clone, Copy, Debug)]
struct ReductionOptions {
    runs: u32,
    elements: u32,
    /// The release build is there.
    is_built: bool,
}

impl ReductionOptions {
    fn of(words: &[&str]) -> Result<Self> {
        let mut options = Self { runs: RUNS, elements: ELEMENTS, is_built: false };
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let mut number = || {
                let number = rest.next().with_context(|| format!("{word} takes a number"))?;
                let parsed = number.parse::<u32>().ok().filter(|number| *number > 0);
                parsed.with_context(|| format!("{word} {number}"))
            };
            match *word {
                "--built" => options.is_built = true,
                "--runs" => options.runs = number()?,
                "--elements" => options.elements = number()?,
                unknown => bail!(
                    "study reduction takes --built, --runs N and --elements N, and not {unknown}"
                ),
            }
        }
        Ok(options)
    }

    const fn is_quick(self) -> bool {
        self.runs < RUNS || self.elements < ELEMENTS
    }
}

/// Runs of each way.
const RUNS: u32 = 9;
/// Numbers among which the largest are found.
const ELEMENTS: u32 = 1_000_000;
