//! Runs a program under the command and reads the report it writes.

use crate::shipped;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// A finished run: what the program printed, what whyperf said, the report.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) status: Option<i32>,
    pub(crate) report: Value,
}

/// Whether a hypothesis is true of any program when enough else runs on the machine.
pub(crate) fn is_by_other_work(hypothesis: &str) -> bool {
    let by_other_work = [
        "WaitingForProcessors",
        "WaitsCausedByProcessors",
        "PollingWhileOthersWait",
        "TooManyThreads",
        "OtherPrograms",
        "PinnedTogether",
        "StolenByHost",
    ];
    by_other_work.contains(&hypothesis)
}

/// A conclusion of the report.
#[derive(Clone, Debug)]
pub(crate) struct Bottleneck {
    pub(crate) hypothesis: String,
    pub(crate) focus: String,
    pub(crate) value: f64,
    /// Of 100 such estimates 95 are off by no more; 0 for what was counted.
    pub(crate) plus_minus: f64,
    pub(crate) found: f64,
    pub(crate) leaf: bool,
}

/// Runs `words` under `whyperf run` with a report in JSON.
pub(crate) fn run(words: &[String]) -> Run {
    run_with(&[], words)
}

/// The same with options.
pub(crate) fn run_with(options: &[&str], words: &[String]) -> Run {
    run_by(bounded(&shipped::whyperf()), options, words)
}

/// The same by a command that runs whyperf in its own way.
pub(crate) fn run_by(mut command: Command, options: &[&str], words: &[String]) -> Run {
    let folder = scratch();
    let json = folder.join("report.json");
    let output = command
        .args(["run", "--details", "--json"])
        .arg(&json)
        .args(options)
        .arg("--")
        .args(words)
        .current_dir(&folder)
        .output()
        .expect("the command was built");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = std::fs::read_to_string(&json)
        .unwrap_or_else(|error| panic!("no report of {words:?}: {error}\n{stderr}"));
    let report = serde_json::from_str(&text).expect("a report is JSON");
    std::fs::remove_dir_all(&folder).expect("the scratch folder is ours");
    Run {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr,
        status: output.status.code(),
        report,
    }
}

/// Runs `words`, which would go on for long, until whyperf has said all that is waited for, or the program ends by itself: how fast the
/// machine is decides how long it takes, and nothing else. It goes on for a `further` time, in which what is false may be said. `is_enough` is asked with all that was said so far whenever a line comes.
pub(crate) fn run_until(
    options: &[&str],
    words: &[String],
    further: Duration,
    is_enough: impl Fn(&str) -> bool,
) -> Run {
    run_below_until(None, options, words, further, is_enough)
}

