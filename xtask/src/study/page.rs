//! The page that a study leaves: what was run where and when, and its tables.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};

use super::harness::Harness;
use super::options::StudyOptions;
use crate::workspace::Workspace;

/// The sections so far.
#[derive(Debug)]
pub(super) struct StudyPage {
    options: StudyOptions,
    sections: Vec<String>,
}

impl StudyPage {
    pub(super) fn new(harness: &Harness) -> Self {
        Self { options: harness.options, sections: Vec::new() }
    }

    pub(super) fn add(&mut self, section: String) {
        self.sections.push(section);
    }

    /// Writes the page; one that is only to be seen working, or holds a part, does not replace what a full study left.
    pub(super) fn write(&self, workspace: &Workspace, took: Duration) -> Result<PathBuf> {
        let is_full = !self.options.quick && self.options.only.is_none();
        let folder = if is_full {
            workspace.root.join("docs/studies")
        } else {
            workspace.target.join("study")
        };
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        let path = folder.join("sc99.md");
        let text = format!("{}\n{}", self.opening(took), self.sections.join("\n"));
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        Ok(path)
    }

    fn opening(&self, took: Duration) -> String {
        let StudyOptions { runs, hold, grid, .. } = self.options;
        let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        let date = date.split('T').next().unwrap_or_default();
        format!(
            "# Historical directives: the experiments of SC99 repeated\n\n\
            Karavanic and Miller measured what a search gains from earlier runs (\"Improving Online Performance Diagnosis by the Use of Historical Performance Data\", SC99). \
            This page repeats their experiments with their Performance Consultant's way to judge (`classic`) and with ours (`sequential`). `cargo xtask study sc99` wrote it on \
            {date} in {} minutes.\n\n\
            * **Machine.** {}\n\
            * **Programs.** The Poisson solver of `tests/programs/poisson/c`, {grid} by {grid} points, Open MPI: A sends and receives in turn, B without blocking, C divides the \
            grid in both directions, D is C on eight ranks; the others run on four.\n\
            * **Search.** `whyperf run --code-search callgraph`, functions included. `classic` is `--verdict classic --order classic`, held for {hold} s but where a row says 20 s, \
            which was Paradyn's time and is the default; every step of a classic search takes that long, so times grow with it in proportion. `sequential` is the default.\n\
            * **True bottlenecks** of a version are what every base run without directives with `classic` called true at its end, with a value at least a quarter beyond the \
            threshold; nearer ones are true in one run and false in the next. A process counts where its value is more than 1.5 times that of all processes together, as in reports. Both ways to judge are to find the same. Found is what was called true at any time, by the same hypothesis at the same focus, or at a part of its code or of its objects: \
            a share of the time that a part has, the whole has too. What a run measured itself, and found on the other side of the threshold, was *not so* in that run; *lost* is what it had and did not find. Both columns show the run with most.\n\
            * **Times** count from the first communication after `MPI_Init`. Runs end when all was found, at the latest after {:.0} s (`classic`) and {:.0} s (`sequential`). \
            Each cell is the middle of {runs} runs, with the least and the greatest.\n\
            * **Directives** come from the first base run with the same verdict, thresholds excepted: those are the same in all runs.\n",
            took.as_secs().div_ceil(60),
            machine(),
            super::verdict::Verdict::Classic.patience(hold),
            super::verdict::Verdict::Sequential.patience(hold),
        )
    }
}

/// Processor, cores and kernel.
fn machine() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let information = read("/proc/cpuinfo");
    let model = information.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.unwrap_or_default().trim_start_matches([' ', '\t', ':']);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let kernel = read("/proc/sys/kernel/osrelease");
    format!("{model}, {cores} cores, Linux {}; all ranks share it.", kernel.trim())
}
