//! `whyperf directives`: what directive files say, and making them from runs that were kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use serde::Serialize;
use whyperf_consultant::{Directives, Hypotheses};
use whyperf_experiments::{
    Access, Combination, Mapped, Past, Selector, Store, Wanted, combine, extract, map,
};

use crate::guide;
use crate::outlet;
use crate::runs::status;
use crate::store_arguments::{DirectivesVerb, Kind};

/// Does what the verb says.
pub(crate) fn directives(verb: &DirectivesVerb) -> Result<ExitCode> {
    let hypotheses = Hypotheses::built_in();
    match verb {
        DirectivesVerb::Check { files } => match guide::read(files, &hypotheses) {
            Ok(all) => {
                let text = format!("{} directives, all well\n", all.entries.len());
                Ok(status(outlet::print(&text)))
            }
            Err(mistakes) => guide::refuse(&mistakes),
        },
        DirectivesVerb::Show { files, json } => match guide::read(files, &hypotheses) {
            Ok(all) if *json => print_json(&all),
            Ok(all) => Ok(status(outlet::print(&all.to_string()))),
            Err(mistakes) => guide::refuse(&mistakes),
        },
        DirectivesVerb::Extract { runs, output, only, small, store } => {
            let pasts = pasts(store, runs)?;
            let lesson = extract(&pasts, wanted(only, *small), &hypotheses);
            deliver(&lesson, output.as_deref())
        }
        DirectivesVerb::Combine { files, intersect, output, .. } => {
            let read = |file: &PathBuf| guide::read(std::slice::from_ref(file), &hypotheses);
            let lessons: Result<Vec<Directives>, String> = files.iter().map(read).collect();
            let how = if *intersect { Combination::Intersection } else { Combination::Union };
            match lessons {
                Ok(lessons) => deliver(&combine(&lessons, how), output.as_deref()),
                Err(mistakes) => guide::refuse(&mistakes),
            }
        }
        DirectivesVerb::Map { first, second, auto, output, store } => {
            let pasts = pasts(store, &[first.clone(), second.clone()])?;
            let mapped = map(&pasts[0], &pasts[1]);
            let least = if *auto { Mapped::SURE } else { 0.0 };
            deliver(&Mapped::directives(&mapped, least), output.as_deref())
        }
    }
}

fn pasts(store: &Path, runs: &[Selector]) -> Result<Vec<Past>> {
    let store = Store::open(store, Access::Read)?;
    let past = |run: &Selector| Ok(store.past(&store.find(run)?)?);
    runs.iter().map(past).collect()
}

fn wanted(only: &[Kind], small: f64) -> Wanted {
    let is = |kind: Kind| only.is_empty() || only.contains(&kind);
    Wanted {
        priorities: is(Kind::Priorities),
        general_prunes: is(Kind::GeneralPrunes),
        historic_prunes: is(Kind::HistoricPrunes),
        thresholds: is(Kind::Thresholds),
        small,
    }
}

/// To the file, or to standard output.
fn deliver(directives: &Directives, output: Option<&Path>) -> Result<ExitCode> {
    let Some(path) = output else { return Ok(status(outlet::print(&directives.to_string()))) };
    fs::write(path, directives.to_string())
        .with_context(|| format!("writing the directives to {}", path.display()))?;
    let text = format!("{} directives written to {}\n", directives.entries.len(), path.display());
    Ok(status(outlet::print(&text)))
}

#[derive(Serialize)]
struct Line {
    directive: String,
    comment: Option<String>,
    place: String,
}

fn print_json(all: &Directives) -> Result<ExitCode> {
    let lines: Vec<Line> = all
        .entries
        .iter()
        .map(|entry| Line {
            directive: entry.directive.to_string(),
            comment: entry.comment.clone(),
            place: entry.place.to_string(),
        })
        .collect();
    let text = serde_json::to_string_pretty(&lines).context("writing JSON")? + "\n";
    Ok(status(outlet::print(&text)))
}
