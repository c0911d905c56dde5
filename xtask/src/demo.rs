//! `cargo xtask demo`: a Poisson solver under whyperf, then the price of having watched it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};

use crate::packages;
use crate::workspace::{Workspace, succeed};

/// Ranks of the shown run.
const RANKS: &str = "4";
/// Grid points per side, and sweeps of the shown run and of each timed one.
const GRID: &str = "512";
const SHOWN_SWEEPS: &str = "6000";
const TIMED_SWEEPS: &str = "1500";
/// Pairs of timed runs, one with whyperf and one without, taking turns.
const REPEATS: usize = 5;

pub(crate) fn run() -> Result<ExitCode> {
    packages::ensure()?;
    let workspace = Workspace::find()?;
    workspace.build_release()?;
    let demo = Demo::prepare(&workspace)?;
    println!("\nPoisson A on {RANKS} ranks under whyperf:\n");
    demo.observed(SHOWN_SWEEPS, Stdio::inherit())?;
    println!("\nThe same program {REPEATS} times without and with whyperf, in turns:\n");
    let mut bare = Vec::new();
    let mut watched = Vec::new();
    let mut costs = Vec::new();
    for _ in 0..REPEATS {
        bare.push(demo.bare(TIMED_SWEEPS)?);
        watched.push(demo.observed(TIMED_SWEEPS, Stdio::null())?);
        costs.push(demo.reported_cost()?);
    }
    print_comparison(&Spread::of(bare), &Spread::of(watched), &Spread::of(costs));
    Ok(ExitCode::SUCCESS)
}

/// What the runs need: the program, the command, and where the report goes.
struct Demo {
    whyperf: PathBuf,
    program: PathBuf,
    report: PathBuf,
}

impl Demo {
    fn prepare(workspace: &Workspace) -> Result<Self> {
        let folder = workspace.target.join("demo");
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        build_program(workspace, &folder)?;
        let program = folder.join("poisson_a");
        ensure!(program.is_file(), "the build of the demo left no {}", program.display());
        let report = folder.join("report.json");
        Ok(Self { whyperf: workspace.release().join("whyperf"), program, report })
    }

    /// One run under whyperf; its own words go to `words`. Seconds.
    fn observed(&self, sweeps: &str, words: Stdio) -> Result<f64> {
        let mut command = Command::new(&self.whyperf);
        command.args(["run", "--json"]).arg(&self.report).arg("--").arg("mpirun.openmpi");
        self.launch(command.stderr(words), sweeps)
    }

    /// One run without whyperf. Seconds.
    fn bare(&self, sweeps: &str) -> Result<f64> {
        self.launch(&mut Command::new("mpirun.openmpi"), sweeps)
    }

    fn launch(&self, launcher: &mut Command, sweeps: &str) -> Result<f64> {
        if packages::is_root() {
            launcher.arg("--allow-run-as-root");
        }
        launcher.args(["--oversubscribe", "-n", RANKS]).arg(&self.program).args([GRID, sweeps]);
        let start = Instant::now();
        succeed(launcher)?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn reported_cost(&self) -> Result<f64> {
        let text = fs::read_to_string(&self.report)
            .with_context(|| format!("reading {}", self.report.display()))?;
        mean_cost(&text).with_context(|| format!("{} states no mean cost", self.report.display()))
    }
}

fn build_program(workspace: &Workspace, folder: &Path) -> Result<()> {
    let mut make = Command::new("make");
    make.arg("-C").arg(workspace.root.join("tests/programs"));
    make.args(["--no-print-directory", "MPI=openmpi"]);
    let mut out = std::ffi::OsString::from("OUT=");
    out.push(folder);
    let target = folder.join("poisson_a");
    succeed(make.arg(out).arg(target))
}

/// Least, middle and greatest of some repeats.
struct Spread {
    least: f64,
    middle: f64,
    greatest: f64,
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let middle = values[values.len() / 2];
        Self { least: values[0], middle, greatest: values[values.len() - 1] }
    }

    /// Half the way from the least to the greatest, as a share of the middle.
    fn noise(&self) -> f64 {
        (self.greatest - self.least) / (2.0 * self.middle)
    }
}

fn print_comparison(bare: &Spread, watched: &Spread, cost: &Spread) {
    let slowdown = watched.middle / bare.middle - 1.0;
    let noise = bare.noise() + watched.noise();
    let range = |spread: &Spread| {
        format!("{:.2} s ({:.2} to {:.2})", spread.middle, spread.least, spread.greatest)
    };
    println!("without whyperf   {}", range(bare));
    println!("with whyperf      {}", range(watched));
    println!(
        "slow-down         {:+.1} %, noise of the repeats ±{:.1} %",
        100.0 * slowdown,
        100.0 * noise
    );
    println!(
        "cost it reported  {:.2} % ({:.2} to {:.2})",
        100.0 * cost.middle,
        100.0 * cost.least,
        100.0 * cost.greatest
    );
    let agrees = (slowdown - cost.middle).abs() <= noise;
    println!(
        "                  {} within the noise",
        if agrees { "they agree" } else { "they DO NOT agree" }
    );
}

/// Member `mean` of the member `cost` of a report.
fn mean_cost(report: &str) -> Option<f64> {
    let cost = report.split_once("\"cost\"")?.1.split_once('}')?.0;
    let number = cost.split_once("\"mean\"")?.1.trim_start().strip_prefix(':')?;
    number.split([',', '}']).next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Spread, mean_cost};

    #[test]
    fn the_mean_cost_is_read_from_a_report() {
        let report = r#"{"mean":9, "cost": {"limit":0.05, "mean": 0.006, "max":0.011}}"#;
        assert_eq!(mean_cost(report), Some(0.006));
        assert_eq!(mean_cost(r#"{"cost":{"max":1}}"#), None);
    }

    #[test]
    fn a_spread_orders_its_values() {
        let spread = Spread::of(vec![3.0, 1.0, 2.0]);
        assert!(spread.least < spread.middle && spread.middle < spread.greatest);
        assert!((spread.noise() - 0.5).abs() < 1e-12);
    }
}
