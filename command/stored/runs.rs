//! `whyperf runs`: the runs of a store, the newest first; removing and tagging them.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::json;
use whyperf_experiments::{Access, History, Selector, Store, Summary};

use crate::output::delivery::{self, status};
use crate::output::terminal::{self, OutputStyle, plain, shortened};
use crate::stored::reading::StoreOptions;

/// Which runs, and what is done with them.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = false)]
pub(crate) struct Runs {
    #[command(flatten)]
    pub(crate) reading: StoreOptions,
    /// List runs of this application only
    #[arg(long, value_name = "NAME")]
    pub(crate) application: Option<String>,
    /// List so many, the newest
    #[arg(long, value_name = "COUNT")]
    pub(crate) last: Option<u32>,
    /// List all
    #[arg(long)]
    pub(crate) all: bool,
    #[command(subcommand)]
    pub(crate) verb: Option<RunsVerb>,
}

/// What is done with runs that are not listed.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsVerb {
    /// Forget runs
    Rm {
        /// Ids, beginnings of ids, tags, latest or latest~1
        #[arg(value_name = "RUN", required = true)]
        runs: Vec<Selector>,
    },
    /// Call a run something
    Tag {
        /// An id, the beginning of one, a tag, latest or latest~1
        #[arg(value_name = "RUN")]
        run: Selector,
        /// What it is called
        #[arg(value_name = "NAME")]
        name: String,
        /// Call it so no longer
        #[arg(long)]
        remove: bool,
    },
}

/// Lists, removes or tags.
pub(crate) fn runs(request: &Runs) -> Result<ExitCode> {
    let done = match &request.verb {
        None => return list(request),
        Some(RunsVerb::Rm { runs }) => {
            let mut store = Store::open(&request.reading.store, Access::Change)?;
            // All are looked for before the first is removed: with a mistyped one nothing happens.
            let found: Vec<_> = runs.iter().map(|run| store.find(run)).collect::<Result<_, _>>()?;
            let removed = store.remove(&found)?;
            if request.reading.json {
                return Ok(status(delivery::print_json(&json!({ "removed": removed }))));
            }
            removed
                .iter()
                .map(|run| format!("removed  {}\n", plain(run.as_str())))
                .collect::<String>()
        }
        Some(RunsVerb::Tag { run, name, remove }) => {
            let mut store = Store::open(&request.reading.store, Access::Change)?;
            let run = store.find(run)?;
            store.tag(&run, name, !remove)?;
            let done = if *remove { "untagged" } else { "tagged" };
            if request.reading.json {
                return Ok(status(delivery::print_json(&json!({ done: run, "name": name }))));
            }
            format!("{done}  {}  {}\n", plain(run.as_str()), plain(name))
        }
    };
    Ok(status(delivery::print(&done)))
}

fn list(request: &Runs) -> Result<ExitCode> {
    let store = Store::open(&request.reading.store, Access::Read)?;
    let is_cut = !request.reading.json && !request.all;
    let most = request.last.or_else(|| is_cut.then_some(SHOWN));
    let history = History { application: request.application.clone(), most, complete: false };
    let runs = store.runs(&history)?;
    if request.reading.json {
        return Ok(status(delivery::print_json(&runs)));
    }
    let output_style = OutputStyle::of_stdout(request.reading.color);
    let has_older = is_cut && request.last.is_none() && runs.len() == SHOWN as usize;
    let mut lines = RunLines::new(output_style);
    Ok(status(delivery::write(|out| {
        runs.iter().try_for_each(|run| lines.write(out, run))?;
        match runs.len() {
            0 => out.write_all(b"no runs\n"),
            _ if has_older => out.write_all(b"  older ones are listed by --all\n"),
            _ => Ok(()),
        }
    })))
}

/// Runs that are listed when no option says how many.
const SHOWN: u32 = 30;

/// Writes runs, of which many have the same command.
struct RunLines {
    output_style: OutputStyle,
    /// The latest command, and how it is shown.
    command: (Arc<[String]>, String),
}

impl RunLines {
    fn new(output_style: OutputStyle) -> Self {
        Self { output_style, command: (Arc::from([]), String::new()) }
    }

    fn write(&mut self, out: &mut dyn Write, run: &Summary) -> io::Result<()> {
        if !Arc::ptr_eq(&self.command.0, &run.command) {
            let columns = self.output_style.width.saturating_sub(FIXED).max(20);
            let words = run.command.join(" ");
            let shown = shortened(&plain(&words), columns, self.output_style);
            self.command = (Arc::clone(&run.command), shown);
        }
        let took = Duration::try_from_secs_f64(run.elapsed_s + 0.005).unwrap_or_default();
        let (seconds, hundredths) = (took.as_secs(), took.subsec_millis() / 10);
        let id = plain(run.id.short());
        write!(out, "{id}  {}  {seconds:>6}.{hundredths:02} s  ", run.started)?;
        let output_style = self.output_style;
        match (run.complete, run.exit_status) {
            (true, Some(0)) => {
                out.write_all(output_style.paint("ok        ", terminal::GOOD).as_bytes())
            }
            (true, Some(status)) => {
                let status = format_args!("status {status:<3}");
                write!(out, "{}", output_style.paint(status, terminal::ALARM))
            }
            (true, None) => out.write_all(b"status ?  "),
            _ => write!(out, "{}", output_style.paint("unfinished", terminal::CAUTION)),
        }?;
        let (application, experiment) = (plain(&run.application), plain(&run.experiment));
        let of = run.source.as_ref().map(|of| format!(", diagnosis of {}", plain(of.short())));
        let of = of.unwrap_or_default();
        let names = format_args!("{application} / {experiment}{of}");
        let names = output_style.paint(names, terminal::FAINT);
        write!(out, "  {}\n          {names}", self.command.1)?;
        run.tags.iter().try_for_each(|tag| write!(out, " [{}]", plain(tag)))?;
        writeln!(out)
    }
}

/// Columns of a line that are not the command's.
const FIXED: usize = 57;
