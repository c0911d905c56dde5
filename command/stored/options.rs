//! The arguments of everything that has to do with the store: where it is, what a run is called in it, what is shown of it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args, Subcommand, ValueEnum};
use whyperf_experiments::Selector;

use crate::arguments::{CodeSearch, Colour, Threshold, percent, threshold};
use crate::measuring::target;
use crate::search::directive_file::DirectiveFile;
use crate::search::evaluation::{Judging, Tables};
use crate::search::phases::Phasing;

/// Where a run is kept, and under which names.
#[derive(Clone, Debug, Args)]
pub(crate) struct Keeping {
    /// Keep the run in this store
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
    #[arg(default_value = "whyperf.db")]
    pub(crate) store: PathBuf,
    /// Keep nothing of the run
    #[arg(long, env = "WHYPERF_NO_STORE", hide_env_values = true)]
    #[arg(action = ArgAction::SetTrue, value_parser = FalseyValueParser::new())]
    pub(crate) no_store: bool,
    /// What program it is; its file name when nothing is said
    #[arg(long, value_name = "NAME", env = "WHYPERF_APPLICATION", hide_env_values = true)]
    pub(crate) application: Option<String>,
    /// What is being varied
    #[arg(long, value_name = "NAME", env = "WHYPERF_EXPERIMENT", hide_env_values = true)]
    pub(crate) experiment: Option<String>,
    /// What this run is in the experiment; its time when nothing is said
    #[arg(long, value_name = "NAME", env = "WHYPERF_TRIAL", hide_env_values = true)]
    pub(crate) trial: Option<String>,
    /// Lead the search by these directives; may be repeated
    #[arg(long, value_name = "FILE", env = "WHYPERF_DIRECTIVES", hide_env_values = true)]
    #[arg(value_delimiter = ':', value_parser = DirectiveFile::parser())]
    pub(crate) directives: Vec<DirectiveFile>,
    /// Lead the search by what earlier runs of the same application found
    #[arg(long, env = "WHYPERF_LEARN", hide_env_values = true)]
    #[arg(action = ArgAction::SetTrue, value_parser = FalseyValueParser::new())]
    pub(crate) learn: bool,
}

impl Keeping {
    /// An application that nobody named is called as its program, also where that is no file of this folder.
    pub(crate) fn name_after(&mut self, command: &[OsString]) {
        if self.application.is_none() {
            let first = || command.first().map(PathBuf::from);
            let program = target::program_of(command).or_else(first);
            let file = program.as_deref().and_then(Path::file_name).map(OsStr::to_string_lossy);
            self.application = file.map(std::borrow::Cow::into_owned);
        }
    }
}

/// Which store, and how it is printed.
#[derive(Clone, Debug, Args)]
pub(crate) struct Place {
    /// The store to read
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true, global = true)]
    #[arg(default_value = "whyperf.db")]
    pub(crate) store: PathBuf,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Use colour always, never, or (auto) on a terminal unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto, global = true)]
    #[arg(hide_possible_values = true)]
    pub(crate) color: Colour,
}

/// Which runs, and what is done with them.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = false)]
pub(crate) struct Runs {
    #[command(flatten)]
    pub(crate) place: Place,
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

/// Which run, and what of it.
#[derive(Debug, Args)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) place: Place,
    /// An id, the beginning of one, a tag, latest or latest~1
    #[arg(value_name = "RUN")]
    pub(crate) run: Selector,
    /// Every question of the search and its answer
    #[arg(long, group = "part")]
    pub(crate) search: bool,
    /// The callpath profile
    #[arg(long, group = "part")]
    pub(crate) profile: bool,
    /// A measured pair over time
    #[arg(long, group = "part", num_args = 2, value_names = ["METRIC", "FOCUS"])]
    pub(crate) histogram: Option<Vec<String>>,
    /// What there was, and from when to when
    #[arg(long, group = "part")]
    pub(crate) resources: bool,
    /// The log of the search
    #[arg(long, group = "part")]
    pub(crate) log: bool,
}

/// Which run is searched again, and how.
#[derive(Debug, Args)]
pub(crate) struct Diagnose {
    /// An id, the beginning of one, a tag, latest or latest~1; of a diagnosis, the run it is of
    #[arg(value_name = "RUN")]
    pub(crate) run: Selector,
    /// Write the report to FILE as JSON, too
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Call it a bottleneck from this value on, as in CPUbound=0.3; may be repeated
    #[arg(long, value_name = "HYPOTHESIS=VALUE", value_parser = threshold, value_delimiter = ',')]
    #[arg(env = "WHYPERF_THRESHOLD", hide_env_values = true)]
    pub(crate) threshold: Vec<Threshold>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    /// Lead the search by these directives; may be repeated
    #[arg(long, value_name = "FILE", env = "WHYPERF_DIRECTIVES", hide_env_values = true)]
    #[arg(value_delimiter = ':', value_parser = DirectiveFile::parser())]
    pub(crate) directives: Vec<DirectiveFile>,
    /// The limit that the search foresees costs for, in percent; a run that is over costs nothing
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = percent)]
    #[arg(env = "WHYPERF_COST_LIMIT", hide_env_values = true)]
    pub(crate) cost_limit: f64,
    /// Find functions along calls (callgraph), by module (module), or not at all (none), as far as they were measured
    #[arg(long, value_name = "WAY", value_enum, default_value_t = CodeSearch::Callgraph)]
    #[arg(env = "WHYPERF_CODE_SEARCH", hide_env_values = true, hide_possible_values = true)]
    pub(crate) code_search: CodeSearch,
    #[command(flatten)]
    pub(crate) phasing: Phasing,
    /// Show so many rows of the callpath profile
    #[arg(long, value_name = "ROWS", default_value_t = 12)]
    pub(crate) profile: usize,
    /// The store to read, and to keep the diagnosis in
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
    #[arg(default_value = "whyperf.db")]
    pub(crate) store: PathBuf,
    /// Use colour always, never, or (auto) on a terminal unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto)]
    #[arg(hide_possible_values = true)]
    pub(crate) color: Colour,
}

/// Directive files: what they say, and making them.
#[derive(Debug, Subcommand)]
pub(crate) enum DirectivesVerb {
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
        only: Vec<Kind>,
        /// Prune functions below this share of the time, in percent
        #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = percent)]
        small: f64,
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
    pub(crate) tables: Tables,
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
    pub(crate) tables: Tables,
}

/// A kind of directive that runs give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
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
