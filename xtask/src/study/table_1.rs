//! Table 1: how long it takes to find the true bottlenecks with prunes, with priorities, and with both.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::slice;

use anyhow::{Context as _, Result};

use super::base_runs::BaseRuns;
use super::cells;
use super::directive_files::{self, GENERAL, HISTORIC, HOLD, PRIORITIES};
use super::harness::{DEFAULT_HOLD, Experiment, Harness};
use super::trial::{PairText, Trial};
use super::verdict::Verdict;
use super::version::Version;

/// The version that the paper's table is about.
const VERSION: Version = Version::C;
const PARTS: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// What leads the search, and the paper's seconds to each part.
const ROWS: [(&str, &[&str], [f64; 4]); 6] = [
    ("no directives", &[], [115.2, 182.4, 1011.2, 2611.2]),
    ("prunes only", &[GENERAL, HISTORIC], [80.0, 83.2, 140.8, 169.4]),
    ("general prunes only", &[GENERAL], [102.4, 121.6, 169.6, 236.8]),
    ("historic prunes only", &[HISTORIC], [108.8, 204.8, 281.6, 470.4]),
    ("priorities only", &[PRIORITIES], [80.0, 124.8, 211.2, 560.0]),
    ("priorities and all prunes", &[PRIORITIES, GENERAL, HISTORIC], [51.2, 57.6, 86.4, 147.2]),
];

const FLOOR: &str = "\nA classic search says nothing before it has held a mean once, led or not: that is the floor of every row. Without directives it holds one for each resource \
    on the way down to the deepest bottleneck, here seven times. Paradyn's took 130 holds, since the cost of its instrumentation held it back from asking more than a few questions \
    at once; ours never comes near the limit, so there is less to save. *The hold* is what the run held for 20 s taught of it: the shortest with which its questions, judged again over the record, have the same verdicts.\n";

pub(super) fn study(base_runs: &mut BaseRuns<'_>) -> Result<String> {
    let truth = base_runs.truth(VERSION)?;
    let mut text = format!(
        "## Table 1: prunes and priorities\n\nVersion C, {} true bottlenecks. Seconds since `MPI_Init` until this part of them was found.\n",
        truth.len()
    );
    for verdict in base_runs.harness.options.verdicts() {
        text += &format!("\n### {}\n\n{}", verdict.name(), measured(base_runs, verdict, &truth)?);
    }
    text += FLOOR;
    text += "\n### The paper\n\n";
    text += &cells::head(&["directives", "25 %", "50 %", "75 %", "100 %", "of none"]);
    for (name, _, seconds) in ROWS {
        let cells = seconds.map(|seconds| format!("{seconds:.1}"));
        let part = cells::percent(Some(seconds[3]), Some(ROWS[0].2[3]));
        text += &cells::row(&[&[name.to_owned()], &cells[..], &[part]].concat());
    }
    Ok(text)
}

fn measured(base_runs: &mut BaseRuns<'_>, verdict: Verdict, truth: &[PairText]) -> Result<String> {
    let names = [
        "directives",
        "25 %",
        "50 %",
        "75 %",
        "100 %",
        "of none",
        "paper's of none",
        "not so",
        "lost",
    ];
    let mut text = cells::head(&names);
    let without = base_runs.of(VERSION, verdict)?.to_vec();
    let base = cells::middle(&times(&without, 1.0, truth));
    for (name, kinds, paper) in ROWS {
        let trials = if kinds.is_empty() {
            without.clone()
        } else {
            let files = [directive_files::extracted(base_runs, (VERSION, verdict), kinds)?];
            let hold = base_runs.harness.options.hold;
            repeated(base_runs, (name, verdict, hold), &directive_files::words(&files), truth)?
        };
        let paper = cells::percent(Some(paper[3]), Some(ROWS[0].2[3]));
        text += &line(name, &trials, truth, (base, paper));
    }
    match verdict {
        Verdict::Sequential => {
            let trials = learned(base_runs, truth)?;
            text += &line("`--learn`", &trials, truth, (base, "-".to_owned()));
        }
        Verdict::Classic if !base_runs.harness.options.quick => text += &held(base_runs, truth)?,
        Verdict::Classic => {}
    }
    Ok(text)
}

