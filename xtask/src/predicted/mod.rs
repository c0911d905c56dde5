//! `cargo xtask study predicted`: predicts runs of this machine from traces of ranks that computed one at a time, and what cures are worth, and holds
//! both against the programs run for real; `docs/studies/predicted.md`.
//!
//! ```text
//!   program ─┬─ run for real ─────────────────────────────────────────► seconds  ─┐
//!            └─ whyperf run --serial ─► trace ─► what-if --machine ───► seconds  ─┴─ so and so often, in turns: middle, least and greatest
//! ```
//! The middle of each is compared, and the least beside it: what else the machine does makes both longer, and never shorter. All runs go
//! before other work of the machine, where we may ask for that. `--only` takes the study in parts.

mod bench;

use std::array;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use crate::packages;
use crate::precedence::Precedence;
use crate::spread::Spread;
use crate::workspace::Workspace;
use bench::{Bench, Found, Job, Way};

/// The programs, and steps of each that take about as long.
const PROGRAMS: [(&str, u32); 6] = [
    ("halo", 300),
    ("uneven", 400),
    ("sums", 500),
    ("farm", 600),
    ("wave", 300),
    ("transpose", 600),
];

/// A program, what is changed in it for real, and the same said to `what-if`.
const CURES: [(&str, &str, &[&str]); 5] = [
    ("uneven", "solve=0.5", &["--region", "solve=0.5x"]),
    ("uneven", "without=barrier", &["--no-wait", "/SyncObject/Barrier"]),
    ("sums", "without=sum", &["--no-wait", "/SyncObject/Collective/allreduce"]),
    ("wave", "solve=0.2", &["--region", "solve=0.2x"]),
    ("transpose", "update=0", &["--region", "update=0x"]),
];

/// Programs in variants.
const VARIANTS: [(&str, [&str; 4]); 3] = [
    ("wave", ["blocks=1", "blocks=2", "blocks=4", "blocks=10"]),
    ("uneven", ["every=1", "every=2", "every=3", "every=7"]),
    ("sums", ["split=0.2", "split=0.3", "split=0.4", "split=0.5"]),
];

pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let options = PredictedOptions::of(words)?;
    packages::ensure_demo()?;
    let workspace = Workspace::find()?;
    if !options.is_built {
        workspace.build_release()?;
    }
    let precedence = Precedence::take();
    if precedence.is_none() {
        println!("Other work of this machine is not held back: it should have none.");
    }
    let bench = Bench::prepare(&workspace, options.runs)?;
    let is_wanted = |part| options.only.as_deref().is_none_or(|only| only == part);
    if is_wanted("programs") {
        programs(&bench)?;
    }
    if is_wanted("cures") {
        cures(&bench)?;
    }
    if is_wanted("variants") {
        variants(&bench)?;
    }
    drop(precedence);
    Ok(ExitCode::SUCCESS)
}

/// What the words of the command line ask for.
struct PredictedOptions {
    runs: u32,
    /// The part that is wanted, where not all are.
    only: Option<String>,
    /// The release build is there.
    is_built: bool,
}

impl PredictedOptions {
    fn of(words: &[&str]) -> Result<Self> {
        let mut options = Self { runs: 15, only: None, is_built: false };
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            match *word {
                "--built" => options.is_built = true,
                "--runs" => {
                    let number = rest.next().context("--runs takes a number")?;
                    let parsed = number.parse().ok().filter(|runs| *runs > 0);
                    options.runs = parsed.with_context(|| format!("--runs {number}"))?;
                }
                "--only" => match rest.next() {
                    Some(part @ &("programs" | "cures" | "variants")) => {
                        options.only = Some((*part).to_owned());
                    }
                    _ => bail!("--only takes programs, cures or variants"),
                },
                unknown => bail!(
                    "study predicted takes --built, --runs N and --only PART, and not {unknown}"
                ),
            }
        }
        Ok(options)
    }
}

/// Each program on one rank and on two.
fn programs(bench: &Bench) -> Result<()> {
    println!("\n| program | ranks | run for real, ms | predicted, ms | off by | by the least |");
    println!("|---|---|---|---|---|---|");
    for (program, steps) in PROGRAMS {
        for ranks in [1, 2] {
            let job = Job { program, steps, ranks };
            let [real, predicted] = bench.in_turns(job, [Way::Real(&[]), AS_IT_IS])?;
            println!("| `{program}` | {ranks} | {} |", compared(&real, &predicted));
        }
    }
    Ok(())
}

