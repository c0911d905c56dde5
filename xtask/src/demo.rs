//! `cargo xtask demo`: a Poisson solver under whyperf, its report for a browser, then the price of having watched it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::packages;
use crate::spread::Spread;
use crate::workspace::{Workspace, succeed};

/// Ranks of each run.
const RANKS: &str = "4";
/// Grid points per side.
const GRID: &str = "600";
/// How long a run must take to tell this machine's speed.
const TRIAL_SECONDS: f64 = 2.0;
/// How long the run that is shown, and each that is timed, should take.
const SHOWN_SECONDS: f64 = 12.0;
const TIMED_SECONDS: f64 = 4.0;
/// Pairs of timed runs, one without and one with whyperf, taking turns.
const REPEATS: usize = 5;

pub(crate) fn run(page: DemoPage) -> Result<ExitCode> {
    packages::ensure_demo()?;
    let workspace = Workspace::find()?;
    workspace.build_release()?;
    let demo = Demo::prepare(&workspace)?;
    let second = demo.iterations_per_second()?;
    println!("\nPoisson A on {RANKS} ranks under whyperf:\n");
    demo.shown(second * SHOWN_SECONDS, page)?;
    let report = demo.report_file()?;
    println!("\nThe same {REPEATS} times without and with whyperf, in turns:\n");
    let mut repeats = Repeats::default();
    for _ in 0..REPEATS {
        repeats.bare.push(demo.bare(second * TIMED_SECONDS)?);
        repeats.watched.push(demo.watched(second * TIMED_SECONDS)?);
        repeats.cost.push(demo.reported_cost()?);
    }
    repeats.print();
    println!("\nThe run that was shown, for a browser: {}", report.display());
    Ok(ExitCode::SUCCESS)
}

/// Whether the run that is shown is shown in a browser, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DemoPage {
    No,
    /// While it goes on, and until Ctrl-C.
    Served,
}

/// Whether a run's words reach the terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OutputWords {
    Shown,
    Hidden,
}

/// What the runs need: the command, the program, and where the report goes.
struct Demo {
    whyperf: PathBuf,
    program: PathBuf,
    report: PathBuf,
    store: PathBuf,
}

impl Demo {
    fn prepare(workspace: &Workspace) -> Result<Self> {
        let folder = workspace.target.join("demo");
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        let program = build_program(workspace, &folder)?;
        let report = folder.join("report.json");
        let store = folder.join("whyperf.db");
        Ok(Self { whyperf: workspace.release().join("whyperf"), program, report, store })
    }

    /// The start of the ranks is told apart from their iterations by a run that has one only.
    fn iterations_per_second(&self) -> Result<f64> {
        let start = self.bare(1.0)?;
        let mut iterations = 1000.0;
        loop {
            let took = self.bare(iterations)? - start;
            if took > TRIAL_SECONDS {
                return Ok(iterations / took);
            }
            iterations *= 2.0;
        }
    }

    /// The run that is shown.
    fn shown(&self, iterations: f64, page: DemoPage) -> Result<()> {
        let mut command = self.whyperf();
        if page == DemoPage::Served {
            command.arg("--view");
        }
        self.launch(command.args(["--", "mpirun.openmpi"]), iterations, OutputWords::Shown)
            .map(drop)
    }

    /// The newest run as one file.
    fn report_file(&self) -> Result<PathBuf> {
        let file = self.store.with_file_name("report.html");
        let mut command = Command::new(&self.whyperf);
        command.args(["report", "latest", "--store"]).arg(&self.store).arg("-o").arg(&file);
        succeed(&mut command)?;
        Ok(file)
    }

    fn whyperf(&self) -> Command {
        let mut command = Command::new(&self.whyperf);
        command.args(["run", "--json"]).arg(&self.report).arg("--store").arg(&self.store);
        command
    }

    /// One run under whyperf, of which nothing is shown. Seconds.
    fn watched(&self, iterations: f64) -> Result<f64> {
        let mut command = self.whyperf();
        self.launch(
            command.args(["--quiet", "--", "mpirun.openmpi"]),
            iterations,
            OutputWords::Hidden,
        )
    }

    /// One run without whyperf. Seconds.
    fn bare(&self, iterations: f64) -> Result<f64> {
        self.launch(&mut Command::new("mpirun.openmpi"), iterations, OutputWords::Hidden)
    }

    fn launch(&self, launcher: &mut Command, iterations: f64, words: OutputWords) -> Result<f64> {
        if packages::is_root() {
            launcher.arg("--allow-run-as-root");
        }
        launcher.args(["--oversubscribe", "-n", RANKS]).arg(&self.program);
        launcher.args([GRID, &format!("{iterations:.0}")]);
        if words == OutputWords::Hidden {
            launcher.stdout(Stdio::null());
        }
        let start = Instant::now();
        succeed(launcher)?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn reported_cost(&self) -> Result<f64> {
        let text = fs::read_to_string(&self.report)
            .with_context(|| format!("reading {}", self.report.display()))?;
        let report: Value = serde_json::from_str(&text).context("reading the report")?;
        let total = report["cost"]["total"].as_f64();
        total.with_context(|| format!("{} states no cost", self.report.display()))
    }
}

/// Builds Poisson A into a folder and says where it is.
pub(crate) fn build_program(workspace: &Workspace, folder: &Path) -> Result<PathBuf> {
    let program = folder.join("poisson_a");
    let mut out = OsString::from("OUT=");
    out.push(folder);
    let mut make = Command::new("make");
    make.arg("-C").arg(workspace.root.join("tests/programs"));
    make.args(["--no-print-directory", "MPI=openmpi"]).arg(out).arg(&program);
    succeed(&mut make)?;
    Ok(program)
}

/// Seconds without and with whyperf, and the costs it reported.
#[derive(Default)]
struct Repeats {
    bare: Vec<f64>,
    watched: Vec<f64>,
    cost: Vec<f64>,
}

impl Repeats {
    /// A run is compared with the one before it: what else the machine does then hardly differs.
    fn print(self) {
        let ratios =
            self.watched.iter().zip(&self.bare).map(|(watched, bare)| watched / bare - 1.0);
        let slowdown = Spread::of(ratios.collect());
        let [bare, watched, cost] = [self.bare, self.watched, self.cost].map(Spread::of);
        println!("without whyperf    {} s", bare.shown(1.0));
        println!("with whyperf       {} s", watched.shown(1.0));
        println!("measured slow-down {} %", slowdown.shown(100.0));
        println!("cost it reported   {} %", cost.shown(100.0));
        let verdict = if slowdown.holds(cost.middle) { "within" } else { "OUTSIDE" };
        println!("                   {verdict} the spread of the measured slow-down");
    }
}
