//! `whyperf view`: runs that were kept, in a browser.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use whyperf_experiments::{Access, Selector, Store};
use whyperf_viewer::{Shown, ViewAddress};

use crate::output::delivery;
use crate::output::page_server::{self, Interruption, PageOptions};
use crate::output::streams::{self, StreamOptions};
use crate::output::terminal::{Colour, Screen};
use crate::stored::viewed;

/// Which runs, and where they are shown.
#[derive(Debug, Args)]
pub(crate) struct View {
    /// Ids, beginnings of ids, tags, latest or latest~1; several stand side by side
    #[arg(value_name = "RUN", default_value = "latest")]
    pub(crate) runs: Vec<Selector>,
    /// Listen at a port, at ADDRESS:PORT, or at unix:PATH; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "0", value_parser = page_server::address)]
    pub(crate) listen: ViewAddress,
    #[command(flatten)]
    pub(crate) page: PageOptions,
    #[command(flatten)]
    pub(crate) streams: StreamOptions,
    /// Print the address of the page on standard output, and nothing else there
    #[arg(long)]
    pub(crate) print_url: bool,
    /// The store to read
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
    #[arg(default_value = "whyperf.db")]
    pub(crate) store: PathBuf,
}

/// Shows the runs of the request until the user ends it.
pub(crate) fn view(request: &View) -> Result<ExitCode> {
    let mut screen = Screen::new(Colour::Auto, false);
    let store = Store::open(&request.store, Access::Read)?;
    let runs = request.runs.iter().map(|run| store.find(run)).collect::<Result<Vec<_>, _>>()?;
    let runs = viewed::all(&store, &runs)?;
    streams::read_all(&runs, &request.streams, &mut screen)?;
    let runs = runs.into_iter().map(Arc::new).collect();
    let shown = Shown { runs, commands: None };
    let interruption = Interruption::listen()?;
    let server = page_server::serve(shown, &request.listen, &request.page)?;
    if request.print_url {
        if !delivery::print(&format!("{}\n", server.url())) {
            return Ok(ExitCode::FAILURE);
        }
        page_server::help_to_see(&server, &request.page, &mut screen);
    } else {
        page_server::tell(&server, &request.page, &mut screen);
    }
    screen.say("whyperf  Ctrl-C ends it\n");
    interruption.wait();
    Ok(ExitCode::SUCCESS)
}

/// What `whyperf view --help` ends with.
pub(crate) const NOTES: &str = "\
Examples:
  whyperf view                          the newest run
  whyperf view latest~1 latest          two runs side by side, on the same axes
  whyperf view --stream vmstat.csv      with records of another source on the same axis
  whyperf view --listen unix:/tmp/view  for `ssh -L 8400:/tmp/view HOST` on another machine";
