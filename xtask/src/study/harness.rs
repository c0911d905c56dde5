//! The experiment harness: builds the programs, runs them under whyperf, and keeps every file of the study in one folder.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use super::options::StudyOptions;
use super::trial::{self, PairText, Trial};
use super::verdict::Verdict;
use super::version::Version;
use crate::packages;
use crate::workspace::{Workspace, succeed};

/// How long Paradyn held its verdicts, and whyperf does unless told otherwise, in seconds.
pub(super) const DEFAULT_HOLD: f64 = 20.0;
/// How long a run must take to tell a program's speed, in seconds.
const TRIAL: f64 = 2.0;
/// Between two looks at what a run has found.
const LOOK: Duration = Duration::from_secs(1);

/// What is to be run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Experiment<'a> {
    /// What the table calls it.
    pub(super) name: &'a str,
    pub(super) version: Version,
    pub(super) verdict: Verdict,
    /// Seconds, where they are not whyperf's own.
    pub(super) hold: Option<f64>,
    /// How long the program runs, in seconds.
    pub(super) seconds: f64,
    /// Further words for `whyperf run`.
    pub(super) words: &'a [OsString],
    /// The run may end when these were found.
    pub(super) until: Option<&'a [PairText]>,
}

/// Everything that a run of the study needs.
#[derive(Debug)]
pub(super) struct Harness {
    pub(super) options: StudyOptions,
    whyperf: PathBuf,
    folder: PathBuf,
    /// Iterations per second of each version on this machine.
    speeds: BTreeMap<Version, f64>,
}

impl Harness {
    /// Builds the programs and measures how fast they are.
    pub(super) fn prepare(workspace: &Workspace, options: StudyOptions) -> Result<Self> {
        let folder = workspace.target.join("study");
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("emptying {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        build_programs(workspace, &folder)?;
        let whyperf = workspace.release().join("whyperf");
        let mut harness = Self { options, whyperf, folder, speeds: BTreeMap::new() };
        for version in Version::ALL {
            let speed = harness.measured_speed(version)?;
            println!("version {}: {speed:.0} iterations per second", version.letter());
            harness.speeds.insert(version, speed);
        }
        Ok(harness)
    }

    /// A file that is kept beside the runs.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Runs an experiment and keeps it in a store.
    pub(super) fn run(&self, experiment: &Experiment<'_>, store: &Path) -> Result<Trial> {
        let report = self.file("report.json");
        let noise = self.file("said.txt");
        let begin = Instant::now();
        let mut child = self
            .command(experiment, store, &report)
            .stdout(Stdio::null())
            .stderr(File::create(&noise).with_context(|| format!("writing {}", noise.display()))?)
            .spawn()
            .context("running whyperf")?;
        let was_ended = match experiment.until {
            Some(pairs) => {
                let half = begin + Duration::from_secs_f64(experiment.seconds / 2.0);
                self.end_when_found(&mut child, store, (pairs, half))?
            }
            None => false,
        };
        let status = child.wait().context("waiting for whyperf")?;
        let said = || fs::read_to_string(&noise).unwrap_or_default();
        ensure!(was_ended || status.success(), "whyperf ended with {status}:\n{}", said());
        let show = |part: &str| self.answer(&["show", "latest", part, "--json"], store);
        let text = fs::read_to_string(&report).context("reading the report")?;
        let trial = Trial::read(&show("--search")?, &show("--resources")?, &text)?;
        println!(
            "{:>6.1} s  {:<10} {}  {:<32} {:>3} true of {:>3} tested",
            begin.elapsed().as_secs_f64(),
            experiment.verdict.name(),
            experiment.version.letter(),
            experiment.name,
            trial.holding().count(),
            trial.tested(),
        );
        if let Some((pair, seconds)) = experiment.until.and_then(|of| trial.last(of)) {
            // What is near its threshold takes long.
            let margin = trial.answers.get(pair).map(|answer| answer.margin);
            let margin = margin.map_or_else(String::new, |it| format!(", {it:.2} times its bar"));
            println!("          last after {seconds:.1} s: {pair}{margin}");
        }
        Ok(trial)
    }

    /// What a verb prints about a store.
    pub(super) fn answer(&self, words: &[&str], store: &Path) -> Result<String> {
        let mut command = Command::new(&self.whyperf);
        command.args(words);
        if !store.as_os_str().is_empty() {
            command.arg("--store").arg(store);
        }
        let output = command.output().context("running whyperf")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("`whyperf {}` failed:\n{said}", words.join(" "));
        }
        String::from_utf8(output.stdout).context("whyperf printed no text")
    }

