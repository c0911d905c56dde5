//! Records the events of a run, and makes its trace beside the store.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use whyperf_daemon::{TraceCollector, TurnFile};
use whyperf_experiments::trace_of;

use crate::output::report::Report;
use crate::search::values::{seconds, size};
use crate::tracing::{recorded_trace, worth};

/// Whether events are recorded, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct TracingOptions {
    /// Record each event, for `whyperf extrapolate`, `what-if` and `trace`
    #[arg(long)]
    pub(crate) trace: bool,
    /// Record no more than this, as in 500M or 4G; what comes after it is counted
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = size)]
    pub(crate) trace_limit: u64,
    /// Let one rank or thread compute at a time, so that a trace has the computing of as many processors as there are ranks; asks nothing
    #[arg(long)]
    pub(crate) serial: bool,
    /// Take a turn back after so many seconds, where a rank polls for what others do
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub(crate) serial_limit: Duration,
}

impl TracingOptions {
    /// Not at all.
    pub(crate) const OFF: Self =
        Self { trace: false, trace_limit: 0, serial: false, serial_limit: Duration::from_secs(1) };

    /// Whether events are recorded.
    pub(crate) const fn is_on(&self) -> bool {
        self.trace || self.serial
    }

    /// What measured processes see of it.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut all = Vec::new();
        if self.is_on() {
            all.push(("WHYPERF_TRACE", "1".into()));
        }
        if self.serial {
            all.push(("WHYPERF_SERIAL", "1".into()));
            // A rank that waits gives its processor to the one whose turn it is.
            all.push(("OMPI_MCA_mpi_yield_when_idle", "1".into()));
        }
        all
    }
}

/// What records a run.
#[derive(Debug)]
pub(crate) struct Tracer {
    collector: TraceCollector,
    turns: Option<TurnFile>,
    store: PathBuf,
    name: String,
}

impl Tracer {
    /// Begins to record what processes leave in the run directory.
    pub(crate) fn begin(
        directory: &Path,
        store: &Path,
        name: &str,
        options: &TracingOptions,
    ) -> Result<Self> {
        let folder = traces_of(store)?;
        let spool = folder.join(format!(".{}.spool", std::process::id()));
        let collector = TraceCollector::start(directory, &spool, options.trace_limit)
            .with_context(|| format!("recording into {}", spool.display()))?;
        // It is there for as long as it is open, and leaves nothing behind.
        fs::remove_file(&spool)?;
        let turns = options.serial.then(|| TurnFile::create(directory, options.serial_limit));
        let turns = turns.transpose().context("making the file of turns")?;
        Ok(Self { collector, turns, store: store.to_owned(), name: name.to_owned() })
    }

    /// Makes the trace, adds to the report what is to be said of it, and to its bottlenecks what they are worth.
    pub(crate) fn finish(self, report: &mut Report) -> Result<MadeTrace> {
        let mut facts = Vec::new();
        if let Some((given, taken_back)) = self.turns.as_ref().map(TurnFile::turns) {
            let limit = "taken back, because they lasted longer than --serial-limit";
            facts.push(("turns".to_owned(), format!("{given}, {taken_back} of them {limit}")));
        }
        let mut collected = self.collector.finish().context("recording")?;
        let path = trace_of(&self.store, &format!(".{}", std::process::id()));
        let made = MadeTrace { store: self.store, path };
        let recorded = recorded_trace::write(&mut collected, &made.path, &self.name, facts)?;
        let notes = &mut report.remarks.notes;
        notes.push(format!(
            "The trace of this run has {} events of {} ranks: see `whyperf trace show latest`, `what-if` and `extrapolate`.",
            recorded.events, recorded.ranks,
        ));
        notes.extend(recorded.notes.iter().map(|note| format!("Missing in the trace: {note}.")));
        worth::tell(&made.path, report);
        Ok(made)
    }
}

/// A trace that has no name yet; removed where it gets none.
#[derive(Debug)]
pub(crate) struct MadeTrace {
    store: PathBuf,
    path: PathBuf,
}

impl MadeTrace {
    /// Names it after a run that was kept.
    pub(crate) fn keep(self, run: Option<&str>) -> Result<()> {
        let Some(run) = run else { return Ok(()) };
        let to = trace_of(&self.store, run);
        fs::rename(&self.path, &to).with_context(|| format!("naming {}", to.display()))
    }
}

impl Drop for MadeTrace {
    fn drop(&mut self) {
        // Renamed, it is not there any more.
        let _ = fs::remove_file(&self.path);
    }
}

/// The folder of the traces of a store, which is made if need be.
fn traces_of(store: &Path) -> Result<PathBuf> {
    let folder = trace_of(store, "").parent().map(Path::to_owned).unwrap_or_default();
    fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    Ok(folder)
}
