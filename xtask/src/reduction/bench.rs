//! Runs the program in each way, in turns.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::ReductionOptions;
use super::function_times::{FunctionTimes, told_by_program, told_by_whyperf};
use crate::workspace::{Workspace, said, succeed};

/// Where the program and its runs are.
pub(super) struct Bench {
    whyperf: PathBuf,
    folder: PathBuf,
    options: ReductionOptions,
}

/// How the program is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// By itself.
    Alone,
    /// With all of its functions measured, and the cost of that left in the times.
    AllRaw,
    /// With all of its functions measured, and the cost of that taken off.
    All,
    /// With those measured that the rule leaves.
    Reduced,
}

impl Way {
    pub(super) const ALL: [Self; 4] = [Self::Alone, Self::AllRaw, Self::All, Self::Reduced];
}

/// What came of a run.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Seconds of the parts, by the program itself.
    pub(super) own: BTreeMap<String, f64>,
    /// What whyperf says of functions.
    pub(super) told: BTreeMap<String, FunctionTimes>,
}

/// All runs, and the filter.
pub(super) struct Measured {
    pub(super) runs: BTreeMap<Way, Vec<Found>>,
    /// What the rule leaves out, one directive a line.
    pub(super) filter: String,
}

/// What TAU's viewer leaves out where nothing else is said.
pub(super) const RULE: &str = "numcalls > 100000 & usecs/call < 10";
const ROUNDS: &str = "5";
const STORE: &str = "reduction.db";
const FILTER: &str = "filter";

impl Bench {
    /// Builds the program.
    pub(super) fn prepare(workspace: &Workspace, options: ReductionOptions) -> Result<Self> {
        let folder = workspace.target.join("reduction");
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        let source = workspace.root.join("tests/programs/reduction/kth_largest.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-g", "-O2", "-fno-optimize-sibling-calls", "-o", "kth_largest"]);
        succeed(compiler.arg(source).current_dir(&folder))?;
        Ok(Self { whyperf: workspace.release().join("whyperf"), folder, options })
    }

    /// First the filter, by a run with all functions; then all ways by turns.
    pub(super) fn measure(&self) -> Result<Measured> {
        fs::write(self.folder.join("rules"), RULE).context("writing the rule")?;
        self.run(Way::All)?;
        let words = ["reduce", "latest", "--rules", "rules", "-o", FILTER, "--store", STORE];
        succeed(&mut self.command(&words))?;
        let filter = fs::read_to_string(self.folder.join(FILTER)).context("reading the filter")?;
        let mut runs: BTreeMap<Way, Vec<Found>> = BTreeMap::new();
        for number in 1..=self.options.runs {
            for way in Way::ALL {
                runs.entry(way).or_default().push(self.run(way)?);
            }
            eprintln!("run {number} of {} of each way", self.options.runs);
        }
        Ok(Measured { runs, filter })
    }

    fn run(&self, way: Way) -> Result<Found> {
        let elements = self.options.elements.to_string();
        let program = ["./kth_largest", &elements, ROUNDS];
        let _ = fs::remove_file(self.folder.join(STORE));
        // All of its functions, however much that costs.
        let mut words = vec!["run", "-q", "--store", STORE, "--no-search", "--cost-limit", "99"];
        words.extend(["--measure", "calls", "</Code/kth_largest.c>"]);
        match way {
            Way::Alone => {
                let mut command = Command::new(program[0]);
                command.args(&program[1..]).current_dir(&self.folder);
                let own = told_by_program(&said(&mut command)?)?;
                return Ok(Found { own, told: BTreeMap::new() });
            }
            Way::AllRaw => words.push("--no-compensation"),
            Way::All => {}
            Way::Reduced => words.extend(["--filter", FILTER]),
        }
        words.push("--");
        words.extend(program);
        let own = told_by_program(&said(&mut self.command(&words))?)?;
        let profile = self.folder.join("profile");
        let _ = fs::remove_dir_all(&profile);
        let export = ["export", "latest", "--store", STORE, "--format", "tau", "-o", "profile"];
        said(&mut self.command(&export))?;
        Ok(Found { own, told: told_by_whyperf(&profile)? })
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.whyperf);
        command.args(words).current_dir(&self.folder);
        command
    }
}
