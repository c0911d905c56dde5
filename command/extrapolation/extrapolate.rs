//! `whyperf extrapolate`: how programs would run on another machine, for all that a sweep sets.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::thread;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde::{Deserialize, Serialize};
use whyperf_experiments::MachineFile;
use whyperf_extrapolate::{Edit, Machine};

use crate::extrapolation::extrapolated::ExtrapolatedRun;
use crate::extrapolation::guess::guess;
use crate::extrapolation::journal::{Journal, RunKey};
use crate::extrapolation::keeping;
use crate::extrapolation::machines;
use crate::extrapolation::results::Results;
use crate::extrapolation::sweep::{Axis, Setting};
use crate::extrapolation::trace_store;
use crate::extrapolation::variants::{Basis, Variant};
use crate::output::delivery::{self, status};
use crate::output::terminal::{self, Colour, OutputStyle, Screen, plain};

/// Which traces, to which machine, with what.
#[derive(Debug, Args)]
pub(crate) struct Extrapolate {
    /// Traces: those of one name are a program on several numbers of ranks, others are variants to be compared
    #[arg(value_name = "TRACE|RUN", required_unless_present = "experiment")]
    pub(crate) traces: Vec<PathBuf>,
    /// The machine: the name of one that is shipped, or a machine file
    #[arg(long, value_name = "MACHINE", required_unless_present = "experiment")]
    pub(crate) machine: Option<String>,
    /// Vary a parameter, as in processors=1..32*2, latency=10..100+10, gap=1,5 or barrier=tree,linear; may be repeated
    #[arg(long, value_name = "NAME=VALUES")]
    pub(crate) set: Vec<String>,
    /// Take traces, machine and sweep from an experiment file; what is named here goes before it
    #[arg(long, value_name = "FILE")]
    pub(crate) experiment: Option<PathBuf>,
    /// Write traces, machine and sweep to an experiment file
    #[arg(long, value_name = "FILE")]
    pub(crate) save_experiment: Option<PathBuf>,
    /// Write the results to FILE as JSON, too
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Keep each simulated run in the store, so that show, diagnose and directives work on it
    #[arg(long)]
    pub(crate) keep: bool,
    /// The store to keep runs in
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
    #[arg(default_value = "whyperf.db")]
    pub(crate) store: PathBuf,
    /// Simulate so many runs at most
    #[arg(long, value_name = "COUNT", default_value_t = 10_000)]
    pub(crate) most_runs: usize,
    /// Note each run that is simulated in FILE, and take those that are noted there already, of the same traces and machine, as done
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Use colour always, never, or (auto) on a terminal unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto)]
    #[arg(hide_possible_values = true)]
    pub(crate) color: Colour,
}

pub(crate) const NOTES: &str = "\
Speed-up is relative to the run on one processor, or to all computing where there is none. `whyperf machine list` names machines,
docs/extrapolation.md says what is simulated.";

/// An experiment as it is kept in a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Experiment {
    traces: Vec<PathBuf>,
    machine: String,
    #[serde(default)]
    set: Vec<String>,
}

impl Experiment {
    fn of(request: &Extrapolate) -> Result<Self> {
        let mut experiment = match &request.experiment {
            Some(path) => Self::read(path)?,
            None => Self { traces: Vec::new(), machine: String::new(), set: Vec::new() },
        };
        if !request.traces.is_empty() {
            experiment.traces.clone_from(&request.traces);
        }
        if let Some(machine) = &request.machine {
            experiment.machine.clone_from(machine);
        }
        if !request.set.is_empty() {
            experiment.set.clone_from(&request.set);
        }
        Ok(experiment)
    }

    /// Files that it names are looked for beside it.
    fn read(path: &Path) -> Result<Self> {
        let name = path.display();
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        let mut experiment: Self =
            toml::from_str(&text).with_context(|| format!("{name} is no experiment file"))?;
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        for trace in &mut experiment.traces {
            *trace = folder.join(&*trace);
        }
        let machine = folder.join(&experiment.machine);
        if machine.is_file() {
            experiment.machine = machine.display().to_string();
        }
        Ok(experiment)
    }

