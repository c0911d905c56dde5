//! The job whose parts are killed: a program under a launcher, measured in one of three ways.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use crate::demo::build_program;
use crate::killed::part::JobPart;
use crate::packages;
use crate::workspace::{Workspace, succeed};

/// A program, and where it is run and measured.
pub(crate) struct Job {
    pub(crate) whyperf: PathBuf,
    program: PathBuf,
    /// Where all processes work, and what is in it: the store, the run directories, what is printed.
    pub(crate) folder: PathBuf,
    /// What the program prints.
    pub(crate) right: String,
    length: Duration,
}

impl Job {
    /// Builds the program and runs it alone.
    pub(crate) fn prepare(workspace: &Workspace, place: &Path) -> Result<Self> {
        let program = build_program(workspace, place)?;
        let folder = place.join("work");
        fs::create_dir_all(folder.join("shm")).context("making a folder")?;
        let folder = folder.canonicalize().context("the folder was made")?;
        let whyperf = workspace.release().join("whyperf");
        let mut job =
            Self { whyperf, program, folder, right: String::new(), length: Duration::ZERO };
        let begin = Instant::now();
        let mut alone = job.command("mpirun.openmpi");
        job.launched(&mut alone);
        succeed(job.with_program(&mut alone).stdout(job.output()?))?;
        job.length = begin.elapsed();
        job.right = job.printed()?;
        ensure!(job.right.contains("difference"), "the program printed {:?}", job.right);
        Ok(job)
    }

    pub(crate) fn length_ms(&self) -> u64 {
        u64::try_from(self.length.as_millis()).unwrap_or(u64::MAX).max(1)
    }

    /// A command that works in the folder, with all that whyperf makes in it.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).env("WHYPERF_SHM_DIR", self.folder.join("shm"));
        command.env("WHYPERF_STORE", self.folder.join("whyperf.db"));
        command
    }

    fn launched<'c>(&self, launcher: &'c mut Command) -> &'c mut Command {
        if packages::is_root() {
            launcher.arg("--allow-run-as-root");
        }
        launcher.args(["--oversubscribe", "-n", "2"])
    }

    fn with_program<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.arg(&self.program).args(["200", ITERATIONS])
    }

    /// Starts it so that there is such a part; answers what was started.
    pub(crate) fn start(&self, part: JobPart) -> Result<Vec<Child>> {
        let mut launcher = match part {
            JobPart::Run | JobPart::Rank | JobPart::Launcher => {
                let mut command = self.command(&self.whyperf);
                command.args(["run", "--quiet", "--", "mpirun.openmpi"]);
                command
            }
            JobPart::Watcher | JobPart::Attach => self.command("mpirun.openmpi"),
        };
        self.launched(&mut launcher);
        if part == JobPart::Watcher {
            launcher.arg(&self.whyperf).args(["exec", "--quiet", "--"]);
        }
        let errors = File::create(self.folder.join("errors")).context("making a file")?;
        self.with_program(&mut launcher).stdout(self.output()?).stderr(errors);
        let mut started = vec![launcher.spawn().context("starting the job")?];
        if part == JobPart::Attach {
            // Before the ranks are there it finds none.
            while JobPart::Rank.process(&self.folder).is_none() {
                ensure!(
                    started[0].try_wait()?.is_none(),
                    "the job ended before its ranks were seen"
                );
            }
            let mut attach = self.command(&self.whyperf);
            attach.args(["attach", "--quiet", "--all-of"]).arg(started[0].id().to_string());
            started.push(attach.spawn().context("starting `whyperf attach`")?);
        }
        Ok(started)
    }

    fn output(&self) -> Result<File> {
        File::create(self.folder.join("output")).context("making a file")
    }

    /// What the program printed.
    pub(crate) fn printed(&self) -> Result<String> {
        fs::read_to_string(self.folder.join("output")).context("reading what was printed")
    }
}

/// So that a run takes about a second.
const ITERATIONS: &str = "3000";