/// What a cure is worth, against the program that was changed.
fn cures(bench: &Bench) -> Result<()> {
    println!(
        "\n| program | changed | for real, ms | changed for real | by what-if | off by | saved for real | by what-if | off by | changed and traced | off by |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for (program, change, options) in CURES {
        let job = Job { program, steps: steps_of(program), ranks: 2 };
        let words: &[&str] = &[change];
        let ways = [
            Way::Real(&[]),
            Way::Real(words),
            Way::Predicted { words: &[], options, found: Found::Saved },
            Way::Predicted { words: &[], options, found: Found::Elapsed },
            Way::Predicted { words, options: &[], found: Found::Elapsed },
        ];
        let [before, changed, saved_by_what_if, by_what_if, traced] = bench.in_turns(job, ways)?;
        let [saved, worth] = [before.middle - changed.middle, saved_by_what_if.middle];
        println!(
            "| `{program}` | `{change}` | {} | {} | {} | {} | {:.2} | {:.2} | {} | {} | {} |",
            before.shown(MILLIS),
            changed.shown(MILLIS),
            by_what_if.shown(MILLIS),
            off(by_what_if.middle, changed.middle),
            saved * MILLIS,
            worth * MILLIS,
            off(worth, saved),
            traced.shown(MILLIS),
            off(by_what_if.middle, traced.middle),
        );
    }
    Ok(())
}

/// Variants of a program, and how they rank.
fn variants(bench: &Bench) -> Result<()> {
    println!("\n| program | variant | run for real, ms | predicted, ms | off by | by the least |");
    println!("|---|---|---|---|---|---|");
    let mut ranked = Vec::new();
    for (program, all) in VARIANTS {
        let job = Job { program, steps: steps_of(program), ranks: 2 };
        let ways: [Way<'_>; 8] = array::from_fn(|at| {
            let words = &all[at / 2..=at / 2];
            if at % 2 == 0 {
                Way::Real(words)
            } else {
                Way::Predicted { words, options: &[], found: Found::Elapsed }
            }
        });
        let times = bench.in_turns(job, ways)?;
        let mut found = Vec::new();
        for (variant, times) in all.iter().zip(times.chunks(2)) {
            let [real, predicted] = times else { continue };
            println!("| `{program}` | `{variant}` | {} |", compared(real, predicted));
            found.push((*variant, real.middle, predicted.middle));
        }
        let real = order(&found, |one| one.1);
        let predicted = order(&found, |one| one.2);
        ranked.push(format!("| `{program}` | {real} | {predicted} |"));
    }
    println!("\n| program | for real, the fastest first | predicted |\n|---|---|---|");
    println!("{}", ranked.join("\n"));
    Ok(())
}

const AS_IT_IS: Way<'_> = Way::Predicted { words: &[], options: &[], found: Found::Elapsed };
const MILLIS: f64 = 1e3;

fn steps_of(program: &str) -> u32 {
    PROGRAMS.iter().find(|(name, _)| *name == program).map_or(100, |(_, steps)| *steps)
}

fn order(found: &[(&str, f64, f64)], of: fn(&(&str, f64, f64)) -> f64) -> String {
    let mut sorted: Vec<_> = found.iter().collect();
    sorted.sort_by(|one, other| of(one).total_cmp(&of(other)));
    sorted.iter().map(|(name, ..)| format!("`{name}`")).collect::<Vec<_>>().join(" ")
}

/// Both, and how far the prediction is off by the middle and by the least of each.
fn compared(real: &Spread, predicted: &Spread) -> String {
    let [by_middle, by_least] =
        [off(predicted.middle, real.middle), off(predicted.least, real.least)];
    let [real, predicted] = [real, predicted].map(|spread| spread.shown(MILLIS));
    format!("{real} | {predicted} | {by_middle} | {by_least}")
}

fn off(predicted: f64, real: f64) -> String {
    format!("{:+.1} %", (predicted / real - 1.0) * 100.0)
}
