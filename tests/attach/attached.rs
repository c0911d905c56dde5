//! Runs `whyperf attach`, and keeps its output and its report.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::report::told;
use crate::shipped;

/// The outcome of one call.
#[derive(Debug)]
pub(crate) struct Attached {
    pub(crate) status: Option<i32>,
    pub(crate) said: String,
    pub(crate) report: Value,
}

/// The report that was left in a file, which goes; nothing where there was none.
fn report_in(json: &Path) -> Value {
    let text = std::fs::read_to_string(json).unwrap_or_default();
    let _ = std::fs::remove_file(json);
    serde_json::from_str(&text).unwrap_or_default()
}

impl Attached {
    /// Attaches with these words.
    pub(crate) fn with(words: &[&str]) -> Self {
        Self::by(Command::new(shipped::whyperf()), words)
    }

    /// The same by a command that calls whyperf.
    pub(crate) fn by(command: Command, words: &[&str]) -> Self {
        let (mut command, json) = Self::begun(command, words);
        let Output { status, stderr, .. } = command.output().expect("whyperf starts");
        let said = String::from_utf8_lossy(&stderr).into_owned();
        Self { status: status.code(), said, report: report_in(&json) }
    }

    /// The call, and the file that its report goes to.
    fn begun(mut command: Command, words: &[&str]) -> (Command, PathBuf) {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("attach");
        std::fs::create_dir_all(&folder).expect("the target folder can be written");
        let json = folder.join(format!("report-{}-{call}.json", std::process::id()));
        command.args(["attach", "--details", "--no-store", "--json"]).arg(&json).args(words);
        (command, json)
    }

    /// Attaches until whyperf has said all that is waited for, or the program ends.
    pub(crate) fn until(words: &[&str], is_enough: impl Fn(&str) -> bool) -> Self {
        Self::by_until(Command::new(shipped::whyperf()), words, is_enough)
    }

    /// The same by a command that becomes whyperf.
    pub(crate) fn by_until(
        command: Command,
        words: &[&str],
        is_enough: impl Fn(&str) -> bool,
    ) -> Self {
        let (mut command, json) = Self::begun(command, words);
        let mut whyperf = command.stderr(Stdio::piped()).spawn().expect("whyperf starts");
        let said = told(&mut whyperf, Duration::ZERO, is_enough);
        let status = whyperf.wait().expect("it is ours").code();
        Self { status, said, report: report_in(&json) }
    }

    /// Attaches to one process for so many seconds, which must succeed.
    pub(crate) fn to(pid: u32, seconds: &str) -> Self {
        let attached = Self::with(&["--duration", seconds, &pid.to_string()]);
        assert_eq!(attached.status, Some(0), "{}", attached.said);
        assert_eq!(attached.report["processes"], 1, "{}", attached.said);
        attached
    }

    /// Calls of a function from a function, over all processes.
    pub(crate) fn calls(&self, caller: &str, callee: &str) -> u64 {
        let rows = self.report["profile"].as_array().into_iter().flatten();
        let path = serde_json::json!([caller, callee]);
        rows.filter(|row| row["path"] == path).filter_map(|row| row["calls"].as_u64()).sum()
    }

    /// Whether something was found: a hypothesis at a focus that has these words in it.
    pub(crate) fn found(&self, hypothesis: &str, words: &[&str]) -> bool {
        let mut found = self.report["bottlenecks"].as_array().into_iter().flatten();
        found.any(|one| {
            let focus = one["focus"].as_str().unwrap_or_default();
            one["hypothesis"] == hypothesis && words.iter().all(|word| focus.contains(word))
        })
    }
}
