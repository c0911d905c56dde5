//! `whyperf export`: gives out a run in a format of the field.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use whyperf_experiments::{Access, ExportedTables, Selector, Store, TableFormat};

use crate::output::delivery::{self, status};
use crate::output::terminal;
use crate::output::whole_file;

/// Which run, and as what.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// An id, the beginning of one, a tag, latest or latest~1
    #[arg(value_name = "RUN")]
    pub(crate) run: Selector,
    /// As what
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) format: ExportFormat,
    /// Write to this file, or for `tau`, `parquet` and `arrow` into this folder; to standard output where nothing is said and the format is
    /// text
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    /// The store to read
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
    #[arg(default_value = "whyperf.db")]
    pub(crate) store: PathBuf,
}

/// What can be given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// TAU's profile files, for pprof, ParaProf and Hatchet
    Tau,
    /// A packed profile, for ParaProf
    Ppk,
    /// Collapsed stacks, for flame graphs: microseconds
    Collapsed,
    /// For speedscope.app
    Speedscope,
    /// For `pprof`: a protocol buffer
    Pprof,
    /// Rows of callpaths
    Csv,
    /// For Hatchet: its JSON
    Hatchet,
    /// For Prometheus and others: OpenMetrics text
    Openmetrics,
    /// Caliper's json-split, for its reader and Hatchet
    Caliper,
    /// A Cube 4 report, for CubeGUI and pycubexr
    Cube,
    /// For profiler.firefox.com: its processed profile
    Firefox,
    /// Tables of callpaths, series and verdicts, for data frames: files of Apache Parquet
    Parquet,
    /// The same as files of Apache Arrow
    Arrow,
    /// PerfTrack's text
    Ptdf,
}

/// Gives out the run of the request.
pub(crate) fn export(request: &Export) -> Result<ExitCode> {
    let store = Store::open(&request.store, Access::Read)?;
    let run = store.exported(&store.find(&request.run)?)?;
    for note in run.notes() {
        terminal::complain(&note);
    }
    let text = match request.format {
        ExportFormat::Tau => {
            let Some(folder) = &request.output else {
                bail!("TAU's format is a folder of files: name one with --output");
            };
            run.tau().write_tau(folder)?;
            return Ok(ExitCode::SUCCESS);
        }
        ExportFormat::Ppk => {
            let Some(path) = &request.output else {
                bail!("a packed profile is no text: name a file with --output");
            };
            run.tau().write_packed(path)?;
            return Ok(ExitCode::SUCCESS);
        }
        ExportFormat::Pprof => {
            return write_bytes(request, "a protocol buffer", &run.pprof());
        }
        ExportFormat::Cube => return write_bytes(request, "an archive", &run.cube()),
        ExportFormat::Collapsed => run.collapsed(),
        ExportFormat::Speedscope => run.speedscope(),
        ExportFormat::Csv => run.csv(),
        ExportFormat::Hatchet => run.hatchet(),
        ExportFormat::Openmetrics => run.open_metrics(),
        ExportFormat::Caliper => run.caliper(),
        ExportFormat::Firefox => run.firefox(),
        ExportFormat::Ptdf => {
            run.ptdf_notes().iter().for_each(|note| terminal::complain(note));
            run.ptdf()
        }
        ExportFormat::Parquet => {
            return write_tables(request, &store.exported_tables(run)?, TableFormat::Parquet);
        }
        ExportFormat::Arrow => {
            return write_tables(request, &store.exported_tables(run)?, TableFormat::Arrow);
        }
    };
    let Some(path) = &request.output else {
        return Ok(status(delivery::print(&text)));
    };
    whole_file::replace(path, &text)
        .with_context(|| format!("writing the run to {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// A file for each table.
fn write_tables(
    request: &Export,
    tables: &ExportedTables,
    format: TableFormat,
) -> Result<ExitCode> {
    let Some(folder) = &request.output else {
        bail!("tables are a folder of files: name one with --output");
    };
    for note in tables.notes() {
        terminal::complain(&note);
    }
    tables.write(folder, format)?;
    Ok(ExitCode::SUCCESS)
}

/// What is no text goes into a file.
fn write_bytes(request: &Export, what: &str, bytes: &[u8]) -> Result<ExitCode> {
    let Some(path) = &request.output else {
        bail!("{what} is no text: name a file with --output");
    };
    std::fs::write(path, bytes)
        .with_context(|| format!("writing the profile to {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// What `whyperf export --help` ends with.
pub(crate) const NOTES: &str = "\
What a format cannot say is said on standard error.

Examples:
  whyperf export latest --format tau -o profiles        then: pprof, paraprof, or Hatchet's from_tau
  whyperf export latest --format collapsed | flamegraph.pl > run.svg
  whyperf export latest --format speedscope -o run.speedscope.json
  whyperf export latest --format pprof -o run.pb        then: pprof -top run.pb
  whyperf export latest --format parquet -o tables      then: pandas.read_parquet(\"tables/profile.parquet\")";