/// The first and the last row again, as long as Paradyn held its verdicts, once each; then with what that run teaches of how long is long enough.
fn held(base_runs: &BaseRuns<'_>, truth: &[PairText]) -> Result<String> {
    let harness = base_runs.harness;
    let percent = |row: usize| cells::percent(Some(ROWS[row].2[3]), Some(ROWS[0].2[3]));
    let name = "no directives, held 20 s";
    let store = harness.file("held.db");
    let without = once(harness, (name, &store), &[], truth)?;
    let base = without.time_to(1.0, &without.undenied(truth));
    let mut text = line(name, slice::from_ref(&without), truth, (base, percent(0)));
    for (name, kinds, paper) in [
        ("priorities and all prunes, held 20 s", ROWS[5].1, percent(5)),
        (
            "priorities, all prunes and the hold",
            &[PRIORITIES, GENERAL, HISTORIC, HOLD],
            "-".to_owned(),
        ),
    ] {
        let file = directive_files::of_run(
            harness,
            (&without.run, &store),
            &format!("held-{}", kinds.len()),
            kinds,
        )?;
        let trial = once(
            harness,
            (name, &harness.file(&format!("held-{}.db", kinds.len()))),
            &directive_files::words(&[file]),
            truth,
        )?;
        text += &line(name, &[trial], truth, (base, paper));
    }
    Ok(text)
}

fn once(
    harness: &Harness,
    (name, store): (&str, &Path),
    words: &[OsString],
    truth: &[PairText],
) -> Result<Trial> {
    let experiment = Experiment {
        name,
        version: VERSION,
        verdict: Verdict::Classic,
        hold: None,
        seconds: Verdict::Classic.patience(DEFAULT_HOLD),
        words,
        until: Some(truth),
    };
    harness.run(&experiment, store)
}

/// A store that knows the base runs, and a search that learns from them by itself.
fn learned(base_runs: &mut BaseRuns<'_>, truth: &[PairText]) -> Result<Vec<Trial>> {
    base_runs.of(VERSION, Verdict::Sequential)?;
    let runs = base_runs.harness.options.runs;
    let one = |nth: usize| {
        let store = base_runs.harness.file(&format!("learned-{nth}.db"));
        fs::copy(base_runs.store(), &store).context("copying the store of the base runs")?;
        let experiment = Experiment {
            name: "learned",
            version: VERSION,
            verdict: Verdict::Sequential,
            hold: Some(base_runs.harness.options.hold),
            seconds: LEARNED,
            words: &[OsString::from("--learn")],
            until: None,
        };
        base_runs.harness.run(&experiment, &store)
    };
    let trials: Result<Vec<Trial>> = (0..runs).map(one).collect();
    trials.with_context(|| format!("finding {} bottlenecks again", truth.len()))
}

/// How long runs last that know what to look for, in seconds.
const LEARNED: f64 = 6.0;

fn repeated(
    base_runs: &BaseRuns<'_>,
    (name, verdict, hold): (&str, Verdict, f64),
    words: &[OsString],
    truth: &[PairText],
) -> Result<Vec<Trial>> {
    let experiment = Experiment {
        name,
        version: VERSION,
        verdict,
        hold: Some(hold),
        seconds: verdict.patience(hold),
        words,
        until: Some(truth),
    };
    base_runs.repeated(&experiment)
}

fn times(trials: &[Trial], part: f64, truth: &[PairText]) -> Vec<Option<f64>> {
    trials.iter().map(|trial| trial.time_to(part, &trial.undenied(truth))).collect()
}

fn line(
    name: &str,
    trials: &[Trial],
    truth: &[PairText],
    (base, paper): (Option<f64>, String),
) -> String {
    let mut cells = vec![name.to_owned()];
    cells.extend(PARTS.map(|part| cells::times(&times(trials, part, truth))));
    cells.push(cells::percent(cells::middle(&times(trials, 1.0, truth)), base));
    cells.push(paper);
    let denied = |trial: &Trial| truth.len() - trial.undenied(truth).len();
    let lost = |trial: &Trial| {
        trial.undenied(truth).iter().filter(|pair| trial.found(pair).is_none()).count()
    };
    let most = |count: &dyn Fn(&Trial) -> usize| trials.iter().map(count).max().unwrap_or_default();
    cells.extend([most(&denied).to_string(), most(&lost).to_string()]);
    cells::row(&cells)
}
