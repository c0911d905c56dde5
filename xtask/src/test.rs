//! `cargo xtask test`: every check of the project, step by step, with all failures shown and a summary last.
//!
//! A release build leaves processors free while it links, and some test programs mostly wait for what they have started.
//! Both run beside steps that compute, and when they are over the next of these begins in their place:
//!
//! ```text
//!   ─┬─ packages ─ format ─ page ─ compile ─┬─ crates ─ attach ─ ... ───┬─ summary
//!    └─ build ──────────────────────────────┴─ live ─ ... ─ mutants ────┘
//! ```
//! The build needs no more than what this program was built by.
//! Tests are compiled by the compiler with lints, so that no code is read twice; where an edit is tried, by the one whose build is there.

use std::fs::{self, File};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{iter, thread};

use anyhow::{Context as _, Result, bail};

use crate::api;
use crate::loom;
use crate::package;
use crate::packages;
use crate::page;
use crate::python;
use crate::workspace::{PLACE, RELEASE_BUILD, Workspace, succeed};

/// What a step does.
enum StepAction {
    /// A function of this program.
    Own(fn(&Workspace) -> Result<()>),
    /// A cargo call, told where the build under test lies.
    Cargo(Vec<String>),
}

/// Which of the two ways of checking a step belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TestExtent {
    Both,
    /// All there is, on the release build: promises are checked on what is shipped.
    Full,
    /// What an edit is tried with, on the debug build.
    Quick,
}

/// When a step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepTurn {
    /// Before all others but the build, which need what it makes.
    First,
    /// One after the other; needs no release build.
    Reading,
    /// Beside those that read.
    Building,
    /// One after the other, when the build is there.
    Computing,
    /// Beside those that compute.
    Beside,
}

/// One check.
struct TestStep {
    name: String,
    way: TestExtent,
    turn: StepTurn,
    check: StepAction,
}

impl TestStep {
    fn own(name: &str, check: fn(&Workspace) -> Result<()>) -> Self {
        Self {
            name: name.to_owned(),
            way: TestExtent::Both,
            turn: StepTurn::Computing,
            check: StepAction::Own(check),
        }
    }

    fn cargo(name: &str, words: &str) -> Self {
        let words = words.split_whitespace().map(str::to_owned).collect();
        Self {
            name: name.to_owned(),
            way: TestExtent::Both,
            turn: StepTurn::Computing,
            check: StepAction::Cargo(words),
        }
    }

    fn only(self, way: TestExtent) -> Self {
        Self { way, ..self }
    }

    fn at(self, turn: StepTurn) -> Self {
        Self { turn, ..self }
    }

    /// Carries it out, with what it prints in the file if there is one.
    fn carry_out(&self, workspace: &Workspace, place: &Path, output: Option<File>) -> Result<()> {
        match &self.check {
            StepAction::Own(check) => check(workspace),
            StepAction::Cargo(words) => {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let mut cargo = workspace.cargo(&words);
                if words[0] == "test" && place == workspace.release() {
                    cargo.envs(LINTING);
                }
                if let Some(output) = output {
                    cargo.stdout(output.try_clone().context("for what a step prints")?);
                    cargo.stderr(output);
                }
                succeed(cargo.env(PLACE, place))
            }
        }
    }
}

/// The compiler with lints, for all tests that are built for the release build.
const LINTING: [(&str, &str); 2] = [
    ("RUSTC_WORKSPACE_WRAPPER", "clippy-driver"),
    ("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"),
];

/// Lints of all there is: a test program that runs by its name alone is no default.
const LINTS: &str = "clippy --workspace --lib --bins --tests --benches --test * -- -D warnings";

/// The tests in all crates. Each selection of packages with features of its own would be another build of most of them.
const CRATES: &str = "test --workspace";

/// Test programs of the root manifest, without a debug build of the command.
const PROGRAMS: &str = "test -p whyperf --no-default-features";

/// Test programs that need neither the release build nor minutes.
const QUICK: [&str; 3] = ["cli", "tidy", "data_sources"];

/// Test programs whose tests mostly wait for what they have started, and take turns where they compute: `tests/live/shipped.rs`.
const WAITING: [&str; 2] = ["attach", "live"];
/// The one of them that takes longest, and begins first.
const LONGEST: &str = "live";
const AT_ONCE: &str = "-- --test-threads=8";

struct Outcome {
    name: String,
    took: Duration,
    failure: Option<String>,
}

pub(crate) fn run(options: &[&str]) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    let steps = steps(&workspace)?;
    let those_of = |way| [TestExtent::Both, way];
    let is_of = |step: &TestStep, way| those_of(way).contains(&step.way);
    let is_quick = options == ["--quick"];
    let chosen = match options {
        [] => steps.into_iter().filter(|step| is_of(step, TestExtent::Full)).collect(),
        ["--quick"] => steps.into_iter().filter(|step| is_of(step, TestExtent::Quick)).collect(),
        ["--only", name] => vec![one(steps, name)?],
        ["--list"] => {
            steps.iter().for_each(|step| println!("{}", step.name));
            return Ok(ExitCode::SUCCESS);
        }
        _ => bail!("`test` takes --quick, --list, or --only STEP; got {}", options.join(" ")),
    };
    let place = if is_quick { workspace.debug() } else { workspace.release() };
    let start = Instant::now();
    let outcomes = carry_out_all(&chosen, &workspace, &place)?;
    Ok(summarise(&outcomes, start.elapsed()))
}