    fn write(&self, path: &Path) -> Result<()> {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let machine = PathBuf::from(&self.machine);
        let machine = if machine.is_file() { absolute(&machine) } else { machine };
        let quoted = |text: String| format!("{text:?}");
        let traces: Vec<String> =
            self.traces.iter().map(|trace| quoted(absolute(trace).display().to_string())).collect();
        let set: Vec<String> = self.set.iter().cloned().map(quoted).collect();
        let text = format!(
            "# An experiment of `whyperf extrapolate --experiment`.\ntraces = [{}]\nmachine = {}\nset = [{}]\n",
            traces.join(", "),
            quoted(machine.display().to_string()),
            set.join(", ")
        );
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// Simulates, and prints.
pub(crate) fn extrapolate(request: &Extrapolate) -> Result<ExitCode> {
    let mut experiment = Experiment::of(request)?;
    let axes = axes(&experiment.set)?;
    let machine = machines::find(&experiment.machine)?;
    for trace in &mut experiment.traces {
        *trace = trace_store::find(&request.store, trace)?;
    }
    let variants = Variant::of(&experiment.traces)?;
    let count = Setting::count(&axes).saturating_mul(variants.len());
    if count > request.most_runs && !is_wanted(count)? {
        bail!(
            "{count} runs are more than {}: take fewer values, or say --most-runs {count}",
            request.most_runs
        );
    }
    let settings = Setting::all(&axes);
    let planned = planned(&variants, &settings)?;
    if let Some(path) = &request.save_experiment {
        experiment.write(path)?;
    }
    let mut screen = Screen::new(request.color, false);
    let mut journal = request.resume.as_deref().map(Journal::open).transpose()?;
    let runs = simulate_all(&planned, &machine, journal.as_mut(), &mut screen)?;
    if request.keep {
        keep_all(&request.store, &planned, &machine, &runs, &mut screen)?;
    }
    let has_failed = runs.iter().any(|run| !run.complaints.is_empty());
    let results = Results { machine: &machine, runs };
    if let Some(path) = &request.json {
        let text = serde_json::to_string_pretty(&results.as_json()).context("writing JSON")?;
        fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    }
    let is_printed = delivery::print(&results.text(OutputStyle::of_stdout(request.color)));
    Ok(status(is_printed && !has_failed))
}

/// Asks whoever sits at the terminal whether so many runs are meant; where nobody does, they are not.
fn is_wanted(count: usize) -> Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    terminal::put(&format!("{count} runs will be simulated. Go on? [y/N] "));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).context("reading the answer")?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Keeps what was simulated, and says how it is called.
fn keep_all(
    store: &Path,
    planned: &[PlannedRun<'_>],
    machine: &MachineFile,
    runs: &[ExtrapolatedRun],
    screen: &mut Screen,
) -> Result<()> {
    for (planned_run, run) in planned.iter().zip(runs) {
        if let Basis::Trace(trace) = planned_run.basis {
            let id = keeping::keep(store, &trace.path, &machine.machine, run)?;
            screen.say(&format!("kept {}  {} {}\n", id.short(), plain(&run.variant), run.setting));
        }
    }
    Ok(())
}

/// What is varied, each once.
pub(crate) fn axes(set: &[String]) -> Result<Vec<Axis>> {
    let mut axes: Vec<Axis> = Vec::new();
    for text in set {
        let axis: Axis =
            text.parse().map_err(anyhow::Error::msg).context(format!("--set {text}"))?;
        if axes.iter().any(|known| known.name == axis.name) {
            bail!("--set {text}: {} is set twice", axis.name);
        }
        axes.push(axis);
    }
    Ok(axes)
}

/// A run that is to be simulated.
struct PlannedRun<'p> {
    basis: Basis<'p>,
    variant: &'p str,
    setting: &'p Setting,
}

impl PlannedRun<'_> {
    /// What its result follows from, on the machine of this checksum.
    fn key(&self, machine: u32) -> RunKey {
        RunKey {
            whyperf: env!("CARGO_PKG_VERSION").to_owned(),
            machine,
            traces: self.basis.checksums(),
            variant: self.variant.to_owned(),
            set: self.setting.to_string(),
        }
    }

    fn carried_out(&self, machine: &Machine) -> Result<ExtrapolatedRun> {
        let Self { basis, variant, setting } = self;
        match basis {
            Basis::Trace(trace) => {
                let nothing = Edit::default();
                ExtrapolatedRun::simulate(&trace.path, variant, machine, setting, &nothing)
            }
            Basis::Guess { traces, processors } => {
                guess(traces, *processors, variant, machine, setting)
            }
        }
    }
}

fn planned<'p>(variants: &'p [Variant], settings: &'p [Setting]) -> Result<Vec<PlannedRun<'p>>> {
    let mut all = Vec::new();
    for variant in variants {
        for setting in settings {
            let basis = variant.basis(setting.processors())?;
            all.push(PlannedRun { basis, variant: &variant.name, setting });
        }
    }
    Ok(all)
}

/// The runs by where they stand in the plan; several at once where there are processors.
fn simulate_all(
    planned: &[PlannedRun<'_>],
    machine: &MachineFile,
    mut journal: Option<&mut Journal>,
    screen: &mut Screen,
) -> Result<Vec<ExtrapolatedRun>> {
    let (mut known, mut left) = (Vec::new(), Vec::new());
    let checksum = machine.checksum();
    for (at, run) in planned.iter().enumerate() {
        let key = run.key(checksum);
        match journal.as_mut().and_then(|journal| journal.known(&key, run.setting)) {
            Some(run) => known.push((at, Ok(run))),
            None => left.push((at, run, key)),
        }
    }
    let workers = thread::available_parallelism().map_or(1, usize::from).min(left.len());
    let next = Mutex::new(left.into_iter());
    let done = Mutex::new((known, screen, journal));
    let work = || {
        loop {
            let taken = next.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((at, planned_run, key)) = taken else { return };
            let run = planned_run.carried_out(&machine.machine);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            let (runs, screen, journal) = &mut *done;
            let noted = run.and_then(|run| {
                journal.as_mut().map_or(Ok(()), |journal| journal.note(key, &run))?;
                Ok(run)
            });
            runs.push((at, noted));
            screen.status(&format!("{} of {} runs simulated", runs.len(), planned.len()));
        }
    };
    thread::scope(|scope| {
        (1..workers).for_each(|_| {
            scope.spawn(work);
        });
        work();
    });
    let (mut runs, screen, _) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    screen.say("");
    runs.sort_by_key(|(at, _)| *at);
    runs.into_iter().map(|(_, run)| run).collect()
}
