//! `whyperf directives`: shows what directive files say, and makes them from stored runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use whyperf_consultant::{DirectiveLine, Directives, Hypotheses};
use whyperf_experiments::{
    Access, Combination, EarlierRun, Mapped, Required, Selector, Store, Wanted, combine,
    extract_with, map,
};

use crate::output::delivery::{self, status};
use crate::output::terminal::plain;
use crate::search::directive_file::DirectiveFile;
use crate::search::evaluation::HypothesisFiles;
use crate::search::inputs;
use crate::search::values::percent;

/// Directive files: what they say, and making them.
#[derive(Debug, Subcommand)]
pub(crate) enum DirectivesVerb {
    /// Explain how such a file is written
    Format,
    /// Say whether files are well formed and agree with each other
    Check(Files),
    /// Print what files say together
    Show(Files),
    /// Make directives from runs that were kept
    Extract {
        /// Ids, beginnings of ids, tags, latest or latest~1
        #[arg(value_name = "RUN", required = true)]
        runs: Vec<Selector>,
        #[command(flatten)]
        made: Made,
        /// Only this kind; may be repeated
        #[arg(long, value_name = "KIND", value_enum)]
        only: Vec<DirectiveKind>,
        /// Prune functions below this share of the time, in percent
        #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = percent)]
        small: f64,
        /// A threshold that is learned must still find this, `FOCUS` or `HYPOTHESIS FOCUS`; may be repeated
        #[arg(long, value_name = "FOCUS")]
        must_find: Vec<String>,
        /// The store to read
        #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
        #[arg(default_value = "whyperf.db")]
        store: PathBuf,
    },
    /// Put several files together
    Combine {
        /// Directive files
        #[arg(value_name = "FILE", required = true, num_args = 2..)]
        #[arg(value_parser = DirectiveFile::parser())]
        files: Vec<DirectiveFile>,
        /// Keep what all of them say
        #[arg(long, group = "how")]
        intersect: bool,
        /// Keep what any of them says
        #[arg(long, group = "how", required_unless_present = "intersect")]
        union: bool,
        #[command(flatten)]
        made: Made,
    },
    /// Propose what things of one run are called in another
    Map {
        /// The run whose names are known
        #[arg(value_name = "RUN_A")]
        first: Selector,
        /// The run whose names are wanted
        #[arg(value_name = "RUN_B")]
        second: Selector,
        /// Only what is sure
        #[arg(long)]
        auto: bool,
        #[command(flatten)]
        made: Made,
        /// The store to read
        #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
        #[arg(default_value = "whyperf.db")]
        store: PathBuf,
    },
}

/// Directive files to be read.
#[derive(Clone, Debug, Args)]
pub(crate) struct Files {
    /// Directive files
    #[arg(value_name = "FILE", required = true, value_parser = DirectiveFile::parser())]
    pub(crate) files: Vec<DirectiveFile>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tables: HypothesisFiles,
}

/// Where directives go that were made, and how that is told.
#[derive(Clone, Debug, Args)]
pub(crate) struct Made {
    /// Write them to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tables: HypothesisFiles,
}

/// A kind of directive that runs give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DirectiveKind {
    /// Questions that come first or last
    Priorities,
    /// Hierarchies that tell nothing
    GeneralPrunes,
    /// Functions that take no time
    HistoricPrunes,
    /// From which values on something counts
    Thresholds,
    /// How long classic verdicts are held
    Hold,
}

/// What `whyperf directives format` prints; the file in it is one.
const FORMAT: &str = "\
whyperf directives 1
# The line above comes first. Each line is one directive; what follows a # is a comment on it.

# What an earlier run called by the left name is called by the right one now. Maps come before all else.
map       /Code/oned.c  /Code/onednb.c
# In pairs: n0 is called x120 now, n1 x121, and so on.
map       /Machine/n{0-7}  /Machine/x{120-127}

