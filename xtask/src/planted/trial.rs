//! One pair of experiments, and what a comparison names first.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::workspace::{Workspace, succeed};

/// What differs between the two builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Planted {
    /// Nothing.
    None,
    /// A copy of the block in the exchange.
    Copy,
    /// A barrier before the exchange.
    Barrier,
    /// Blocking calls in the place of those that do not block.
    Blocking,
    /// A fifth more work of the last rank.
    Work,
}

impl Planted {
    pub(super) const ALL: [Self; 5] =
        [Self::None, Self::Copy, Self::Barrier, Self::Blocking, Self::Work];

    pub(super) fn of(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|one| one.name() == name);
        known.with_context(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("nothing is planted that is called `{name}`: there are {names}")
        })
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Copy => "copy",
            Self::Barrier => "barrier",
            Self::Blocking => "blocking",
            Self::Work => "work",
        }
    }

    /// Whether that is what a comparison has to name first.
    pub(super) fn is_named(self, first: &FirstDifference) -> bool {
        let FirstDifference { metric, focus } = first;
        let requests = ["sync_ops", "msgs"].contains(&metric.as_str());
        let in_exchange = focus.contains("/Code/planted.c/exchng1");
        match self {
            Self::None => metric.is_empty(),
            Self::Copy => metric == "cpu" && in_exchange,
            Self::Barrier => requests && focus.contains("/SyncObject/Barrier"),
            Self::Blocking => requests && in_exchange,
            // That the rank computes more, or what it does more often.
            Self::Work => {
                let is_sweep = metric == "calls" && focus.contains("/Code/sweep.c/sweep");
                (metric == "cpu" || is_sweep) && focus.contains("/Process/3")
            }
        }
    }
}

/// What stands first in a comparison; empty where nothing differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FirstDifference {
    metric: String,
    focus: String,
}

impl fmt::Display for FirstDifference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.metric.is_empty() {
            return out.write_str("no difference");
        }
        write!(out, "{} {}", self.metric, self.focus)
    }
}

/// Grid and iterations: a block is larger than the caches, and a run takes two seconds and more, in which a search gets to functions.
const SIZE: [&str; 2] = ["900", "800"];

/// Two experiments.
pub(super) struct PlantedPair {
    pub(super) planted: Planted,
    pub(super) number: u32,
    pub(super) trials: u32,
}

/// Programs, a place for stores, and what spins beside.
pub(super) struct Stage {
    folder: PathBuf,
    whyperf: PathBuf,
    busy: Vec<Child>,
}

impl Stage {
    pub(super) fn prepare(workspace: &Workspace, busy_shells: usize) -> Result<Self> {
        let folder = workspace.target.join("planted");
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        let mut out = OsString::from("OUT=");
        out.push(&folder);
        let mut make = Command::new("make");
        make.arg("-C").arg(workspace.root.join("tests/programs"));
        make.args(["--no-print-directory", "MPI=openmpi"]).arg(out);
        for planted in Planted::ALL {
            make.arg(folder.join(format!("poisson/planted_{}", planted.name())));
        }
        succeed(make.stdout(Stdio::null()))?;
        let spin = |_| Command::new("sh").args(["-c", "while :; do :; done"]).spawn();
        let busy = (0..busy_shells)
            .map(spin)
            .collect::<Result<Vec<Child>, _>>()
            .context("starting a shell")?;
        Ok(Self { folder, whyperf: workspace.release().join("whyperf"), busy })
    }

    /// Runs the trials of a pair, and compares them.
    pub(super) fn run(&self, pair: &PlantedPair) -> Result<FirstDifference> {
        let store = self.folder.join(format!("{}-{}.db", pair.planted.name(), pair.number));
        if store.exists() {
            fs::remove_file(&store).with_context(|| format!("removing {}", store.display()))?;
        }
        for trial in 0..pair.trials {
            let mut both = [("before", Planted::None), ("after", pair.planted)];
            // What becomes slower in the course of the trials does so to both.
            if trial % 2 == 1 {
                both.reverse();
            }
            for (experiment, planted) in both {
                let program = self.folder.join(format!("poisson/planted_{}", planted.name()));
                let mut run = Command::new(&self.whyperf);
                // Functions are measured, as far as a search finds them: one that computes for a fiftieth of the time is looked into.
                run.args(["run", "-q", "--threshold", "CPUbound=2%", "--experiment", experiment]);
                run.arg("--store").arg(&store);
                run.args([
                    "--",
                    "mpirun.openmpi",
                    "--oversubscribe",
                    "--allow-run-as-root",
                    "-n",
                    "4",
                ]);
                run.arg(program).args(SIZE);
                succeed(run.stdout(Stdio::null()))?;
            }
        }
        self.compare(&store)
    }

    fn compare(&self, store: &Path) -> Result<FirstDifference> {
        let json = self.folder.join("comparison.json");
        let mut compare = Command::new(&self.whyperf);
        compare.args(["compare", "experiment:before", "experiment:after", "--json"]).arg(&json);
        succeed(compare.arg("--store").arg(store).stdout(Stdio::null()))?;
        let text = fs::read(&json).with_context(|| format!("reading {}", json.display()))?;
        let comparison: Value = serde_json::from_slice(&text).context("reading a comparison")?;
        ensure!(
            comparison["format"] == "whyperf-comparison",
            "{} is no comparison",
            json.display()
        );
        let first = &comparison["differences"][0];
        let word = |name: &str| first[name].as_str().unwrap_or_default().to_owned();
        Ok(FirstDifference { metric: word("metric"), focus: word("focus") })
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        for shell in &mut self.busy {
            let _ = shell.kill();
            let _ = shell.wait();
        }
    }
}
