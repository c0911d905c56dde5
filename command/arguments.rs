//! The command line: every verb and option, with the environment variable that is its twin.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{FalseyValueParser, StyledStr};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{
    ArgAction, Args, Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand,
    ValueEnum,
};
use whyperf_consultant::{Hypotheses, HypothesisId};

use crate::search::evaluation::Judging;
use crate::search::inputs;
use crate::search::phases::Phasing;
use crate::stored::options::{Diagnose, DirectivesVerb, Keeping, Runs, Show};
use whyperf_model::Pair;

use crate::measuring::requested;

/// What was asked for.
#[derive(Debug, Parser)]
#[command(name = "whyperf", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true, propagate_version = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

impl Arguments {
    /// What the command line and the environment say; ends this process where they make no sense.
    pub(crate) fn given() -> Self {
        let matches = Self::description(|name| env::var_os(name)).try_get_matches();
        let matches = matches.unwrap_or_else(|error| Self::explained(error).exit());
        let mut given = Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        if let Verb::Run(launch) | Verb::Exec(launch) = &mut given.verb {
            launch.options.check();
            launch.options.keeping.name_after(&launch.command);
        }
        given
    }

    /// The same error, with the reason where an option of `run` was given to `diagnose`, which has nothing to measure.
    fn explained(mut error: clap::Error) -> clap::Error {
        let name = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(name)) if error.kind() == ErrorKind::UnknownArgument => name,
            _ => return error,
        };
        let name = name.trim_start_matches('-').to_owned();
        let all = Self::command();
        let of_run = all.find_subcommand("run").into_iter().flat_map(Command::get_arguments);
        let is_of_run = of_run.into_iter().any(|option| option.get_long() == Some(&name));
        if env::args().nth(1).as_deref() == Some("diagnose") && is_of_run {
            let why = StyledStr::from(needless(&name));
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![why]));
        }
        error
    }

    /// The description of the command line without the variables that are empty: those say nothing.
    fn description(value: impl Fn(&OsStr) -> Option<OsString>) -> Command {
        let is_empty = |name: &OsStr| value(name).is_some_and(|text| text.is_empty());
        Self::command().mut_subcommands(|verb| {
            verb.mut_args(|argument| match argument.get_env() {
                Some(name) if is_empty(name) => argument.env(None::<&'static str>),
                _ => argument,
            })
        })
    }
}

/// One verb, one file.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run a program and say why, where and when it is slow
    #[command(after_help = RUN_NOTES, override_usage = "whyperf run [OPTIONS] -- COMMAND...")]
    Run(Launch),
    /// The same from inside a launcher: `mpirun -n 4 whyperf exec -- ./app`
    #[command(after_help = EXEC_NOTES)]
    #[command(override_usage = "mpirun ... whyperf exec [OPTIONS] -- COMMAND...")]
    Exec(Launch),
    /// Watch programs that run already, and leave them as they were
    #[command(after_help = ATTACH_NOTES, override_usage = "whyperf attach [OPTIONS] PID...")]
    Attach(Box<Attach>),
    /// List the runs that were kept; forget or tag some
    Runs(Runs),
    /// Show a run that was kept
    Show(Box<Show>),
    /// Search a run that was kept, as if it ran now: with other thresholds, hypotheses or directives
    #[command(after_help = DIAGNOSE_NOTES)]
    Diagnose(Box<Diagnose>),
    /// Say what directive files say; make them from runs that were kept
    #[command(subcommand)]
    Directives(DirectivesVerb),
    /// Print the table of hypotheses
    Hypotheses {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Say what this machine allows, what is missing and what to do
    Doctor(Listing),
    /// Remove what runs that were killed have left behind
    Clean(Listing),
}

/// How to watch, and what.
#[derive(Debug, Args)]
pub(crate) struct Launch {
    #[command(flatten)]
    pub(crate) options: Options,
    /// The program and its arguments, after `--`
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true)]
    pub(crate) command: Vec<OsString>,
}

/// What runs already and is to be watched.
#[derive(Debug, Args)]
pub(crate) struct Attach {
    #[command(flatten)]
    pub(crate) options: Options,
    /// Watch every process on this machine of the job of PID: of a launcher, or of any of its processes
    #[arg(long, value_name = "PID")]
    pub(crate) all_of: Vec<u32>,
    /// Leave after so many seconds; otherwise when the processes end, or at Ctrl-C
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) duration: Option<Duration>,
    /// The processes
    #[arg(value_name = "PID", required_unless_present = "all_of")]
    pub(crate) processes: Vec<u32>,
}

