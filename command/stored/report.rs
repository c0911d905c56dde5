//! `whyperf report`: runs that were kept, as one file that opens in a browser without a server, as text, or as Markdown.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use whyperf_experiments::{Access, RunId, Selector, Store};
use whyperf_viewer::{ViewedRun, markdown, report_file};

use crate::output::delivery::{self, status};
use crate::output::streams::{self, StreamOptions};
use crate::output::terminal::{Colour, Screen, plain};
use crate::output::whole_file;
use crate::stored::viewed;

/// Which runs, and in which form.
#[derive(Debug, Args)]
pub(crate) struct StoredRunReport {
    /// Ids, beginnings of ids, tags, latest or latest~1; several stand side by side
    #[arg(value_name = "RUN", required = true)]
    pub(crate) runs: Vec<Selector>,
    /// Write to FILE, which is replaced as a whole
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["text", "markdown"])]
    pub(crate) output: Option<PathBuf>,
    /// As it was printed when the run ended
    #[arg(long, group = "form")]
    pub(crate) text: bool,
    /// As tables for a build system or a discussion
    #[arg(long, group = "form")]
    pub(crate) markdown: bool,
    #[command(flatten)]
    pub(crate) streams: StreamOptions,
    /// The store to read
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
    #[arg(default_value = "whyperf.db")]
    pub(crate) store: PathBuf,
}

/// Writes or prints the report of the request.
pub(crate) fn report(request: &StoredRunReport) -> Result<ExitCode> {
    let store = Store::open(&request.store, Access::Read)?;
    let runs = request.runs.iter().map(|run| store.find(run)).collect::<Result<Vec<_>, _>>()?;
    let text = if request.text {
        runs.iter().map(|run| printed(&store, run)).collect::<Result<_>>()?
    } else {
        let viewed = viewed::all(&store, &runs)?;
        let mut screen = Screen::new(Colour::Auto, false);
        streams::read_all(&viewed, &request.streams, &mut screen)?;
        if request.markdown { as_markdown(&viewed) } else { report_file(&viewed)? }
    };
    let Some(path) = &request.output else {
        return Ok(status(delivery::print(&text)));
    };
    whole_file::replace(path, &text)
        .with_context(|| format!("writing the report to {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn as_markdown(runs: &[ViewedRun]) -> String {
    let all = runs.iter().map(|viewed| markdown(&viewed.run()));
    all.collect::<Vec<_>>().join("\n")
}

/// The report as it was printed at the end of the run.
fn printed(store: &Store, run: &RunId) -> Result<String> {
    let Some(report) = store.report(run)? else {
        bail!(
            "no report of run {run} is in {}: its end was not seen, or an older whyperf stored it; \
             `whyperf diagnose {run}` makes one, and `whyperf show {run}` tells what is stored",
            store.shown().display()
        );
    };
    Ok(report.text.lines().map(|line| format!("{}\n", plain(line))).collect())
}

/// What `whyperf report --help` ends with.
pub(crate) const NOTES: &str = "\
Examples:
  whyperf report latest -o report.html          one file with all that is known, for a browser
  whyperf report latest~1 latest -o two.html    two runs side by side, on the same axes
  whyperf report latest --markdown              for a build system or a discussion";
