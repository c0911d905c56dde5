//! `cargo xtask study killed`: each part of a measured job is killed, at random moments and many times, and what must hold afterwards is
//! checked: the program's result is right, the store is whole, nothing stays after `whyperf clean`, and the next run works.

mod aftermath;
mod job;
mod part;
mod round;

use std::collections::BTreeMap;
use std::fs;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::killed::job::Job;
use crate::killed::part::JobPart;
use crate::killed::round::{RoundOutcome, round};
use crate::random::Generator;
use crate::workspace::Workspace;

/// The words after `study killed`.
struct KilledOptions {
    built: bool,
    /// How often each part is killed.
    rounds: u64,
    seed: u64,
    /// Only this part.
    part: Option<JobPart>,
}

pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let options = KilledOptions::of(words)?;
    let workspace = Workspace::find()?;
    if !options.built {
        workspace.build_release()?;
    }
    let place = workspace.target.join("killed");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).with_context(|| format!("making {}", place.display()))?;
    let job = Job::prepare(&workspace, &place)?;
    let mut random = Generator::seeded(options.seed);
    let parts = options.part.map_or_else(|| JobPart::ALL.to_vec(), |part| vec![part]);
    let mut rows: BTreeMap<JobPart, Row> = BTreeMap::new();
    for number in 0..options.rounds {
        for part in &parts {
            let after = Duration::from_millis(random.below(job.length_ms() * 5 / 4));
            let outcome = round(&job, *part, after)?;
            if !outcome.failures.is_empty() {
                println!(
                    "round {number}, {} after {after:?}: {}",
                    part.name(),
                    outcome.failures.join("; ")
                );
            }
            rows.entry(*part).or_default().add(&outcome);
        }
    }
    Ok(print(&rows))
}

/// What came of killing one part.
#[derive(Default)]
struct Row {
    rounds: u64,
    /// It was there to be killed.
    hits: u64,
    failed: u64,
}

impl Row {
    fn add(&mut self, outcome: &RoundOutcome) {
        self.rounds += 1;
        self.hits += u64::from(outcome.was_hit);
        self.failed += u64::from(!outcome.failures.is_empty());
    }
}

fn print(rows: &BTreeMap<JobPart, Row>) -> ExitCode {
    println!("{:<12} {:>7} {:>7} {:>7}", "killed", "rounds", "hit", "failed");
    for (part, Row { rounds, hits, failed }) in rows {
        println!("{:<12} {rounds:>7} {hits:>7} {failed:>7}", part.name());
    }
    if rows.values().all(|row| row.failed == 0) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl KilledOptions {
    fn of(words: &[&str]) -> Result<Self> {
        let mut options = Self { built: false, rounds: 40, seed: 1, part: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut argument = || words.next().with_context(|| format!("{word} takes a word more"));
            let number =
                |text: &str| text.parse().with_context(|| format!("{word} takes a number"));
            match *word {
                "--built" => options.built = true,
                "--rounds" => options.rounds = number(argument()?)?,
                "--seed" => options.seed = number(argument()?)?,
                "--part" => options.part = Some(JobPart::named(argument()?)?),
                _ => bail!(
                    "`study killed` takes --built, --rounds N, --seed N and --part PART; got {word}"
                ),
            }
        }
        Ok(options)
    }
}