fn carry_out_all(steps: &[TestStep], workspace: &Workspace, place: &Path) -> Result<Vec<Outcome>> {
    if let [only] = steps {
        return Ok(vec![carry_out(only, workspace, place)]);
    }
    let of = |turn| steps.iter().filter(move |step| step.turn == turn);
    let in_order = |turn| of(turn).map(|step| carry_out(step, workspace, place)).collect();
    let side_by_side = |before: &dyn Fn() -> Vec<Outcome>, turn, beside| -> Result<Vec<Outcome>> {
        let queue = Mutex::new(of(turn));
        // None of them begins until what they need is there.
        let held = queue.lock().unwrap_or_else(PoisonError::into_inner);
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let (mut outcomes, others) = thread::scope(|scope| {
            let others = scope.spawn(|| -> Result<Vec<Outcome>> {
                let all = of(beside).chain(iter::from_fn(next));
                all.map(|step| carry_out_beside(step, workspace, place)).collect()
            });
            let mut outcomes = before();
            drop(held);
            outcomes.extend(iter::from_fn(next).map(|step| carry_out(step, workspace, place)));
            (outcomes, others.join())
        });
        outcomes.extend(others.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        Ok(outcomes)
    };
    let first = || in_order(StepTurn::First);
    let mut outcomes = side_by_side(&first, StepTurn::Reading, StepTurn::Building)?;
    outcomes.extend(side_by_side(&Vec::new, StepTurn::Computing, StepTurn::Beside)?);
    Ok(outcomes)
}

/// Every step in its order. Each test program of the root manifest is one, so none can be forgotten.
fn steps(workspace: &Workspace) -> Result<Vec<TestStep>> {
    let mut steps = vec![
        TestStep::own("packages", |_| packages::ensure_all()).at(StepTurn::First),
        TestStep::cargo("build", RELEASE_BUILD).only(TestExtent::Full).at(StepTurn::Building),
        TestStep::cargo("debug-build", "build -p whyperf -p whyperf-probes")
            .only(TestExtent::Quick)
            .at(StepTurn::First),
        TestStep::cargo("format", "fmt --all --check").at(StepTurn::Reading),
        TestStep::own("page", page::check).at(StepTurn::Reading),
        TestStep::cargo("clippy", LINTS).only(TestExtent::Quick).at(StepTurn::Reading),
        TestStep::cargo("compile", &format!("{CRATES} --no-run")).at(StepTurn::Reading),
        TestStep::cargo("crates", &format!("{CRATES} --no-fail-fast")),
    ];
    for name in workspace.root_tests()? {
        let waits = if WAITING.contains(&&*name) { AT_ONCE } else { "" };
        let turn = if name == LONGEST { StepTurn::Beside } else { StepTurn::Computing };
        let step = TestStep::cargo(&name, &format!("{PROGRAMS} --test {name} {waits}")).at(turn);
        let is_quick = QUICK.contains(&&*name);
        steps.push(if is_quick { step } else { step.only(TestExtent::Full) });
    }
    let rest = [
        TestStep::own("browser", page::browser),
        TestStep::own("package", package::check),
        TestStep::own("api", api::check),
        TestStep::own("python", python::check),
        TestStep::cargo("benches", &format!("{PROGRAMS} --benches -- --test")),
        TestStep::cargo("crate-benches", &format!("{CRATES} --exclude whyperf --bench * --no-run")),
        TestStep::own("loom", loom::models),
        TestStep::own("mutants", loom::mutants),
    ];
    steps.extend(rest.map(|step| step.only(TestExtent::Full)));
    Ok(steps)
}

fn one(steps: Vec<TestStep>, name: &str) -> Result<TestStep> {
    let names: Vec<String> = steps.iter().map(|step| step.name.clone()).collect();
    steps
        .into_iter()
        .find(|step| step.name == name)
        .with_context(|| format!("no step is called `{name}`; there are: {}", names.join(", ")))
}

fn carry_out(step: &TestStep, workspace: &Workspace, place: &Path) -> Outcome {
    println!("\n==== {} ====", step.name);
    let outcome = timed(step, workspace, place, None);
    println!("{}", outcome.verdict());
    outcome
}

/// The same beside other steps: shows in one piece what it printed, when it is over.
fn carry_out_beside(step: &TestStep, workspace: &Workspace, place: &Path) -> Result<Outcome> {
    let path = workspace.target.join(format!("{}.log", step.name));
    let name = path.display();
    println!("---- {} runs beside, and prints into {name}", step.name);
    let file = File::create(&path).with_context(|| format!("making {name}"))?;
    let outcome = timed(step, workspace, place, Some(file));
    let printed = fs::read(&path).with_context(|| format!("reading {name}"))?;
    let printed = String::from_utf8_lossy(&printed);
    println!("\n==== {} ====\n{printed}\n{}", step.name, outcome.verdict());
    Ok(outcome)
}

fn timed(step: &TestStep, workspace: &Workspace, place: &Path, output: Option<File>) -> Outcome {
    let start = Instant::now();
    let outcome = step.carry_out(workspace, place, output);
    let failure = outcome.err().map(|error| format!("{error:#}"));
    Outcome { name: step.name.clone(), took: start.elapsed(), failure }
}

impl Outcome {
    fn verdict(&self) -> String {
        let verdict = if self.failure.is_none() { "ok" } else { "FAILED" };
        format!("---- {}: {verdict} in {:.1} s", self.name, self.took.as_secs_f64())
    }
}

fn summarise(outcomes: &[Outcome], total: Duration) -> ExitCode {
    println!("\n==== summary ====");
    for Outcome { name, took, failure } in outcomes {
        match failure {
            None => println!("ok      {name:<12} {:>7.1} s", took.as_secs_f64()),
            Some(why) => println!("FAILED  {name:<12} {:>7.1} s  {why}", took.as_secs_f64()),
        }
    }
    let failed = outcomes.iter().filter(|outcome| outcome.failure.is_some()).count();
    println!("{} steps, {failed} failed, {:.1} s", outcomes.len(), total.as_secs_f64());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
