//! `cargo xtask study planted`: builds of one program that differ by one planted regression, and how often a comparison names it first.
//!
//! Each pair is one experiment of the program as it is and one of a build with something planted, or of the same program again; the trials of
//! both alternate, and so does which of them goes first. Of four things planted the comparison shall name the right one first, and of equals nothing.

mod trial;

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use crate::packages;
use crate::workspace::Workspace;
use trial::{Planted, PlantedPair, Stage};

pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let options = PlantedOptions::of(words)?;
    packages::ensure_demo()?;
    let workspace = Workspace::find()?;
    if !options.built {
        workspace.build_release()?;
    }
    let stage = Stage::prepare(&workspace, options.busy_shells)?;
    let mut named = [0; Planted::ALL.len()];
    for number in 1..=options.pairs {
        for (planted, named) in Planted::ALL.into_iter().zip(&mut named) {
            if !options.asks_for(planted) {
                continue;
            }
            let pair = PlantedPair { planted, number, trials: options.trials };
            let outcome = stage.run(&pair)?;
            let is_right = planted.is_named(&outcome);
            *named += u32::from(is_right);
            let mark = if is_right { "right" } else { "WRONG" };
            println!("pair {number}  {:<9} {mark}  {outcome}", planted.name());
        }
    }
    println!("\n| planted | named first, or of equals nothing | pairs |\n|---|---|---|");
    let all = Planted::ALL.into_iter().zip(named);
    for (planted, named) in all.filter(|(planted, _)| options.asks_for(*planted)) {
        println!("| {} | {named} | {} |", planted.name(), options.pairs);
    }
    Ok(ExitCode::SUCCESS)
}

/// What the words of the command line ask for.
struct PlantedOptions {
    pairs: u32,
    trials: u32,
    /// Nothing else is planted.
    only: Option<Planted>,
    /// Shells that spin beside the program.
    busy_shells: usize,
    /// The release build is there.
    built: bool,
}

impl PlantedOptions {
    fn asks_for(&self, planted: Planted) -> bool {
        self.only.is_none_or(|only| only == planted)
    }

    fn of(words: &[&str]) -> Result<Self> {
        let mut options = Self { pairs: 20, trials: 5, only: None, busy_shells: 0, built: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if *word == "--only" {
                options.only = Some(Planted::of(words.next().unwrap_or(&""))?);
                continue;
            }
            let mut number = || {
                let value = words.next().context(format!("{word} needs a number"))?;
                value.parse::<u32>().with_context(|| format!("{word} {value}"))
            };
            match *word {
                "--pairs" => options.pairs = number()?,
                "--trials" => options.trials = number()?,
                "--busy-shells" => options.busy_shells = number()? as usize,
                "--built" => options.built = true,
                other => bail!(
                    "`study planted` has no {other}: there are --pairs, --trials, --only, --busy-shells and --built"
                ),
            }
        }
        Ok(options)
    }
}
