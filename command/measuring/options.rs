//! The options of every verb that watches programs: how to watch, and what.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args};
use whyperf_consultant::Hypotheses;
use whyperf_model::{Counter, Pair};
use whyperf_viewer::ViewAddress;

use crate::measuring::tracing::TracingOptions;
use crate::measuring::{counters, left_out, requested, target};
use crate::output::delivery::{Destinations, ReportLength};
use crate::output::page_server::{self, PageOptions};
use crate::output::streams::StreamOptions;
use crate::output::terminal::Colour;
use crate::search::directive_file::DirectiveFile;
use crate::search::evaluation::{CodeSearchChoice, EvaluationOptions, hypotheses};
use crate::search::inputs;
use crate::search::phases::Phasing;
use crate::search::storage::StorageOptions;
use crate::search::values::{ThresholdChange, groups, percent, seconds, threshold};

/// How to watch, and what.
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub(crate) options: MeasuringOptions,
    #[command(flatten)]
    pub(crate) tracing: TracingOptions,
    /// Measure regions of the program by their groups, as in io=off or '*=off,solver=on', of which the last one that fits counts
    #[arg(long, value_name = "GROUP=on|off", env = "WHYPERF_GROUPS", hide_env_values = true)]
    #[arg(value_parser = groups)]
    pub(crate) groups: Option<String>,
    /// The program and its arguments, after `--`
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true)]
    pub(crate) command: Vec<OsString>,
}