    fn command(&self, experiment: &Experiment<'_>, store: &Path, report: &Path) -> Command {
        let Experiment { version, verdict, .. } = experiment;
        let mut command = Command::new(&self.whyperf);
        command.args(["run", "--code-search", "callgraph", "--experiment", "sc99", "--quiet"]);
        command.args(["--verdict", verdict.name(), "--order", verdict.order()]);
        // What the command line says wins over what a run taught.
        if let Some(hold) = experiment.hold {
            command.args(["--hold", &hold.to_string()]);
        }
        command.args(["--application", &application(*version, *verdict)]);
        command.args(["--trial", experiment.name]);
        command.arg("--store").arg(store).arg("--json").arg(report).args(experiment.words);
        command.args(["--", "mpirun.openmpi"]);
        let iterations = self.speeds[version] * experiment.seconds;
        self.add_program(&mut command, *version, iterations);
        command
    }

    fn add_program(&self, launcher: &mut Command, version: Version, iterations: f64) {
        if packages::is_root() {
            launcher.arg("--allow-run-as-root");
        }
        launcher.args(["--oversubscribe", "-n", &version.ranks().to_string()]);
        launcher.arg(self.folder.join("poisson/c").join(version.program()));
        launcher.arg(self.options.grid.to_string()).arg(format!("{:.0}", iterations.max(1.0)));
    }

    /// Ends a run early once the store holds every expected pair. After half of the run's time, a pair that the search denied counts as held, too.
    /// The store is some seconds behind the search.
    fn end_when_found(
        &self,
        child: &mut Child,
        store: &Path,
        (pairs, half): (&[PairText], Instant),
    ) -> Result<bool> {
        while child.try_wait().context("waiting for whyperf")?.is_none() {
            thread::sleep(LOOK);
            // There is no store before the first writing.
            let words = ["show", "latest", "--search", "--json"];
            let Ok(search) = self.answer(&words, store) else { continue };
            let answers = trial::answers(&search, 0.0)?;
            let may_deny = Instant::now() >= half;
            let is_done = |pair: &PairText| {
                let is_denied = || answers.get(pair).is_some_and(|one| one.is_denied);
                trial::found(&answers, pair).is_some() || (may_deny && is_denied())
            };
            if pairs.iter().all(is_done) {
                // whyperf passes it on to the launcher, and reports when that has ended.
                let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The start of the ranks is told apart from their iterations by a run that has one only.
    fn measured_speed(&self, version: Version) -> Result<f64> {
        let start = self.bare(version, 1.0)?;
        let mut iterations = 250.0;
        loop {
            let took = self.bare(version, iterations)? - start;
            if took > TRIAL {
                return Ok(iterations / took);
            }
            iterations *= 2.0;
        }
    }

    /// Seconds of a run without whyperf.
    fn bare(&self, version: Version, iterations: f64) -> Result<f64> {
        let mut launcher = Command::new("mpirun.openmpi");
        self.add_program(&mut launcher, version, iterations);
        launcher.stdout(Stdio::null());
        let begin = Instant::now();
        succeed(&mut launcher)?;
        Ok(begin.elapsed().as_secs_f64())
    }
}

/// Runs of other programs and of the other verdict are not learned from.
fn application(version: Version, verdict: Verdict) -> String {
    format!("poisson-{}-{}", version.letter(), verdict.name())
}

fn build_programs(workspace: &Workspace, folder: &Path) -> Result<()> {
    let mut out = OsString::from("OUT=");
    out.push(folder);
    let mut make = Command::new("make");
    make.arg("-C").arg(workspace.root.join("tests/programs"));
    make.args(["--no-print-directory", "MPI=openmpi"]).arg(out);
    for program in ["oned", "onednb", "twod"] {
        make.arg(folder.join("poisson/c").join(program));
    }
    succeed(make.stdout(Stdio::null()))
}
