//! `whyperf ci`: runs a program several times, compares the runs with the baseline of a branch, and writes what a pull request shows.
//!
//! ```text
//!   whyperf run --experiment ci/BRANCH/TIME   n times, each a process of its own
//!   the trials of the run tagged ci/BRANCH  ──┐
//!   the trials that were just made          ──┴► compare ──► text, Markdown, JUnit, exit status
//! ```
//! With `--update` the new trials become the baseline: the tag moves to them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::SystemTime;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use whyperf_experiments::{
    Access, Comparison, ComparisonSettings, Operand, RunId, RunPart, Selector, Store, compare,
};

use crate::experiments::ci_report::{self, Verdict};
use crate::experiments::failure_rules::{FailOn, FailureRules};
use crate::experiments::read_options::ReadOptions;
use crate::experiments::text;
use crate::output::delivery::{self, status};
use crate::output::terminal;
use crate::output::whole_file;
use crate::search::values::percent;

/// What is run, and what it is compared with.
#[derive(Debug, Args)]
pub(crate) struct Ci {
    /// How often the program is run
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: u32,
    /// The branch whose baseline it is compared with; where nothing is said, the one that the build system names as the
    /// target, or else main
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    /// Make these runs the baseline of the branch
    #[arg(long)]
    pub(crate) update: bool,
    /// Write what became of each rule to FILE as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write the comparison to FILE as Markdown
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) rules: FailureRules,
    /// How sure a difference must be, in percent
    #[arg(long, value_name = "PERCENT", default_value = "99", value_parser = percent)]
    pub(crate) confidence: f64,
    /// The smallest difference that matters, in percent
    #[arg(long, value_name = "PERCENT", default_value = "2", value_parser = percent)]
    pub(crate) least: f64,
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
    /// The program with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// Runs and compares.
pub(crate) fn ci(request: &Ci) -> Result<ExitCode> {
    let branch = request.branch.clone().or_else(target_branch).unwrap_or_else(|| "main".to_owned());
    let experiment = format!("ci/{branch}/{}", humantime::format_rfc3339_millis(SystemTime::now()));
    for trial in 1..=request.runs {
        if let Some(status) = run_once(request, &experiment, trial)? {
            let failed = Verdict::Failed { trial, status };
            write(request, &branch, &failed)?;
            return Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)));
        }
    }
    let mut store = Store::open(&request.reading.store, Access::Change)?;
    let trials = store.trials(&experiment)?;
    let tag = format!("ci/{branch}");
    let baseline = baseline(&store, &tag)?;
    let verdict = match &baseline {
        None => Verdict::NoBaseline,
        Some((_, trials_before)) => compared(request, &store, &branch, trials_before, &trials)?,
    };
    if request.update {
        move_tag(&mut store, &tag, baseline.map(|(run, _)| run).as_ref(), &trials)?;
    }
    write(request, &branch, &verdict)?;
    told(request, &branch, &verdict)
}

/// What build systems call the branch that a change is for.
fn target_branch() -> Option<String> {
    let names = ["GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CHANGE_TARGET"];
    let mut values = names.into_iter().filter_map(|name| std::env::var(name).ok());
    values.find(|value| !value.is_empty())
}

/// Runs the program once; the status where it failed.
fn run_once(request: &Ci, experiment: &str, trial: u32) -> Result<Option<i32>> {
    let own = std::env::current_exe().context("looking for the whyperf command itself")?;
    let mut run = Command::new(own);
    run.args(["run", "--quiet", "--experiment", experiment, "--trial", &trial.to_string()]);
    // Not among the words, which everybody on the machine can read: the place may have a password.
    run.env("WHYPERF_STORE", &request.reading.store).arg("--").args(&request.command);
    let status = run.status().context("running the program under whyperf")?;
    Ok((!status.success()).then(|| status.code().unwrap_or(1)))
}

/// The tagged run and the trials beside it; none where no run has the tag.
fn baseline(store: &Store, tag: &str) -> Result<Option<(RunId, Vec<RunId>)>> {
    let Ok(run) = store.find(&Selector::Named(tag.to_owned())) else { return Ok(None) };
    let experiment = store.summary(&run)?.experiment;
    let trials = store.trials(&experiment)?;
    Ok(Some((run, trials)))
}

fn compared(
    request: &Ci,
    store: &Store,
    branch: &str,
    before: &[RunId],
    now: &[RunId],
) -> Result<Verdict> {
    let settings = ComparisonSettings {
        confidence: request.confidence,
        least: request.least,
        ..ComparisonSettings::default()
    };
    let operand = |name: String, runs: &[RunId]| {
        Operand::of_runs(store, name, runs, &RunPart::Whole)
            .context("reading runs that are compared")
    };
    let mut a = operand(format!("baseline of {branch}"), before)?;
    let mut b = operand("this change".to_owned(), now)?;
    let comparison: Comparison = compare(&mut a, &mut b, &settings);
    let outcomes = rules(request).outcomes(&comparison, &mut a, &mut b);
    Ok(Verdict::Compared { comparison: Box::new(comparison), outcomes })
}

/// Where nothing is said, a change fails that makes the program slower.
fn rules(request: &Ci) -> FailureRules {
    let mut rules = request.rules.clone();
    if rules.fail_if.is_empty() && rules.fail_on.is_empty() {
        rules.fail_on.push(FailOn::Slower);
    }
    rules
}

fn move_tag(store: &mut Store, tag: &str, from: Option<&RunId>, to: &[RunId]) -> Result<()> {
    let Some(first) = to.first() else { bail!("none of the runs was seen to its end") };
    if let Some(old) = from {
        store.tag(old, tag, false)?;
    }
    Ok(store.tag(first, tag, true)?)
}

fn write(request: &Ci, branch: &str, verdict: &Verdict) -> Result<()> {
    let files = [
        (&request.junit, ci_report::junit(branch, verdict)),
        (&request.markdown, ci_report::markdown(branch, verdict)),
    ];
    for (path, content) in files {
        if let Some(path) = path {
            whole_file::replace(path, &content)
                .with_context(|| format!("writing the comparison to {}", path.display()))?;
        }
    }
    Ok(())
}

fn told(request: &Ci, branch: &str, verdict: &Verdict) -> Result<ExitCode> {
    let Verdict::Compared { comparison, outcomes } = verdict else {
        let ending = if request.update { "these runs are it now" } else { "--update makes one" };
        terminal::complain(&format!("the branch {branch} has no baseline: {ending}"));
        return Ok(ExitCode::SUCCESS);
    };
    let is_printed = delivery::print(&text::render(comparison, request.reading.style()));
    Ok(FailureRules::complain(outcomes).unwrap_or_else(|| status(is_printed)))
}

/// What `whyperf ci --help` ends with.
pub(crate) const NOTES: &str = "\
The runs are kept as trials of an experiment ci/BRANCH/TIME, and a baseline is the experiment whose run has the tag
ci/BRANCH. Where no rule is given, it fails where the program is slower than chance explains.

Exit status: 0; 3 where a rule holds; that of the program where it fails.

Examples:
  whyperf ci --update -- mpirun -n 4 ./app                          on the branch itself: a new baseline
  whyperf ci --junit perf.xml --markdown perf.md -- mpirun -n 4 ./app     on a change for it
  whyperf ci --runs 10 --fail-if 'wall > +5%' --fail-on new-bottleneck -- ./app";
