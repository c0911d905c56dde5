//! `whyperf top`: a run on the terminal, while its program runs or out of the store.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use whyperf_experiments::{Access, RunId, Selector, Store};
use whyperf_viewer::ViewedRun;

use crate::measuring::event::WatchEvent;
use crate::measuring::keys;
use crate::measuring::options::{MeasuringOptions, RunOptions};
use crate::measuring::run;
use crate::measuring::tracing::TracingOptions;
use crate::output::terminal::Screen;
use crate::output::top_screen::{self, RunDrawer};
use crate::stored::viewed;

/// What is shown on the terminal.
#[derive(Debug, Args)]
pub(crate) struct Top {
    #[command(flatten)]
    pub(crate) options: MeasuringOptions,
    #[command(flatten)]
    pub(crate) tracing: TracingOptions,
    /// A run that was kept, or one that goes on and is kept: an id, the beginning of one, a tag, latest or latest~1
    #[arg(value_name = "RUN", default_value = "latest")]
    pub(crate) run: Selector,
    /// The program and its arguments, after `--`
    #[arg(value_name = "COMMAND", last = true)]
    pub(crate) command: Vec<OsString>,
}

/// Runs the command of the request and shows it, or shows the run of the request.
pub(crate) fn top(request: Top) -> Result<ExitCode> {
    let Top { mut options, tracing, run, command } = request;
    if command.is_empty() {
        return stored(&options, &run);
    }
    options.top = true;
    // Keys are the screen's, so the program has none.
    options.keys = true;
    run::run(&RunOptions { options, tracing, groups: None, command })
}

/// Shows a run out of the store until the user has seen enough. One that goes on is written there every other second, and read again.
fn stored(options: &MeasuringOptions, run: &Selector) -> Result<ExitCode> {
    let path = &options.storage.store;
    let run = Store::open(path, Access::Read)?.find(run)?;
    let (mut shown, mut is_complete) = read(path, &run)?;
    let (sender, events) = mpsc::channel();
    let mut screen = Screen::new(options.colour(), options.quiet);
    let keys_of_it = MeasuringOptions { keys: true, ..options.clone() };
    let Some(keys) = keys::listen(&keys_of_it, sender, &mut screen) else {
        bail!("there is no terminal to show run {run} on; `whyperf show {run}` prints it");
    };
    let mut drawer = RunDrawer::begin()?;
    let mut next = Instant::now() + READING;
    while !top_screen::is_left() {
        drawer.draw(&shown);
        match events.recv_timeout(LOOK) {
            Ok(WatchEvent::Interrupted) | Err(RecvTimeoutError::Disconnected) => break,
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
        }
        if !is_complete && Instant::now() >= next {
            let begin = Instant::now();
            (shown, is_complete) = read(path, &run)?;
            // A long run takes long to read.
            next = Instant::now() + READING.max(begin.elapsed() * READING_PART);
        }
    }
    drop(drawer);
    drop(keys);
    Ok(ExitCode::SUCCESS)
}

/// Between two readings of a run that goes on, and the part of the time that those may take.
const READING: Duration = Duration::from_secs(2);
const READING_PART: u32 = 10;
/// Between two drawings.
const LOOK: Duration = Duration::from_millis(100);

fn read(path: &Path, run: &RunId) -> Result<(ViewedRun, bool)> {
    let store = Store::open(path, Access::Read)?;
    Ok((viewed::one(&store, run)?, store.summary(run)?.complete))
}

/// What `whyperf top --help` ends with.
pub(crate) const NOTES: &str = "\
Examples:
  whyperf top -- mpirun -n 4 ./app      run a program and see what is found while it goes on
  whyperf top                           the newest run of the store, also one that goes on elsewhere

What the program prints on the terminal waits until the screen is left by `q` or the run is over; what goes to
a file or a pipe goes there at once. The program has no input from the terminal.";
