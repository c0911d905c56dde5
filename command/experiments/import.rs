//! `whyperf import`: takes in what another tool measured, as a run of the store.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use serde_json::json;
use whyperf_experiments::{
    ForeignFormat, ForeignSource, ImportRecorder, NewRun, StackWeight, TauFolder, Topic,
    WantedTrial, caliper_json, caliper_records, callgrind, chrome_trace, collapsed_stacks, cube,
    darshan, gprof, hpctoolkit, import_threads, mpip, packed_profile, perf_script, pprof_profile,
    speedscope, taudb, whyperf_report,
};

use crate::measuring::environment::IMPORTED_FROM;
use crate::output::delivery::{self, status};
use crate::output::terminal::{self, Colour, Screen, plain};

/// What is taken in, and what it is called.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// A folder of TAU's files profile.NODE.CONTEXT.THREAD, or with a folder MULTI__METRIC of such for each metric; or
    /// what another tool wrote: --format lists them
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    /// What it is; found by its content where nothing is said
    #[arg(long, value_name = "FORMAT", value_parser = format())]
    pub(crate) format: Option<ForeignFormat>,
    /// What the numbers of collapsed stacks are
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Weight::Samples)]
    pub(crate) weight: Weight,
    /// Which trial of a TAUdb file, by its number or name; only one that has several needs it
    #[arg(long, value_name = "TRIAL")]
    pub(crate) select: Option<String>,
    /// The program that it is of; the folder's name where nothing is said
    #[arg(long, value_name = "NAME")]
    pub(crate) application: Option<String>,
    /// What was varied
    #[arg(long, value_name = "NAME", default_value = "imported")]
    pub(crate) experiment: String,
    /// What it is in the experiment; the path where nothing is said
    #[arg(long, value_name = "NAME")]
    pub(crate) trial: Option<String>,
    /// Print the name of the run as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The store to keep it in
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
    #[arg(default_value = "whyperf.db")]
    pub(crate) store: PathBuf,
}

/// A format as the options and the run's facts call it.
struct FormatRow {
    format: ForeignFormat,
    word: &'static str,
    meaning: &'static str,
    fact: &'static str,
}

const fn row(
    format: ForeignFormat,
    word: &'static str,
    meaning: &'static str,
    fact: &'static str,
) -> FormatRow {
    FormatRow { format, word, meaning, fact }
}

/// What can be taken in.
const FORMATS: [FormatRow; 17] = [
    row(ForeignFormat::Tau, "tau", "TAU's profile files", "TAU"),
    row(ForeignFormat::Packed, "ppk", "A packed profile of ParaProf, `.ppk`", "a packed profile"),
    row(ForeignFormat::Collapsed, "collapsed", "Collapsed stacks", "collapsed stacks"),
    row(ForeignFormat::Gprof, "gprof", "What GNU gprof prints", "gprof"),
    row(ForeignFormat::Mpip, "mpip", "What mpiP reports", "mpiP"),
    row(ForeignFormat::Callgrind, "callgrind", "callgrind.out of valgrind", "callgrind"),
    row(ForeignFormat::PerfScript, "perf-script", "What `perf script` prints", "perf script"),
    row(ForeignFormat::Pprof, "pprof", "The profile of Google's pprof", "pprof"),
    row(ForeignFormat::Speedscope, "speedscope", "JSON of speedscope", "speedscope"),
    row(ForeignFormat::Caliper, "caliper", "Caliper's json-split", "Caliper"),
    row(ForeignFormat::ChromeTrace, "chrome-trace", "Chrome's trace events", "a Chrome trace"),
    row(ForeignFormat::Cube, "cube", "A Cube 4 report, `.cubex`", "Cube"),
    row(ForeignFormat::CaliperRecords, "cali", "Caliper's records, `.cali`", "Caliper"),
    row(ForeignFormat::TauDb, "taudb", "A trial of TAUdb's SQLite file", "TAUdb"),
    row(ForeignFormat::HpcToolkit, "hpctoolkit", "HPCToolkit's database", "HPCToolkit"),
    row(ForeignFormat::Darshan, "darshan", "What darshan-parser prints", "Darshan"),
    row(
        ForeignFormat::Whyperf,
        "whyperf",
        "A report of `whyperf run --json`",
        "a report of whyperf",
    ),
];

/// Reads the word of a format.
fn format() -> impl TypedValueParser<Value = ForeignFormat> {
    let values = FORMATS.iter().map(|row| PossibleValue::new(row.word).help(row.meaning));
    PossibleValuesParser::new(values).try_map(|word| {
        let row = FORMATS.iter().find(|row| row.word == word);
        row.map(|row| row.format).ok_or("no such format")
    })
}

/// What the numbers of collapsed stacks are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Weight {
    /// How often a stack was seen
    Samples,
    /// How long it was there
    Microseconds,
}