/// How to watch.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
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
    /// Call it a bottleneck from this value on, as in CPUbound=0.3; may be repeated
    #[arg(long, value_name = "HYPOTHESIS=VALUE", value_parser = threshold, value_delimiter = ',')]
    #[arg(env = "WHYPERF_THRESHOLD", hide_env_values = true)]
    pub(crate) threshold: Vec<Threshold>,
    /// Measure METRIC at FOCUS for the whole run, as in calls '</Code/app.c/f>'; may be repeated
    #[arg(long, num_args = 2, value_names = ["METRIC", "FOCUS"], action = ArgAction::Append)]
    pub(crate) measure: Vec<String>,
    /// Find functions along calls (callgraph), by module (module), or not at all (none)
    #[arg(long, value_name = "WAY", value_enum, default_value_t = CodeSearch::Callgraph)]
    #[arg(env = "WHYPERF_CODE_SEARCH", hide_env_values = true, hide_possible_values = true)]
    pub(crate) code_search: CodeSearch,
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
    /// Show so many rows of the callpath profile
    #[arg(long, value_name = "ROWS", env = "WHYPERF_PROFILE", hide_env_values = true)]
    #[arg(default_value_t = 12)]
    pub(crate) profile: usize,
    #[command(flatten)]
    pub(crate) judging: Judging,
    #[command(flatten)]
    pub(crate) phasing: Phasing,
    /// Take keys from the terminal: `p` begins a phase, space pauses the search. The program has no input then
    #[arg(long)]
    pub(crate) keys: bool,
    #[command(flatten)]
    pub(crate) keeping: Keeping,
}

/// How a verb prints that runs nothing.
#[derive(Clone, Debug, Args)]
pub(crate) struct Listing {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Use colour always, never, or (auto) on a terminal unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto)]
    #[arg(hide_possible_values = true)]
    pub(crate) color: Colour,
}

/// How the functions are found that take the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CodeSearch {
    /// From where the program begins, along calls.
    Callgraph,
    /// From modules to their functions.
    Module,
    /// Not at all: only what calls a library has a place.
    None,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Options {
    /// When to use colour, both options considered.
    pub(crate) const fn colour(&self) -> Colour {
        if self.no_color { Colour::Never } else { self.color }
    }

    /// Whether functions of the program may have to be switched on.
    pub(crate) fn asks_for_functions(&self) -> bool {
        self.code_search != CodeSearch::None || !self.measure.is_empty()
    }

    /// The hypotheses, with the thresholds that were given.
    pub(crate) fn hypotheses(&self) -> Result<Hypotheses, String> {
        hypotheses(&self.judging, &self.threshold)
    }

    /// The pairs to measure for the whole run.
    pub(crate) fn pairs(&self) -> Result<Vec<Pair>, String> {
        requested::pairs(&self.measure)
    }

    /// Ends this process when what was asked for makes no sense as a whole.
    pub(crate) fn check(&self) {
        let read = self.hypotheses().and_then(|table| {
            inputs::read(&self.keeping.directives, &table)?;
            self.pairs()
        });
        if let Err(message) = read {
            Arguments::command().error(ErrorKind::ValueValidation, message).exit();
        }
    }
}

/// The value from which on a hypothesis holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Threshold {
    /// Of which hypothesis.
    pub(crate) hypothesis: String,
    /// From this value on.
    pub(crate) value: f64,
}

/// Why a diagnosis has no such option of `run`.
fn needless(option: &str) -> &'static str {
    match option {
        "learn" => {
            "a diagnosis is led by files: `whyperf directives extract RUN... -o FILE`, then --directives FILE"
        }
        "application" | "experiment" | "trial" | "no-store" => {
            "a diagnosis is kept beside the run that it is of"
        }
        "quiet" | "no-color" => "a diagnosis is printed to standard output; try --color never",
        _ => "it is about measuring a program that runs, and a diagnosis measures nothing",
    }
}

/// A share given in percent, with or without its sign.
pub(crate) fn percent(text: &str) -> Result<f64, String> {
    let value: f64 = text
        .trim_end_matches('%')
        .trim()
        .parse()
        .map_err(|_| "expected a percentage such as 5 or 2.5".to_owned())?;
    if value > 0.0 && value <= 100.0 {
        Ok(value / 100.0)
    } else {
        Err("a share of the time lies above 0 and is at most 100 percent".to_owned())
    }
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.trim().trim_end_matches('s').trim_end();
    let value: f64 = number.parse().map_err(|_| "expected seconds such as 20 or 2.5".to_owned())?;
    let time = Duration::try_from_secs_f64(value).ok().filter(|time| !time.is_zero());
    time.filter(|_| value < MOST_SECONDS)
        .ok_or_else(|| "the time must be above 0 seconds, and below ten years".to_owned())
}

