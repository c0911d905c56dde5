//! The command line: its verbs. The options of each stand beside its work.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::{env, process};

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::experiments::ci::{self, Ci};
use crate::experiments::compare::{self, Compare};
use crate::experiments::export::{self, Export};
use crate::experiments::import::{self, Import};
use crate::experiments::query::{self, QueryVerb};
use crate::experiments::reduce::{self, Reduce};
use crate::experiments::scale::{self, Scale};
use crate::extrapolation::extrapolate::{self, Extrapolate};
use crate::extrapolation::machines::MachineVerb;
use crate::extrapolation::traces::TraceVerb;
use crate::extrapolation::what_if::{self, WhatIf};
use crate::machine::listing::Listing;
use crate::measuring::attach::{self, Attach};
use crate::measuring::options::RunOptions;

use crate::measuring::{exec, run};
use crate::output::terminal::{self, harmless};
use crate::search::metrics;
use crate::stored::diagnose::{self, Diagnose};
use crate::stored::directives::DirectivesVerb;
use crate::stored::plot::Plot;
use crate::stored::report::{self, StoredRunReport};
use crate::stored::runs::Runs;
use crate::stored::show::Show;
use crate::stored::store_copy::{self, StoreVerb};
use crate::stored::top::{self, Top};
use crate::stored::view::{self, View};

/// What was asked for.
#[derive(Debug, Parser)]
#[command(name = "whyperf", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true, propagate_version = true)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

impl CommandLine {
    /// What the command line and the environment say; ends this process where they make no sense.
    pub(crate) fn given() -> Self {
        let matches = Self::description(|name| env::var_os(name)).try_get_matches();
        let matches = matches.unwrap_or_else(|error| end(&Self::explained(error)));
        let mut given = Self::from_arg_matches(&matches).unwrap_or_else(|error| end(&error));
        if let Verb::Run(launch) | Verb::Exec(launch) = &mut given.verb {
            if let Err(message) = launch.check() {
                end(&Self::command().error(ErrorKind::ValueValidation, message));
            }
            launch.options.name_after(&launch.command);
        }
        if let Verb::Top(top) = &mut given.verb {
            if let Err(message) = top.options.check() {
                end(&Self::command().error(ErrorKind::ValueValidation, message));
            }
            top.options.name_after(&top.command);
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
            let why = StyledStr::from(diagnose::needless(&name));
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

/// Ends this process with the message of a mistake, or with what was asked for: help, or a version.
fn end(error: &clap::Error) -> ! {
    if error.use_stderr() {
        terminal::put(&harmless(&error.render().to_string()));
        process::exit(error.exit_code())
    }
    error.exit()
}

/// One verb, one file.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run a program and say why, where and when it is slow
    #[command(after_help = run::NOTES, override_usage = "whyperf run [OPTIONS] -- COMMAND...")]
    Run(RunOptions),
    /// The same from inside a launcher: `mpirun -n 4 whyperf exec -- ./app`
    #[command(after_help = exec::NOTES)]
    #[command(override_usage = "mpirun ... whyperf exec [OPTIONS] -- COMMAND...")]
    Exec(RunOptions),
    /// Watch programs that run already, and leave them as they were
    #[command(after_help = attach::NOTES, override_usage = "whyperf attach [OPTIONS] PID...")]
    Attach(Box<Attach>),
    /// List the runs that were kept; forget or tag some
    Runs(Runs),
    /// Show a run that was kept
    Show(Box<Show>),
    /// Search a run that was kept, as if it ran now: with other thresholds, hypotheses or directives
    #[command(after_help = diagnose::NOTES)]
    Diagnose(Box<Diagnose>),
    /// Write a run that was kept as one file for a browser, as text or as Markdown
    #[command(after_help = report::NOTES)]
    Report(StoredRunReport),
    /// Show runs that were kept in a browser
    #[command(after_help = view::NOTES)]
    View(View),
    /// Show a run on the terminal, while its program runs or out of the store
    #[command(after_help = top::NOTES, override_usage = "whyperf top [OPTIONS] [RUN]\n       whyperf top [OPTIONS] -- COMMAND...")]
    Top(Box<Top>),
    /// Say how and by how much the performance changed from one run to another, and why
    #[command(after_help = compare::NOTES)]
    Compare(Box<Compare>),
    /// Run a program several times, compare it with the baseline of a branch, and write what a pull request shows
    #[command(after_help = ci::NOTES, override_usage = "whyperf ci [OPTIONS] -- COMMAND...")]
    Ci(Box<Ci>),
    /// Say how well a program scales with its processes, and what will hurt with more of them
    #[command(after_help = scale::NOTES)]
    Scale(Scale),
    /// Ask runs that were kept, in a small language
    #[command(after_help = query::NOTES)]
    Query(QueryVerb),
    /// Say which functions measuring is not worth, as a filter for the next run
    #[command(after_help = reduce::NOTES)]
    Reduce(Reduce),
    /// Take in what another tool measured, as a run
    #[command(after_help = import::NOTES)]
    Import(Import),
    /// Give out a run that was kept in a format of the field
    #[command(after_help = export::NOTES)]
    Export(Export),
    /// Draw measured pairs of a run over time, as SVG or PNG
    Plot(Plot),
    /// Copy the runs of a store into another: a file, or a server of PostgreSQL
    #[command(subcommand, after_help = store_copy::NOTES)]
    Store(StoreVerb),
    /// Say what directive files say; make them from runs that were kept
    #[command(subcommand)]
    Directives(DirectivesVerb),
    /// Print the table of hypotheses
    Hypotheses {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List what can be measured: the metrics, with unit and meaning
    #[command(after_help = metrics::NOTES)]
    Metrics {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Say how traced programs would run on another machine, and which of them is best there
    #[command(after_help = extrapolate::NOTES)]
    Extrapolate(Box<Extrapolate>),
    /// Say what curing a bottleneck is worth: by how much the whole run would be shorter
    #[command(after_help = what_if::NOTES)]
    WhatIf(Box<WhatIf>),
    /// Make traces of text, and show them
    #[command(subcommand)]
    Trace(TraceVerb),
    /// List, show and measure machines that programs can be extrapolated to
    #[command(subcommand)]
    Machine(MachineVerb),
    /// Say what this machine allows, what is missing and what to do
    Doctor(Listing),
    /// Remove what runs that were killed have left behind
    Clean(Listing),
    /// Print what a shell needs to complete whyperf's words
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the pages for `man` into a folder
    Manual {
        /// The folder, as in ~/.local/share/man/man1
        folder: PathBuf,
    },
}

const ABOUT: &str = "Says why, where and when a parallel program is slow, while it runs";

const EXAMPLES: &str = "\
Examples:
  whyperf run -- mpirun -n 4 ./app              watch a job on this machine
  mpirun -n 4 whyperf exec -- ./app             the same from inside the launcher
  whyperf run --json report.json -- ./app       keep the report for other programs
  whyperf attach --duration 20 --all-of PID     watch a job that runs already, for 20 seconds
  whyperf doctor                                when something is not as expected";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_of_the_command_line_is_sound() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn everything_after_the_dashes_is_the_program_s() {
        let words = ["whyperf", "run", "-q", "--", "mpirun", "-n", "4", "./app", "--quiet"];
        let Verb::Run(launch) = CommandLine::parse_from(words).verb else {
            panic!("the verb was `run`");
        };
        assert!(launch.options.quiet);
        assert_eq!(launch.command, ["mpirun", "-n", "4", "./app", "--quiet"]);
    }
}
