//! `cargo xtask study random`: runs random programs that know their own truth, and compares what whyperf says of them.
//!
//! ```text
//!   seed ─► program ─► compiler ─► whyperf run ─┬─ what the program printed ─────────────┐
//!                                               └─ questions and answers, report, rows ──┴─► comparison ─► tables
//! ```

mod comparison;
mod function;
mod generator;
mod kind;
mod manner;
mod options;
mod parts;
mod printed;
mod program;
mod rows;
mod stretches;
mod sum;
mod text;
mod tree;
mod trial;

use std::fs;
use std::process::ExitCode;

use anyhow::{Context as _, Result};

use crate::packages;
use crate::workspace::Workspace;
pub(crate) use generator::Generator;

use comparison::{FunctionAnswer, Judged};
use options::RandomOptions;
use sum::AnswerSums;
use trial::{ProgramOutcome, ProgramTrial};

pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let options = RandomOptions::of(words)?;
    packages::ensure_all()?;
    let workspace = Workspace::find()?;
    if !options.built {
        workspace.build_release()?;
    }
    let folder = workspace.target.join("random");
    fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
    let whyperf = workspace.release().join("whyperf");
    let mut sum = AnswerSums::default();
    for seed in options.seed..options.seed + options.programs {
        let trial = ProgramTrial::prepare(&folder, options.kind_of(seed), seed, options.seconds)?;
        let outcome = trial.run(&whyperf)?;
        let complaints = complaints(&trial, &outcome);
        if !complaints.is_empty() {
            println!("seed {seed}, {} ({}):", trial.program.kind.name(), trial.options.join(" "));
            complaints.iter().for_each(|complaint| println!("  {complaint}"));
        } else if !options.keeps {
            trial.remove();
        }
        sum.add(&trial, &outcome);
    }
    print!("{}", sum.tables());
    Ok(ExitCode::SUCCESS)
}

impl FunctionAnswer {
    const fn is_fine(self) -> bool {
        matches!(self, Self::Right | Self::Near)
    }
}

/// All that is wrong with what was said of a program.
fn complaints(trial: &ProgramTrial, outcome: &ProgramOutcome) -> Vec<String> {
    let ProgramOutcome { comparison, larger_parts, rows, stretches, more_than_all } = outcome;
    let wrong = comparison.judged.iter().filter(|one| !one.answer.is_fine() || one.is_off());
    let told = |one: &Judged| {
        let Judged { function, manner, answer, share, value } = one;
        let form = trial.program.functions[*function].form;
        let value = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
        format!("f{function} {manner:?} {form:?}: {answer:?}, has {share:.3}, told {value}")
    };
    let lists = [
        larger_parts,
        &comparison.odd_names,
        &rows.hot_off,
        &rows.too_much,
        &rows.sums_off,
        &rows.threads_missing,
        &stretches.untold,
        &stretches.short,
        &stretches.wrong,
        more_than_all,
    ];
    wrong.map(told).chain(lists.into_iter().flatten().cloned()).collect()
}