# Never ask about this resource, or about what is below it: any hypothesis (*), one of them, or all but one (!).
prune     *  /Machine
prune     CPUbound  /Code/onednb.c/setup
prune     !ExcessiveSyncWaitingTime  /SyncObject

# Ask this at once and for the whole run (high), or after all others (low). A focus names a resource of any
# of the hierarchies; what is left out restricts nothing, and one alone needs no < >.
priority  high  ExcessiveSyncWaitingTime  </Code/onednb.c/exchng1,/Machine,/Process,/SyncObject>
priority  low   CPUbound  /Code/onednb.c/setup

# A hypothesis is true from this value on, as `whyperf hypotheses` prints it.
threshold ExcessiveSyncWaitingTime  0.12

# Classic verdicts conclude after this time, in s or ms.
hold      2 s
";

/// Does what the verb says.
pub(crate) fn directives(verb: &DirectivesVerb) -> Result<ExitCode> {
    let (tables, is_json) = match verb {
        DirectivesVerb::Format => return Ok(status(delivery::print(FORMAT))),
        DirectivesVerb::Check(files) | DirectivesVerb::Show(files) => (&files.tables, files.json),
        DirectivesVerb::Extract { made, .. }
        | DirectivesVerb::Combine { made, .. }
        | DirectivesVerb::Map { made, .. } => (&made.tables, made.json),
    };
    let hypotheses = match tables.table() {
        Ok(hypotheses) => hypotheses,
        Err(mistakes) => return refuse(&mistakes, is_json),
    };
    match verb {
        DirectivesVerb::Format => Ok(status(delivery::print(FORMAT))),
        DirectivesVerb::Check(Files { files, json, .. }) => {
            match inputs::read(files, &hypotheses) {
                Ok(all) if *json => Ok(print_json(&all, None)),
                Ok(all) => {
                    let text = format!("{} directives, all well\n", all.entries.len());
                    Ok(status(delivery::print(&text)))
                }
                Err(mistakes) => refuse(&mistakes, *json),
            }
        }
        DirectivesVerb::Show(Files { files, json, .. }) => match inputs::read(files, &hypotheses) {
            Ok(all) if *json => Ok(print_json(&all, None)),
            Ok(all) => Ok(status(delivery::print(&all.to_string()))),
            Err(mistakes) => refuse(&mistakes, *json),
        },
        DirectivesVerb::Extract { runs, made, only, small, must_find, store } => {
            let wanted = wanted(only, *small);
            let pasts = tried(store, runs, wanted, &hypotheses)?;
            match required(must_find, wanted, &pasts, &hypotheses) {
                Ok(required) => {
                    deliver(&extract_with(&pasts, wanted, &required, &hypotheses), made)
                }
                Err(mistake) => refuse(&mistake, made.json),
            }
        }
        DirectivesVerb::Combine { files, intersect, made, .. } => {
            let read = |file: &DirectiveFile| inputs::read(std::slice::from_ref(file), &hypotheses);
            let lessons: Result<Vec<Directives>, String> = files.iter().map(read).collect();
            let how = if *intersect { Combination::Intersection } else { Combination::Union };
            let combined = lessons
                .and_then(|all| combine(&all, how).map_err(|mistakes| inputs::lines(&mistakes)));
            match combined {
                Ok(combined) => deliver(&combined, made),
                Err(mistakes) => refuse(&mistakes, made.json),
            }
        }
        DirectivesVerb::Map { first, second, auto, made, store } => {
            let mut pasts = pasts(store, &[first.clone(), second.clone()])?;
            let store = Store::open(store, Access::Read)?;
            pasts.iter_mut().try_for_each(|past| store.read_structure(past))?;
            let mapped = map(&pasts[0], &pasts[1]);
            let least = if *auto { Mapped::SURE } else { 0.0 };
            deliver(&Mapped::directives(&mapped, least), made)
        }
    }
}