/// The same with whyperf run by this command, which becomes it.
pub(crate) fn run_below_until(
    above: Option<&str>,
    options: &[&str],
    words: &[String],
    further: Duration,
    is_enough: impl Fn(&str) -> bool,
) -> Run {
    let folder = scratch();
    let json = folder.join("report.json");
    // In the foreground it sends a signal to whyperf alone, which passes it on.
    let mut command = Command::new("timeout");
    command.args(["--foreground", "--kill-after=10", "900"]).args(above).arg(shipped::whyperf());
    command.args(["run", "--details", "--json"]).arg(&json).args(options).arg("--").args(words);
    command.current_dir(&folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut whyperf = command.spawn().expect("`timeout` is part of every system");
    let printed = whyperf.stdout.take().expect("it was piped");
    let printed = thread::spawn(move || text_of(printed));
    let stderr = told(&mut whyperf, further, is_enough);
    let status = whyperf.wait().expect("it is ours").code();
    let stdout = printed.join().expect("reading does not panic");
    let text = std::fs::read_to_string(&json)
        .unwrap_or_else(|error| panic!("no report of {words:?}: {error}\n{stderr}"));
    let report = serde_json::from_str(&text).expect("a report is JSON");
    std::fs::remove_dir_all(&folder).expect("the scratch folder is ours");
    Run { stdout, stderr, status, report }
}

/// All that whyperf says; once it is enough, it is asked to end.
pub(crate) fn told(
    whyperf: &mut Child,
    further: Duration,
    is_enough: impl Fn(&str) -> bool,
) -> String {
    let mut lines = BufReader::new(whyperf.stderr.take().expect("it was piped"));
    let pid = Pid::from_child(whyperf);
    let (mut said, mut is_asked) = (Vec::new(), false);
    while lines.read_until(b'\n', &mut said).expect("the pipe is there") > 0 {
        if !is_asked && is_enough(&String::from_utf8_lossy(&said)) {
            thread::sleep(further);
            kill_process(pid, Signal::TERM).expect("it is ours, and not waited for");
            is_asked = true;
        }
    }
    String::from_utf8_lossy(&said).into_owned()
}

fn text_of(mut source: impl Read) -> String {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).expect("the pipe is there");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether whyperf said in so many words that something holds: a hypothesis, at a focus with these words in it.
pub(crate) fn is_concluded(said: &str, hypothesis: &str, words: &[&str]) -> bool {
    let lines = said.lines().filter(|line| line.starts_with("whyperf "));
    let mut conclusions = lines.filter_map(|line| line.split_once('<'));
    conclusions.any(|(head, focus)| {
        head.contains(&format!(" {hypothesis} ")) && words.iter().all(|word| focus.contains(word))
    })
}

/// A command that is ended when it should have ended long before, so that a hang is a failure.
pub(crate) fn bounded(program: &Path) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", "900"]).arg(program);
    command
}

impl Run {
    /// All conclusions, the leading one first.
    pub(crate) fn bottlenecks(&self) -> Vec<Bottleneck> {
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        self.list("bottlenecks")
            .iter()
            .map(|one| Bottleneck {
                hypothesis: text(&one["hypothesis"]),
                focus: text(&one["focus"]),
                value: one["value"].as_f64().expect("a number"),
                plus_minus: one["plus_minus"].as_f64().unwrap_or(0.0),
                found: one["found_s"].as_f64().expect("a time"),
                leaf: one["leaf"].as_bool().expect("a flag"),
            })
            .collect()
    }

    /// Those of one hypothesis: beside other work others may be true at the same place.
    pub(crate) fn bottlenecks_of(&self, hypothesis: &str) -> Vec<Bottleneck> {
        self.bottlenecks().into_iter().filter(|one| one.hypothesis == hypothesis).collect()
    }

    /// One of the report's lists.
    pub(crate) fn list(&self, name: &str) -> &[Value] {
        self.report[name].as_array().unwrap_or_else(|| panic!("{name} is a list"))
    }

    /// What is summed over all profile rows that end in this region.
    pub(crate) fn total(&self, region: &str, what: &str) -> u64 {
        let ends = |row: &&Value| {
            row["path"].as_array().and_then(|path| path.last()).is_some_and(|last| last == region)
        };
        let rows = self.list("profile").iter().filter(ends);
        rows.map(|row| row[what].as_u64().unwrap_or(0)).sum()
    }

    /// The conclusions as lines, for a failing test to show.
    pub(crate) fn shown(&self) -> String {
        let lines = self.bottlenecks().into_iter();
        let lines = lines.map(|b| format!("{} {} {:.1}s", b.hypothesis, b.focus, b.found));
        let (ran, found) = (&self.report["command"], lines.collect::<Vec<_>>().join("\n"));
        let Self { status, stdout, stderr, .. } = self;
        format!(
            "ran {ran}, status {status:?}, found:\n{found}\nit printed:\n{stdout}\nsaid:\n{stderr}"
        )
    }
}

/// A new empty folder, so that runs side by side do not meet.
pub(crate) fn scratch() -> std::path::PathBuf {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("whyperf-live-{}-{count}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    folder
}
