//! `cargo xtask study predicted`: predicts runs of this machine from traces of ranks that computed one at a time, and what cures are worth, and holds
//! both against the programs run for real; `docs/studies/predicted.md`.
//!
//! ```text
//!   program ─┬─ run for real, so and so often ───────────────────────────────────► least time
//!            └─ whyperf run --serial ─► trace ─► what-if --machine here.toml ────► least time     runs of both kinds take turns
//! ```
//! What else the machine does makes both longer, and never shorter: so the least of each are compared.

mod bench;

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use crate::packages;
use crate::workspace::Workspace;
use bench::Bench;

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

pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let (mut is_built, mut runs) = (false, 15);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--built" => is_built = true,
            "--runs" => {
                let number = rest.next().context("--runs takes a number")?;
                runs = number.parse().with_context(|| format!("--runs {number}"))?;
            }
            unknown => bail!("study predicted takes --built and --runs N, and not {unknown}"),
        }
    }
    packages::ensure_demo()?;
    let workspace = Workspace::find()?;
    if !is_built {
        workspace.build_release()?;
    }
    let bench = Bench::prepare(&workspace, runs)?;
    println!(
        "| program | ranks | run for real, s | predicted, s | off by |\n|---|---|---|---|---|"
    );
    for (program, steps) in PROGRAMS {
        for ranks in [1, 2] {
            let [real, predicted] = bench.compare(program, steps, ranks, None)?;
            println!(
                "| {program} | {ranks} | {real:.4} | {predicted:.4} | {} |",
                off(predicted, real)
            );
        }
    }
    println!(
        "\n| program | changed | time left by what-if, s | changed for real, and traced, s | off by | changed for real, s | off by |\n|---|---|---|---|---|---|---|"
    );
    for (program, change, options) in CURES {
        let steps =
            PROGRAMS.iter().find(|(name, _)| *name == program).map_or(100, |(_, steps)| *steps);
        let [real, by_what_if] = bench.compare(program, steps, 2, Some((change, options)))?;
        let traced = bench.changed(program, steps, 2, change)?;
        println!(
            "| {program} | `{change}` | {by_what_if:.4} | {traced:.4} | {} | {real:.4} | {} |",
            off(by_what_if, traced),
            off(by_what_if, real),
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn off(predicted: f64, real: f64) -> String {
    format!("{:+.1} %", (predicted / real - 1.0) * 100.0)
}