pub(crate) fn threshold(text: &str) -> Result<Threshold, String> {
    let (hypothesis, value) = text
        .split_once('=')
        .ok_or_else(|| "expected HYPOTHESIS=VALUE, as in CPUbound=0.3".to_owned())?;
    let value = match value.strip_suffix('%') {
        Some(share) => share.trim().parse::<f64>().map(|share| share / 100.0),
        None => value.trim().parse::<f64>(),
    };
    let value = value.map_err(|_| "the value is no number; try 0.2 or 20%".to_owned())?;
    if !value.is_finite() || value < 0.0 {
        return Err("the value must not be negative".to_owned());
    }
    let hypothesis = hypothesis.trim().to_owned();
    Ok(Threshold { hypothesis, value })
}

/// The hypotheses, with the thresholds that were given.
pub(crate) fn hypotheses(
    judging: &Judging,
    thresholds: &[Threshold],
) -> Result<Hypotheses, String> {
    let mut table = judging.table()?;
    for Threshold { hypothesis, value } in thresholds {
        let Some(id) = table.named(hypothesis) else {
            let names = names(&table, None).join(", ");
            return Err(format!("there is no hypothesis {hypothesis}; there are {names}"));
        };
        table.set_threshold(id, *value);
    }
    Ok(table)
}

fn names(table: &Hypotheses, parent: Option<HypothesisId>) -> Vec<String> {
    let below = table.children(parent);
    below
        .flat_map(|id| [vec![table.row(id).name.to_string()], names(table, Some(id))].concat())
        .collect()
}

const MOST_SECONDS: f64 = 3e8;

const ABOUT: &str = "Says why, where and when a parallel program is slow, while it runs";

const EXAMPLES: &str = "\
Examples:
  whyperf run -- mpirun -n 4 ./app              watch a job on this machine
  mpirun -n 4 whyperf exec -- ./app             the same from inside the launcher
  whyperf run --json report.json -- ./app       keep the report for other programs
  whyperf attach --duration 20 --all-of PID     watch a job that runs already, for 20 seconds
  whyperf doctor                                when something is not as expected";

const RUN_NOTES: &str = "\
The program's input and output are its own: whyperf speaks on standard error only. Ctrl-C reaches the
program first and the report is still written; signals that others send to whyperf are passed on to it.

Exit status: the program's own, 128 + n when signal n ended it, 127 when it was not found, 126 when it
could not be executed, 2 when these arguments are not understood.

Signals to whyperf that it keeps: RTMIN+1 pauses the search or lets it go on, RTMIN+2 begins a phase.

Environment: libwhyperf.so is looked for beside the executable and in ../lib; WHYPERF_LIBRARY names
another place.";

const EXEC_NOTES: &str = "\
Each process of the job calls this; the first one on a machine watches for all of them and reports at
the end. Options are those of the first one, so give all the same.

Exit status: as for `whyperf run`.";

const DIAGNOSE_NOTES: &str = "\
What was found is kept as a run of its own, which `whyperf show` and `whyperf directives extract` take as any
other. The same diagnosis made twice is one. Functions are known only as far as they were measured.";

const ATTACH_NOTES: &str = "\
The processes were started without whyperf and go on when it leaves: after --duration, at Ctrl-C, or not before
they end. Each is interrupted once for about a millisecond. What was called before is not known.

Exit status: 0 when at least one process was watched, 125 when none could be; the reason is said for each.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_of_the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn everything_after_the_dashes_is_the_program_s() {
        let words = ["whyperf", "run", "-q", "--", "mpirun", "-n", "4", "./app", "--quiet"];
        let Verb::Run(launch) = Arguments::parse_from(words).verb else {
            panic!("the verb was `run`");
        };
        assert!(launch.options.quiet);
        assert_eq!(launch.command, ["mpirun", "-n", "4", "./app", "--quiet"]);
    }

    #[test]
    fn shares_and_thresholds_are_read_with_and_without_a_percent_sign() {
        assert_eq!(percent("5"), Ok(0.05));
        assert_eq!(percent("2.5%"), Ok(0.025));
        assert!(percent("0").is_err());
        assert!(percent("101").is_err());
        let read = |text: &str| threshold(text).map(|threshold| threshold.value);
        assert_eq!(read("CPUbound=0.3"), Ok(0.3));
        assert_eq!(read("CPUbound=30%"), Ok(0.3));
        assert!(read("CPUbound").is_err());
        assert!(read("CPUbound=-1").is_err());
    }
}
