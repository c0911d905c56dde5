//! `whyperf scale`: how well a program scales with its processes, what keeps it from that, and what will hurt with more.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use whyperf_experiments::{
    Access, ModelledTime, RunId, ScaledRuns, Scaling, ScalingSettings, Store, WorkPerRun,
};

use crate::experiments::operand::NamedOperand;
use crate::experiments::read_options::ReadOptions;
use crate::output::delivery::{self, status};
use crate::output::terminal::{self, OutputStyle, plain};
use crate::output::whole_file;

/// Which runs, and what is to be predicted.
#[derive(Debug, Args)]
pub(crate) struct Scale {
    /// Runs and experiments with different numbers of processes; those with the same number are trials
    #[arg(value_name = "RUN", required = true)]
    pub(crate) runs: Vec<NamedOperand>,
    /// What processes are added for
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Work::Same)]
    pub(crate) work: Work,
    /// For how many processes to predict; where nothing is said eight times the most that were measured
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) at: Option<u32>,
    /// Write all of it to FILE as JSON, too
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// How many callpaths to list
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
}

/// What processes are added for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Work {
    /// To do the same work sooner: strong scaling
    Same,
    /// To do more work in the same time, as much more as there are processes: weak scaling
    Grows,
}

/// Says how the runs of the request scale.
pub(crate) fn scale(request: &Scale) -> Result<ExitCode> {
    let store = Store::open(&request.reading.store, Access::Read)?;
    let mut runs: Vec<RunId> = Vec::new();
    for named in &request.runs {
        runs.extend(named.whole_runs(&store)?);
    }
    let work = match request.work {
        Work::Same => WorkPerRun::Same,
        Work::Grows => WorkPerRun::Grows,
    };
    let scaling = store.scaling(&runs, ScalingSettings { work, at: request.at })?;
    if let Some(path) = &request.json {
        let text = serde_json::to_string_pretty(&scaling).context("writing JSON")?;
        whole_file::replace(path, &(text + "\n"))
            .with_context(|| format!("writing how it scales to {}", path.display()))?;
    }
    let text = render(&scaling, request.top, request.reading.style());
    Ok(status(delivery::print(&text)))
}

fn render(scaling: &Scaling, top: usize, style: OutputStyle) -> String {
    let title = |text: &str| format!("{}\n", style.paint(text, terminal::TITLE));
    let mut text = title(match scaling.work {
        WorkPerRun::Same => "The same work by more processes",
        WorkPerRun::Grows => "More work by more processes",
    });
    text += "  processes  runs        time   spread  speed-up  efficiency  serial\n";
    text.extend(scaling.points.iter().map(point));
    if scaling.points.iter().any(|point| point.factors.is_some()) {
        text += &format!("\n{}", title("What the efficiency is made of"));
        text += "  processes  global = computation x (parallel = load balance x communication)\n";
        text.extend(scaling.points.iter().filter_map(factors));
    }
    if let Some(wall) = &scaling.wall {
        text += &format!("\n{}", title(&format!("With {} processes", scaling.at)));
        text += &format!("  the run takes {}\n", predicted(wall));
        text += &format!("  {}\n", style.paint(formula(wall), terminal::FAINT));
    }
    // What is printed as nothing does not hurt.
    let losing = scaling.callpaths.iter().filter(|one| one.loss >= 0.0005);
    let losing: Vec<&ModelledTime> = losing.collect();
    if !losing.is_empty() {
        text += &format!(
            "\n{}",
            title(&format!("What will hurt with {} processes, seconds of each", scaling.at))
        );
    }
    for one in losing.iter().take(top) {
        let name = style.paint(plain(&one.name), terminal::PLACE);
        text += &format!("  {name}\n      {}, {:.3} s lost\n", predicted(one), one.loss);
        text += &format!("      {}\n", style.paint(formula(one), terminal::FAINT));
    }
    if losing.len() > top {
        text += &format!("  {} more\n", losing.len() - top);
    }
    for note in &scaling.notes {
        text += &format!("{} {}\n", style.paint("note:", terminal::CAUTION), plain(note));
    }
    text
}

fn point(point: &ScaledRuns) -> String {
    let spread = point.spread_s.map_or_else(String::new, |spread| format!("{spread:.3} s"));
    let serial =
        point.serial_fraction.map_or_else(String::new, |part| format!("{:.1} %", part * 100.0));
    format!(
        "  {:>9}  {:>4}  {:>8.3} s  {spread:>7}  {:>8.2}  {:>8.1} %  {serial:>6}\n",
        point.processes,
        point.runs.len(),
        point.wall_s,
        point.speed_up,
        point.efficiency * 100.0
    )
}

fn factors(point: &ScaledRuns) -> Option<String> {
    let factors = point.factors?;
    let share = |part: f64| format!("{:.1} %", part * 100.0);
    Some(format!(
        "  {:>9}  {:>7}   {:>9}    {:>8}   {:>10}   {:>10}\n",
        point.processes,
        share(factors.global),
        share(factors.computation),
        share(factors.parallel),
        share(factors.load_balance),
        share(factors.communication)
    ))
}

/// What was measured last, and what is to be expected.
fn predicted(time: &ModelledTime) -> String {
    let [value, least, most] = time.predicted;
    let now = time.seconds.last().copied().unwrap_or_default();
    format!("{value:.3} s ({least:.3} to {most:.3}), now {now:.3} s")
}

fn formula(time: &ModelledTime) -> String {
    format!("{} s, off by {:.1} %", time.model, time.error * 100.0)
}

/// What `whyperf scale --help` ends with.
pub(crate) const NOTES: &str = "\
Serial is the part of the work that is not divided, after Karp and Flatt. Models are sums of two terms, each a power of the process
count times a power of its logarithm; how far they are off is what they predict wrongly for measurements that they are not fitted to.
The range in parentheses is that of all models which fit about as well.

Examples:
  for n in 1 2 4 8 16; do whyperf run -q --experiment scaling -- mpirun -n $n ./app; done
  whyperf scale experiment:scaling               speed-up, efficiency, and what will hurt with 128
  whyperf scale --at 512 experiment:scaling
  whyperf scale --work grows run-2 run-4 run-8   where the work grows with the processes";
