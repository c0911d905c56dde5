//! `whyperf runs`: the runs of a store, the newest first; removing and tagging them.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;
use whyperf_experiments::{Access, History, Store, Summary};

use crate::outlet;
use crate::store_arguments::{Runs, RunsVerb};
use crate::terminal::{self, Manner, plain, shortened};

/// Lists, removes or tags.
pub(crate) fn runs(request: &Runs) -> Result<ExitCode> {
    let done = match &request.verb {
        None => return list(request),
        Some(RunsVerb::Rm { runs }) => {
            let mut store = Store::open(&request.place.store, Access::Change)?;
            // All are looked for before the first is removed: with a mistyped one nothing happens.
            let found: Vec<_> = runs.iter().map(|run| store.find(run)).collect::<Result<_, _>>()?;
            let removed = store.remove(&found)?;
            if request.place.json {
                return Ok(status(outlet::print_json(&json!({ "removed": removed }))));
            }
            removed
                .iter()
                .map(|run| format!("removed  {}\n", plain(run.as_str())))
                .collect::<String>()
        }
        Some(RunsVerb::Tag { run, name, remove }) => {
            let mut store = Store::open(&request.place.store, Access::Change)?;
            let run = store.find(run)?;
            store.tag(&run, name, !remove)?;
            let done = if *remove { "untagged" } else { "tagged" };
            if request.place.json {
                return Ok(status(outlet::print_json(&json!({ done: run, "name": name }))));
            }
            format!("{done}  {}  {}\n", plain(run.as_str()), plain(name))
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
    let has_older = is_cut && request.last.is_none() && runs.len() == SHOWN as usize;
    Ok(status(outlet::write(|out| {
        runs.iter().try_for_each(|run| write_run(out, run, manner))?;
        match runs.len() {
            0 => out.write_all(b"no runs\n"),
            _ if has_older => out.write_all(b"  older ones are listed by --all\n"),
            _ => Ok(()),
        }
    })))
}

/// Runs that are listed when nobody says how many.
const SHOWN: u32 = 30;

fn write_run(out: &mut dyn Write, run: &Summary, manner: Manner) -> io::Result<()> {
    let ending = match (run.complete, run.exit_status) {
        (true, Some(0)) => manner.paint("ok        ", terminal::GOOD),
        (true, Some(status)) => manner.paint(format_args!("status {status:<3}"), terminal::ALARM),
        _ => manner.paint("unfinished", terminal::CAUTION),
    };
    let id = plain(run.id.short());
    let head = format!("{id}  {}  {:>9.2} s  ", run.started, run.elapsed_s);
    let columns = manner.width.saturating_sub(head.chars().count() + 12).max(20);
    let command = run.command.join(" ");
    let command = shortened(&plain(&command), columns, manner);
    let names = format!("{} / {}", run.application, run.experiment);
    let of = run.source.as_ref().map(|of| format!(", diagnosis of {}", of.short()));
    let names = format!("{}{}", plain(&names), plain(&of.unwrap_or_default()));
    write!(out, "{head}{ending}  {command}\n          {}", manner.paint(names, terminal::FAINT))?;
    run.tags.iter().try_for_each(|tag| write!(out, " [{}]", plain(tag)))?;
    writeln!(out)
}

/// What a verb returns that printed, or could not.
pub(crate) fn status(is_printed: bool) -> ExitCode {
    if is_printed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