/// How to watch.
#[derive(Clone, Debug, Args)]
pub(crate) struct MeasuringOptions {
    /// Write the report to FILE as JSON, too
    #[arg(long, value_name = "FILE", env = "WHYPERF_JSON", hide_env_values = true)]
    pub(crate) json: Option<PathBuf>,
    /// Say nothing but what went wrong
    #[arg(short, long, env = "WHYPERF_QUIET", hide_env_values = true)]
    #[arg(action = ArgAction::SetTrue, value_parser = FalseyValueParser::new())]
    pub(crate) quiet: bool,
    /// Use colour always, never, or (auto) on a terminal unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto)]
    #[arg(hide_possible_values = true)]
    pub(crate) color: Colour,
    /// The same as `--color never`
    #[arg(long)]
    pub(crate) no_color: bool,
    /// Spend at most this share of the slowest process's time, in percent
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = percent)]
    #[arg(env = "WHYPERF_COST_LIMIT", hide_env_values = true)]
    pub(crate) cost_limit: f64,
    /// Call it a bottleneck from this value on, as in CPUbound=30% or 'TooManySmallIOOps=4096 B/ops'; may be repeated
    #[arg(long, value_name = "HYPOTHESIS=VALUE", value_parser = threshold, value_delimiter = ',')]
    #[arg(env = "WHYPERF_THRESHOLD", hide_env_values = true)]
    pub(crate) threshold: Vec<ThresholdChange>,
    /// Switch measuring off and on in turns, and tell by how much slower the program is while it is on
    #[arg(long, env = "WHYPERF_VERIFY_COST", hide_env_values = true, conflicts_with = "measure")]
    #[arg(action = ArgAction::SetTrue, value_parser = FalseyValueParser::new())]
    pub(crate) verify_cost: bool,
    /// Measure METRIC at FOCUS for the whole run, as in calls '</Code/app.c/f>'; may be repeated
    #[arg(long, num_args = 2, value_names = ["METRIC", "FOCUS"], action = ArgAction::Append)]
    pub(crate) measure: Vec<String>,
    /// Leave out the functions that this filter names, of whyperf, TAU, Score-P or gcc: they are neither counted nor asked about
    #[arg(long, value_name = "FILE", env = "WHYPERF_FILTER", hide_env_values = true)]
    #[arg(value_parser = DirectiveFile::filter_parser())]
    pub(crate) filter: Option<DirectiveFile>,
    /// Count these of each thread, as in page-faults,instructions; `whyperf doctor` lists what this machine has
    #[arg(long, value_name = "COUNTERS", value_delimiter = ',')]
    #[arg(env = "WHYPERF_COUNTERS", hide_env_values = true)]
    pub(crate) counters: Vec<String>,
    /// Find functions along calls (callgraph), by module (module), or not at all (none)
    #[arg(long, value_name = "WAY", value_enum, default_value_t = CodeSearchChoice::Callgraph)]
    #[arg(env = "WHYPERF_CODE_SEARCH", hide_env_values = true, hide_possible_values = true)]
    pub(crate) code_search: CodeSearchChoice,
    /// Ask nothing while the program runs; `whyperf diagnose` can later
    #[arg(long, env = "WHYPERF_NO_SEARCH", hide_env_values = true)]
    #[arg(action = ArgAction::SetTrue, value_parser = FalseyValueParser::new())]
    pub(crate) no_search: bool,
    /// Leave the cost of measuring in the times that hold it
    #[arg(long, env = "WHYPERF_NO_COMPENSATION", hide_env_values = true)]
    #[arg(action = ArgAction::SetTrue, value_parser = FalseyValueParser::new())]
    pub(crate) no_compensation: bool,
    /// Keep apart only the last DEPTH regions of a callpath; 0 keeps all
    #[arg(long, value_name = "DEPTH", env = "WHYPERF_CALLPATH_DEPTH", hide_env_values = true)]
    #[arg(default_value_t = 0)]
    pub(crate) callpath_depth: u32,
    /// Read the counters this often, in milliseconds, at first; long runs read less often
    #[arg(long, value_name = "MS", env = "WHYPERF_SAMPLE", hide_env_values = true)]
    #[arg(default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) sample: u64,
    /// Measure for so many seconds; then the program goes on alone
    #[arg(long, value_name = "SECONDS", env = "WHYPERF_DURATION", hide_env_values = true)]
    #[arg(value_parser = seconds)]
    pub(crate) duration: Option<Duration>,
    /// Give processes that are left so many seconds to restore their code
    #[arg(long, value_name = "SECONDS", env = "WHYPERF_LEAVE_TIMEOUT", hide_env_values = true)]
    #[arg(default_value = "10", value_parser = seconds)]
    pub(crate) leave_timeout: Duration,
    /// Show so many rows of the callpath profile
    #[arg(long, value_name = "ROWS", env = "WHYPERF_PROFILE", hide_env_values = true)]
    #[arg(default_value_t = 12)]
    pub(crate) profile: usize,
    /// Print all that is known at the end, and each step of the search as it is made: the first page alone is printed else
    #[arg(long, env = "WHYPERF_DETAILS", hide_env_values = true)]
    #[arg(action = ArgAction::SetTrue, value_parser = FalseyValueParser::new())]
    pub(crate) details: bool,
    /// Write the whole report to FILE as text, too; as Markdown where its name ends with .md
    #[arg(long, value_name = "FILE", env = "WHYPERF_REPORT", hide_env_values = true)]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) evaluation: EvaluationOptions,
    #[command(flatten)]
    pub(crate) phasing: Phasing,
    /// Report what is known by now each time that so much time has passed, as in 10m; the signal RTMIN+3 asks for it, too
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) report_every: Option<Duration>,
    /// Keep the profile as it stands each time that so much time has passed, as in 30s, each as a trial in the store
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    #[arg(env = "WHYPERF_SNAPSHOT_EVERY", hide_env_values = true)]
    pub(crate) snapshot_every: Option<Duration>,
    /// Take keys from the terminal: `p` begins a phase, space pauses the search, `r` reports. The program has no input then
    #[arg(long)]
    pub(crate) keys: bool,
    /// Whether the run is shown on this terminal: `whyperf top` does
    #[arg(skip)]
    pub(crate) top: bool,
    /// Show the run in a browser while it goes on, at a port, at ADDRESS:PORT, or at unix:PATH; it stays open until Ctrl-C
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "0", value_parser = page_server::address)]
    pub(crate) view: Option<ViewAddress>,
    #[command(flatten)]
    pub(crate) page: PageOptions,
    #[command(flatten)]
    pub(crate) streams: StreamOptions,
    /// Show beside the run what COMMAND prints while it goes on, as in 'vmstat 1'; may be repeated
    #[arg(long, value_name = "COMMAND", requires = "view")]
    pub(crate) stream_cmd: Vec<String>,
    #[command(flatten)]
    pub(crate) storage: StorageOptions,
}

