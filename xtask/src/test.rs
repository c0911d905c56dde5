//! `cargo xtask test`: every check of the project, step by step, with all failures shown and a summary last.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::loom;
use crate::packages;
use crate::workspace::{PLACE, Workspace, succeed};

/// What a step does.
enum Check {
    /// A function of this program.
    Own(fn(&Workspace) -> Result<()>),
    /// A cargo call, told where the build under test lies.
    Cargo(Vec<String>),
}

/// Which of the two ways of checking a step belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Both,
    /// All there is, on the release build: promises are checked on what is shipped.
    Full,
    /// What an edit is tried with, on the debug build.
    Quick,
}

/// One check.
struct Step {
    name: String,
    way: Way,
    check: Check,
}

impl Step {
    fn own(name: &str, check: fn(&Workspace) -> Result<()>) -> Self {
        Self { name: name.to_owned(), way: Way::Both, check: Check::Own(check) }
    }

    fn cargo(name: &str, words: &str) -> Self {
        let words = words.split_whitespace().map(str::to_owned).collect();
        Self { name: name.to_owned(), way: Way::Both, check: Check::Cargo(words) }
    }

    fn only(self, way: Way) -> Self {
        Self { way, ..self }
    }

    fn carry_out(&self, workspace: &Workspace, place: &Path) -> Result<()> {
        match &self.check {
            Check::Own(check) => check(workspace),
            Check::Cargo(words) => {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                succeed(workspace.cargo(&words).env(PLACE, place))
            }
        }
    }
}

/// Test programs that need neither the release build nor minutes.
const QUICK: [&str; 3] = ["cli", "tidy", "data_sources"];

/// Test programs whose tests mostly wait for what they have started, and take turns where they compute: `tests/live/shipped.rs`.
const WAITING: [&str; 2] = ["attach", "live"];
const AT_ONCE: &str = "-- --test-threads=8";

struct Outcome {
    name: String,
    took: Duration,
    failure: Option<String>,
}

pub(crate) fn run(options: &[&str]) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    let steps = steps(&workspace)?;
    let those_of = |way| [Way::Both, way];
    let is_of = |step: &Step, way| those_of(way).contains(&step.way);
    let is_quick = options == ["--quick"];
    let chosen = match options {
        [] => steps.into_iter().filter(|step| is_of(step, Way::Full)).collect(),
        ["--quick"] => steps.into_iter().filter(|step| is_of(step, Way::Quick)).collect(),
        ["--only", name] => vec![one(steps, name)?],
        ["--list"] => {
            steps.iter().for_each(|step| println!("{}", step.name));
            return Ok(ExitCode::SUCCESS);
        }
        _ => bail!("`test` takes --quick, --list, or --only STEP; got {}", options.join(" ")),
    };
    let place = if is_quick { workspace.debug() } else { workspace.release() };
    let outcomes: Vec<Outcome> =
        chosen.iter().map(|step| carry_out(step, &workspace, &place)).collect();
    Ok(summarise(&outcomes))
}

/// Every step in its order. Each test program of the root manifest is one, so none can be forgotten.
fn steps(workspace: &Workspace) -> Result<Vec<Step>> {
    let mut steps = vec![
        Step::own("packages", |_| packages::ensure_all()),
        Step::own("build", Workspace::build_release).only(Way::Full),
        Step::cargo("debug-build", "build -p whyperf -p whyperf-probes").only(Way::Quick),
        Step::cargo("format", "fmt --all --check"),
        Step::cargo("clippy", "clippy --workspace --all-targets -- -D warnings"),
        Step::cargo("crates", "test --workspace --exclude whyperf --no-fail-fast"),
        Step::cargo("command", "test -p whyperf --bins"),
    ];
    for name in workspace.root_tests()? {
        let waits = if WAITING.contains(&&*name) { AT_ONCE } else { "" };
        let step = Step::cargo(&name, &format!("test -p whyperf --test {name} {waits}"));
        let is_quick = QUICK.contains(&&*name);
        steps.push(if is_quick { step } else { step.only(Way::Full) });
    }
    let rest = [
        Step::cargo("benches", "test -p whyperf --benches -- --test"),
        Step::own("loom", loom::models),
        Step::own("mutants", loom::mutants),
    ];
    steps.extend(rest.map(|step| step.only(Way::Full)));
    Ok(steps)
}

fn one(steps: Vec<Step>, name: &str) -> Result<Step> {
    let names: Vec<String> = steps.iter().map(|step| step.name.clone()).collect();
    steps
        .into_iter()
        .find(|step| step.name == name)
        .with_context(|| format!("no step is called `{name}`; there are: {}", names.join(", ")))
}

fn carry_out(step: &Step, workspace: &Workspace, place: &Path) -> Outcome {
    println!("\n==== {} ====", step.name);
    let start = Instant::now();
    let outcome = step.carry_out(workspace, place);
    let failure = outcome.err().map(|error| format!("{error:#}"));
    let took = start.elapsed();
    let verdict = if failure.is_none() { "ok" } else { "FAILED" };
    println!("---- {}: {verdict} in {:.1} s", step.name, took.as_secs_f64());
    Outcome { name: step.name.clone(), took, failure }
}

fn summarise(outcomes: &[Outcome]) -> ExitCode {
    println!("\n==== summary ====");
    for Outcome { name, took, failure } in outcomes {
        match failure {
            None => println!("ok      {name:<12} {:>7.1} s", took.as_secs_f64()),
            Some(why) => println!("FAILED  {name:<12} {:>7.1} s  {why}", took.as_secs_f64()),
        }
    }
    let total: Duration = outcomes.iter().map(|outcome| outcome.took).sum();
    let failed = outcomes.iter().filter(|outcome| outcome.failure.is_some()).count();
    println!("{} steps, {failed} failed, {:.1} s", outcomes.len(), total.as_secs_f64());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
