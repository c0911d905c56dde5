//! Table 3: directives from one version of a program in the search for the bottlenecks of another.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;

use super::base_runs::BaseRuns;
use super::cells;
use super::directive_files::{self, GENERAL, HISTORIC, PRIORITIES};
use super::harness::Experiment;
use super::trial::{PairText, Trial};
use super::verdict::Verdict;
use super::version::Version;

/// The version under diagnosis, and the paper's seconds without directives and with those of A, B, C and D.
const ROWS: [(Version, &[f64]); 4] = [
    (Version::A, &[2272.0, 183.0]),
    (Version::B, &[4454.0, 96.0, 135.0]),
    (Version::C, &[1021.0, 186.0, 173.0, 256.0]),
    (Version::D, &[3411.0, 554.0, 810.0, 438.0, 429.0]),
];
/// Of two sources at once, in the diagnosis of C.
const COMBINED: [(&str, &str, f64); 2] =
    [("A ∩ B", "--intersect", 179.0), ("A ∪ B", "--union", 176.0)];
const KINDS: [&str; 3] = [PRIORITIES, GENERAL, HISTORIC];

pub(super) fn study(base_runs: &mut BaseRuns<'_>) -> Result<String> {
    let mut text = "## Table 3: directives across versions\n\nSeconds since `MPI_Init` until all true bottlenecks of the row's version were found, with priorities and prunes from a \
        base run of the column's version; names were mapped by `directives map`. In parentheses the spread, and the time in percent of that without directives.\n"
        .to_owned();
    for verdict in base_runs.harness.options.verdicts() {
        text += &format!("\n### {}\n\n", verdict.name());
        text += &cells::head(&["version", "none", "A", "B", "C", "D"]);
        for (version, paper) in ROWS {
            text += &measured(base_runs, verdict, version, paper.len() - 1)?;
        }
        text += &combined(base_runs, verdict)?;
    }
    text += "\n### The paper\n\n";
    text += &cells::head(&["version", "none", "A", "B", "C", "D"]);
    for (version, paper) in ROWS {
        let mut cells = vec![version.letter().to_string(), format!("{:.0}", paper[0])];
        for nth in 1..=Version::ALL.len() {
            cells.push(paper.get(nth).map_or_else(String::new, |seconds| {
                format!("{seconds:.0}, {}", cells::percent(Some(*seconds), Some(paper[0])))
            }));
        }
        text += &cells::row(&cells);
    }
    Ok(text)
}

fn measured(
    base_runs: &mut BaseRuns<'_>,
    verdict: Verdict,
    version: Version,
    sources: usize,
) -> Result<String> {
    let truth = base_runs.truth(version)?;
    let without: Vec<Option<f64>> =
        base_runs.of(version, verdict)?.iter().map(|trial| whole(trial, &truth)).collect();
    let base = cells::middle(&without);
    let mut cells = vec![version.letter().to_string(), cells::times(&without)];
    for nth in 0..Version::ALL.len() {
        if nth >= sources {
            cells.push(String::new());
            continue;
        }
        let source = Version::ALL[nth];
        let mut files = vec![directive_files::extracted(base_runs, (source, verdict), &KINDS)?];
        if source != version {
            files.push(directive_files::mapped(base_runs, (source, version), verdict)?);
        }
        let name = format!("directives from {}", source.letter());
        cells.push(cell(base_runs, (&name, version, verdict), &files, base)?);
    }
    Ok(cells::row(&cells))
}

/// When all was found that is so in a run.
fn whole(trial: &Trial, truth: &[PairText]) -> Option<f64> {
    trial.time_to(1.0, &trial.undenied(truth))
}

/// Version C led by A and B together.
fn combined(base_runs: &mut BaseRuns<'_>, verdict: Verdict) -> Result<String> {
    let mut files = Vec::new();
    for source in [Version::A, Version::B] {
        let file = directive_files::extracted(base_runs, (source, verdict), &KINDS)?;
        let map = directive_files::mapped(base_runs, (source, Version::C), verdict)?;
        files.push(directive_files::translated(base_runs, &file, &map)?);
    }
    let truth = base_runs.truth(Version::C)?;
    let without: Vec<Option<f64>> =
        base_runs.of(Version::C, verdict)?.iter().map(|trial| whole(trial, &truth)).collect();
    let base = cells::middle(&without);
    let mut text = "\nVersion C led by A and B together: ".to_owned();
    for (name, how, paper) in COMBINED {
        let file = directive_files::combined(base_runs, [&files[0], &files[1]], how)?;
        let cell = cell(base_runs, (name, Version::C, verdict), &[file], base)?;
        text += &format!("{name} {cell}, in the paper {paper:.0} s. ");
    }
    Ok(text.trim_end().to_owned() + "\n")
}

fn cell(
    base_runs: &mut BaseRuns<'_>,
    (name, version, verdict): (&str, Version, Verdict),
    files: &[PathBuf],
    base: Option<f64>,
) -> Result<String> {
    let truth = base_runs.truth(version)?;
    let hold = base_runs.harness.options.hold;
    let words: Vec<OsString> = directive_files::words(files);
    let experiment = Experiment {
        name,
        version,
        verdict,
        hold: Some(hold),
        seconds: verdict.patience(hold),
        words: &words,
        until: Some(&truth),
    };
    let trials = base_runs.repeated(&experiment)?;
    let times: Vec<Option<f64>> = trials.iter().map(|trial| whole(trial, &truth)).collect();
    Ok(format!("{}, {}", cells::times(&times), cells::percent(cells::middle(&times), base)))
}
