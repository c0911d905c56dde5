//! `whyperf import`: takes in what another tool measured, as a run of the store.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use serde_json::json;
use whyperf_experiments::{
    Ending, ForeignProfile, NewRun, Recorder, StackWeight, Topic, collapsed_stacks, packed_profile,
    tau_files,
};

use crate::output::delivery::{self, status};
use crate::output::terminal::{self, Colour, Screen, plain};

/// What is taken in, and what it is called.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// A folder of TAU's files profile.NODE.CONTEXT.THREAD, or with a folder MULTI__METRIC of such for each metric; a
    /// packed profile of ParaProf; or a file of collapsed stacks
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    /// What it is; found by its content where nothing is said
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) format: Option<ImportFormat>,
    /// What the numbers of collapsed stacks are
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Weight::Samples)]
    pub(crate) weight: Weight,
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

/// What can be taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// TAU's profile files
    Tau,
    /// A packed profile of ParaProf, `.ppk`
    Ppk,
    /// Collapsed stacks
    Collapsed,
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
    /// A folder is one of TAU's, what is compressed a packed profile, and all else stacks.
    fn by_content(&self) -> ImportFormat {
        if self.path.is_dir() {
            return ImportFormat::Tau;
        }
        let mut first = [0; 2];
        let read = std::fs::File::open(&self.path).and_then(|mut file| file.read_exact(&mut first));
        if read.is_ok() && first == COMPRESSED {
            ImportFormat::Ppk
        } else {
            ImportFormat::Collapsed
        }
    }

    /// What is taken in, with its name.
    fn read(&self) -> Result<(ForeignProfile, &'static str)> {
        match self.format.unwrap_or_else(|| self.by_content()) {
            ImportFormat::Ppk => Ok((packed_profile(&self.path)?, "a packed profile")),
            ImportFormat::Tau => {
                let mut screen = Screen::new(Colour::Auto, false);
                let told = |read, all| screen.status(&format!("{read} of {all} files are read"));
                Ok((tau_files(&self.path, told)?, "TAU"))
            }
            ImportFormat::Collapsed => {
                let text = std::fs::read_to_string(&self.path)
                    .with_context(|| format!("reading {}", self.path.display()))?;
                let weight = match self.weight {
                    Weight::Samples => StackWeight::Samples,
                    Weight::Microseconds => StackWeight::Microseconds,
                };
                Ok((collapsed_stacks(&self.path, &text, weight)?, "collapsed stacks"))
            }
        }
    }
}

/// Takes in what the request names.
pub(crate) fn import(request: &Import) -> Result<ExitCode> {
    let (profile, format) = request.read()?;
    let (progress, notes) = profile.progress();
    for note in &notes {
        terminal::complain(note);
    }
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
        facts: vec![(Topic::Setting, "imported from".into(), format.into())],
        directives: Vec::new(),
    };
    let recorder = Recorder::begin(&request.store, &run)?;
    let ending = Ending { elapsed: progress.elapsed, exit_status: None };
    let run = recorder.finish(&progress, ending).context("keeping what was read")?;
    if request.json {
        return Ok(status(delivery::print_json(&json!({ "imported": run, "notes": notes }))));
    }
    let text = format!(
        "imported  {}  {} threads, {} callpaths\n",
        plain(run.as_str()),
        progress.counts[1],
        progress.profile.len()
    );
    Ok(status(delivery::print(&text)))
}

/// How a file of gzip begins.
const COMPRESSED: [u8; 2] = [0x1f, 0x8b];

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
  perf script | stackcollapse-perf.pl > stacks; whyperf import stacks";