impl RunOptions {
    /// Why what was asked for makes no sense as a whole, if it makes none.
    pub(crate) fn check(&mut self) -> Result<(), String> {
        // Whoever waits for its turn does not compute: shares of the time would say nothing.
        self.options.no_search |= self.tracing.serial;
        if self.tracing.is_on() && self.options.storage.no_store {
            return Err(
                "a trace is kept beside the store: leave --no-store out, or --trace".to_owned()
            );
        }
        if self.tracing.is_on() && self.options.verify_cost {
            return Err("a trace holds every event: leave --verify-cost out, or --trace".to_owned());
        }
        if self.tracing.is_on() && self.options.callpath_depth != 0 {
            return Err(
                "a trace needs whole callpaths: leave --callpath-depth out, or --trace".to_owned()
            );
        }
        self.options.check()
    }
}

impl MeasuringOptions {
    /// Where the report goes at the end, and how much of it is printed.
    pub(crate) fn destinations(&self) -> Destinations<'_> {
        Destinations {
            length: if self.details { ReportLength::Details } else { ReportLength::Page },
            rows: self.profile,
            json: self.json.as_deref(),
            text: self.report.as_deref(),
        }
    }

    /// When to use colour, both options considered.
    pub(crate) const fn colour(&self) -> Colour {
        if self.no_color { Colour::Never } else { self.color }
    }

    /// Whether functions of the program may have to be switched on.
    pub(crate) fn asks_for_functions(&self) -> bool {
        self.code_search != CodeSearchChoice::None || !self.measure.is_empty()
    }

    /// The hypotheses, with the thresholds that were given.
    pub(crate) fn hypotheses(&self) -> Result<Hypotheses, String> {
        hypotheses(&self.evaluation, &self.threshold)
    }

    /// What the kernel and the processor are to count: what was named, and what pairs and hypotheses need.
    pub(crate) fn counters(&self) -> Result<Vec<Counter>, String> {
        let named = counters::named(&self.counters)?;
        let asked = if self.no_search { Hypotheses::none() } else { self.hypotheses()? };
        Ok(counters::needed(named, &self.pairs()?, &asked))
    }

    /// Whether programs wait at their start for what is to be there from the first moment on.
    pub(crate) fn waits_at_start(&self) -> bool {
        let counts = || self.counters().is_ok_and(|counters| !counters.is_empty());
        !self.measure.is_empty() || counts()
    }

    /// The pairs to measure for the whole run.
    pub(crate) fn pairs(&self) -> Result<Vec<Pair>, String> {
        requested::pairs(&self.measure)
    }

    /// Why what was asked for makes no sense as a whole, if it makes none.
    pub(crate) fn check(&self) -> Result<(), String> {
        let table = self.hypotheses()?;
        inputs::read(&self.storage.directives, &table)?;
        if let Some(file) = &self.filter {
            left_out::check(&left_out::read(file)?.filter, &self.pairs()?)?;
        }
        if self.snapshot_every.is_some() && self.storage.no_store {
            return Err(
                "snapshots are kept in the store: leave --no-store out, or --snapshot-every".into(),
            );
        }
        self.counters().map(drop)
    }

    /// Notes the program of a command, and names an application without a name after it, also when it is not a file of this folder.
    pub(crate) fn name_after(&mut self, command: &[OsString]) {
        self.storage.program = target::program_of(command);
        self.storage.ranks = target::ranks_of(command);
        if self.storage.application.is_none() {
            let first = || command.first().map(PathBuf::from);
            let program = self.storage.program.clone().or_else(first);
            let file = program.as_deref().and_then(Path::file_name).map(OsStr::to_string_lossy);
            self.storage.application = file.map(std::borrow::Cow::into_owned);
        }
    }
}