fn pasts(store: &Path, runs: &[Selector]) -> Result<Vec<EarlierRun>> {
    let store = Store::open(store, Access::Read)?;
    let past = |run: &Selector| Ok(store.earlier_run(&store.find(run)?)?);
    runs.iter().map(past).collect()
}

/// The runs, with what they say about holding where that is wanted.
fn tried(
    store: &Path,
    runs: &[Selector],
    wanted: Wanted,
    hypotheses: &Hypotheses,
) -> Result<Vec<EarlierRun>> {
    let mut pasts = pasts(store, runs)?;
    let store = Store::open(store, Access::Read)?;
    for past in pasts.iter_mut().filter(|_| wanted.dwell_time) {
        store.try_dwell_times(past, hypotheses)?;
    }
    Ok(pasts)
}

/// What must be found, or why that cannot be asked of these runs.
fn required(
    must_find: &[String],
    wanted: Wanted,
    pasts: &[EarlierRun],
    hypotheses: &Hypotheses,
) -> Result<Vec<Required>, String> {
    if !must_find.is_empty() && !wanted.thresholds {
        return Err("--must-find is about thresholds, which --only leaves out".to_owned());
    }
    let read = |text: &String| Required::parse(text, hypotheses);
    let all: Vec<Required> = must_find.iter().map(read).collect::<Result<_, _>>()?;
    all.iter().try_for_each(|one| one.check(pasts))?;
    Ok(all)
}

fn wanted(only: &[DirectiveKind], small: f64) -> Wanted {
    let is = |kind: DirectiveKind| only.is_empty() || only.contains(&kind);
    Wanted {
        priorities: is(DirectiveKind::Priorities),
        general_prunes: is(DirectiveKind::GeneralPrunes),
        historic_prunes: is(DirectiveKind::HistoricPrunes),
        thresholds: is(DirectiveKind::Thresholds),
        dwell_time: is(DirectiveKind::Hold),
        small,
    }
}

/// To the file, or to standard output.
fn deliver(directives: &Directives, made: &Made) -> Result<ExitCode> {
    if let Some(path) = &made.output {
        fs::write(path, directives.to_string())
            .with_context(|| format!("writing the directives to {}", path.display()))?;
    }
    Ok(match &made.output {
        to if made.json => print_json(directives, to.as_deref()),
        None => status(delivery::print(&directives.to_string())),
        Some(path) => {
            let count = directives.entries.len();
            status(delivery::print(&format!(
                "{count} directives written to {}\n",
                plain(&path.display().to_string())
            )))
        }
    })
}

/// What every verb prints as JSON.
#[derive(Default, Serialize)]
struct DirectivesOutput<'a> {
    directives: Vec<DirectiveText>,
    /// The file that holds them now, when one was asked for.
    written: Option<String>,
    /// What runs taught once and later ones contradict, with the reason.
    dropped: &'a [String],
    /// Why there are none: each with its place.
    mistakes: Vec<&'a str>,
}

#[derive(Serialize)]
struct DirectiveText {
    directive: String,
    comment: Option<String>,
    /// Where it was read; none of one that was made.
    place: Option<String>,
}

fn print_json(all: &Directives, written: Option<&Path>) -> ExitCode {
    let line = |entry: &DirectiveLine| DirectiveText {
        directive: entry.directive.to_string(),
        comment: entry.comment.clone(),
        place: (!entry.place.file.is_empty()).then(|| entry.place.to_string()),
    };
    status(delivery::print_json(&DirectivesOutput {
        directives: all.entries.iter().map(line).collect(),
        written: written.map(|path| path.display().to_string()),
        dropped: &all.dropped,
        mistakes: Vec::new(),
    }))
}

/// Says what is wrong with files, to people and, where it is asked for, to programs.
fn refuse(mistakes: &str, is_json: bool) -> Result<ExitCode> {
    if is_json {
        let mistakes = mistakes.lines().collect();
        delivery::print_json(&DirectivesOutput { mistakes, ..DirectivesOutput::default() });
    }
    inputs::refuse(mistakes)
}