impl Import {
    /// What is taken in, with its name.
    fn read(&self) -> Result<(ForeignSource, &'static str)> {
        let format = match self.format {
            Some(format) => format,
            None => ForeignFormat::of(&self.path)?,
        };
        let profile = match format {
            ForeignFormat::Tau => {
                return Ok((ForeignSource::Tau(TauFolder::open(&self.path)?), named(format)));
            }
            ForeignFormat::Packed => packed_profile(&self.path)?,
            ForeignFormat::Pprof => pprof_profile(&self.path)?,
            ForeignFormat::Cube => cube(&self.path)?,
            ForeignFormat::HpcToolkit => hpctoolkit(&self.path)?,
            ForeignFormat::TauDb => {
                let named = self.select.clone().map(WantedTrial::Named);
                taudb(&self.path, &named.unwrap_or(WantedTrial::Only))?
            }
            ForeignFormat::Collapsed => {
                let weight = match self.weight {
                    Weight::Samples => StackWeight::Samples,
                    Weight::Microseconds => StackWeight::Microseconds,
                };
                collapsed_stacks(&self.path, &self.text()?, weight)?
            }
            ForeignFormat::Gprof => gprof(&self.path, &self.text()?)?,
            ForeignFormat::Mpip => mpip(&self.path, &self.text()?)?,
            ForeignFormat::Callgrind => callgrind(&self.path, &self.text()?)?,
            ForeignFormat::PerfScript => perf_script(&self.path, &self.text()?)?,
            ForeignFormat::Speedscope => speedscope(&self.path, &self.text()?)?,
            ForeignFormat::Caliper => caliper_json(&self.path, &self.text()?)?,
            ForeignFormat::CaliperRecords => caliper_records(&self.path, &self.text()?)?,
            ForeignFormat::Darshan => darshan(&self.path, &self.text()?)?,
            ForeignFormat::Whyperf => whyperf_report(&self.path, &self.text()?)?,
            ForeignFormat::ChromeTrace => chrome_trace(&self.path, &self.text()?)?,
        };
        Ok((ForeignSource::Whole(profile), named(format)))
    }

    fn text(&self) -> Result<String> {
        let bytes = std::fs::read(&self.path);
        let bytes = bytes.with_context(|| format!("reading {}", self.path.display()))?;
        // Names of functions may be in any alphabet of old.
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// As the run's facts call it.
fn named(format: ForeignFormat) -> &'static str {
    FORMATS.iter().find(|row| row.format == format).map_or("", |row| row.fact)
}

/// Takes in what the request names.
pub(crate) fn import(request: &Import) -> Result<ExitCode> {
    let (source, format) = request.read()?;
    let folder = request.path.canonicalize().unwrap_or_else(|_| request.path.clone());
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let application = request.application.clone().or(name).unwrap_or_else(|| "unknown".to_owned());
    let path = request.path.display().to_string();
    let run = NewRun {
        application,
        experiment: request.experiment.clone(),
        trial: request.trial.clone().unwrap_or_else(|| path.clone()),
        started: started(&request.path),
        command: ["whyperf", "import"].map(str::to_owned).into_iter().chain([path]).collect(),
        facts: vec![(Topic::Setting, IMPORTED_FROM.into(), format.into())],
        directives: Vec::new(),
    };
    let mut screen = Screen::new(Colour::Auto, false);
    let told = |kept, all| screen.status(&format!("{kept} of {all} threads are kept"));
    let imported = import_threads(source, ImportRecorder::begin(&request.store, &run)?, told)?;
    for note in &imported.notes {
        terminal::complain(note);
    }
    let (run, notes) = (&imported.run, &imported.notes);
    if request.json {
        return Ok(status(delivery::print_json(&json!({ "imported": run, "notes": notes }))));
    }
    let text = format!(
        "imported  {}  {} threads, {} callpaths\n",
        plain(run.as_str()),
        imported.threads,
        imported.callpaths
    );
    Ok(status(delivery::print(&text)))
}

/// When the folder was last changed, which is about the end of the run.
fn started(path: &std::path::Path) -> SystemTime {
    path.metadata().and_then(|found| found.modified()).unwrap_or_else(|_| SystemTime::now())
}

/// What `whyperf import --help` ends with.
pub(crate) const NOTES: &str = "\
All metrics, user events and metadata are kept, and `whyperf export --format tau` gives them back; the run has the times and calls,
so that show, query, compare and diagnose work on it.

Examples:
  whyperf import profiles/                       what TAU left in a folder
  whyperf import --application ocean --experiment tau profiles/
  gprof ./app gmon.out > app.gprof; whyperf import app.gprof
  perf script -F +pid > app.perf; whyperf import app.perf
  whyperf import scorep-2026/profile.cubex       what Score-P left
  whyperf import hpctoolkit-app-database         what hpcprof made
  whyperf import --select 3 perfdmf.db           the third trial of TAUdb
  darshan-parser app.darshan > app.txt; whyperf import app.txt
  whyperf import report.json                     what whyperf run --json report.json wrote";
