//! `whyperf reduce`: which functions of a run measuring is not worth, as a filter for the next run.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use whyperf_experiments::{Access, FilterFormat, FunctionSums, ReductionRules, Selector, Store};
use whyperf_model::{Hierarchy, Resource};

use crate::output::delivery::{self, status};
use crate::output::terminal;
use crate::output::whole_file;

/// Which run, by which rules, and as what.
#[derive(Debug, Args)]
pub(crate) struct Reduce {
    /// An id, the beginning of one, a tag, latest or latest~1
    #[arg(value_name = "RUN")]
    pub(crate) run: Selector,
    /// The rules; numcalls > 1000000 & usecs/call < 2 where nothing is said
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// As what
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ReduceFormat::Whyperf)]
    pub(crate) format: ReduceFormat,
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The store to read
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
    #[arg(default_value = "whyperf.db")]
    pub(crate) store: PathBuf,
}

/// Whose filter is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReduceFormat {
    /// Directives for `whyperf run --filter`
    Whyperf,
    /// TAU's selective instrumentation file
    Tau,
    /// A filter of Score-P
    ScoreP,
    /// Options of gcc
    Gcc,
}

impl From<ReduceFormat> for FilterFormat {
    fn from(format: ReduceFormat) -> Self {
        match format {
            ReduceFormat::Whyperf => Self::Whyperf,
            ReduceFormat::Tau => Self::Tau,
            ReduceFormat::ScoreP => Self::ScoreP,
            ReduceFormat::Gcc => Self::Gcc,
        }
    }
}

/// Writes the filter of the request.
pub(crate) fn reduce(request: &Reduce) -> Result<ExitCode> {
    let rules = rules(request)?;
    let store = Store::open(&request.store, Access::Read)?;
    let run = store.find(&request.run)?;
    let exported = store.exported(&run)?;
    let sums = FunctionSums::of(&exported.tau());
    let names = sums.left_out(&rules);
    let spans = store.resources(&run)?;
    let code: Vec<Resource> = { spans.iter() }
        .filter_map(|span| span.name.parse().ok())
        .filter(|one: &Resource| one.hierarchy() == Hierarchy::Code && !one.is_root())
        .collect();
    let places = |name: &str| {
        let named = code.iter().filter(|one| one.label() == name);
        named.map(ToString::to_string).collect()
    };
    let (text, notes) = FilterFormat::from(request.format).written(&names, places);
    notes.iter().for_each(|note| terminal::complain(note));
    terminal::complain(&format!("{} of {} functions are left out", names.len(), sums.count()));
    let Some(path) = &request.output else {
        return Ok(status(delivery::print(&text)));
    };
    whole_file::replace(path, &text)
        .with_context(|| format!("writing the filter to {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn rules(request: &Reduce) -> Result<ReductionRules> {
    let Some(path) = &request.rules else { return Ok(ReductionRules::default()) };
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("reading the rules of {}", path.display()))?;
    text.parse().with_context(|| format!("{} has no such rules", path.display()))
}

/// What `whyperf reduce --help` ends with.
pub(crate) const NOTES: &str = "\
A rule is a line of conditions that hold together; of several lines one is enough:

  # what is called often and takes hardly any time
  numcalls > 100000 & usecs/call < 2
  TAU_USER : percent < 0.1            of a group
  \"list::*\" : usec < 100              of what is called so; * is any text, ? any letter

Fields: numcalls, numsubrs, percent (with all below, of all), usec (itself), cumusec (with all below), count and totalcount
(the same of the first counter), stddev (of usec, over threads), usecs/call and counts/call (with all below).
Operators: <, >, =, <=, >= and !=. What is not known of a function is no match. Calls of MPI are never left out.

Examples:
  whyperf reduce latest --rules rules.txt --format tau -o select.tau
  whyperf reduce latest --rules rules.txt -o filter; whyperf run --filter filter -- ./app
  gcc $(whyperf reduce latest --format gcc) app.c";
