//! `whyperf runs`: the runs of a store, the newest first; removing and tagging them.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;
use whyperf_experiments::{Access, History, Store, Summary};

use crate::outlet;
use crate::store_arguments::{Runs, RunsVerb};
use crate::terminal::{self, Manner, shortened};

/// Lists, removes or tags.
pub(crate) fn runs(request: &Runs) -> Result<ExitCode> {
    let done = match &request.verb {
        None => return list(request),
        Some(RunsVerb::Rm { runs }) => {
            let mut store = Store::open(&request.place.store, Access::Change)?;
            // All are looked for before the first is removed: with a mistyped one nothing happens.
            let found: Vec<_> = runs.iter().map(|run| store.find(run)).collect::<Result<_, _>>()?;
            for run in &found {
                store.remove(run)?;
            }
            if request.place.json {
                return Ok(status(outlet::print_json(&json!({ "removed": found }))));
            }
            found.iter().map(|run| format!("removed  {run}\n")).collect::<String>()
        }
        Some(RunsVerb::Tag { run, name, remove }) => {
            let mut store = Store::open(&request.place.store, Access::Change)?;
            let run = store.find(run)?;
            store.tag(&run, name, !remove)?;
            let done = if *remove { "untagged" } else { "tagged" };
            if request.place.json {
                return Ok(status(outlet::print_json(&json!({ done: run, "name": name }))));
            }
            format!("{done}  {run}  {name}\n")
        }
    };
    Ok(status(outlet::print(&done)))
}

fn list(request: &Runs) -> Result<ExitCode> {
    let store = Store::open(&request.place.store, Access::Read)?;
    let is_cut = !request.place.json && !request.all;
    let most = request.last.or_else(|| is_cut.then_some(SHOWN));
    let history = History { application: request.application.clone(), most, complete: false };
    let runs = store.runs(&history)?;
    if request.place.json {
        return Ok(status(outlet::print_json(&runs)));
    }
    let manner = Manner::of_stdout(request.place.color);
    let mut text: String = runs.iter().map(|run| line(run, manner)).collect();
    if runs.is_empty() {
        text = "no runs\n".to_owned();
    } else if is_cut && request.last.is_none() && runs.len() == SHOWN as usize {
        text += "  older ones are listed by --all\n";
    }
    Ok(status(outlet::print(&text)))
}

/// Runs that are listed when nobody says how many.
const SHOWN: u32 = 30;

fn line(run: &Summary, manner: Manner) -> String {
    let ending = match (run.complete, run.exit_status) {
        (true, Some(0)) => manner.paint("ok        ", terminal::GOOD),
        (true, Some(status)) => manner.paint(format!("status {status:<3}"), terminal::ALARM),
        _ => manner.paint("unfinished", terminal::CAUTION),
    };
    let tags = run.tags.iter().map(|tag| format!(" [{tag}]")).collect::<String>();
    let head = format!("{}  {}  {:>9.2} s  ", &run.id.as_str()[..8], run.started, run.elapsed_s);
    let columns = manner.width.saturating_sub(head.chars().count() + 12).max(20);
    let command = shortened(&run.command.join(" "), columns, manner);
    let source = run.source.as_ref().map(|of| format!(", diagnosis of {}", &of.as_str()[..8]));
    let source = source.unwrap_or_default();
    let names = format!("{} / {}{source}", run.application, run.experiment);
    format!("{head}{ending}  {command}\n          {}{tags}\n", manner.paint(names, terminal::FAINT))
}

/// What a verb returns that printed, or could not.
pub(crate) fn status(is_printed: bool) -> ExitCode {
    if is_printed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
