//! What `whyperf attach` did and said.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use crate::shipped;

/// The outcome of one call.
#[derive(Debug)]
pub(crate) struct Attached {
    pub(crate) status: Option<i32>,
    pub(crate) said: String,
    pub(crate) report: Value,
}

impl Attached {
    /// Attaches with these words.
    pub(crate) fn with(words: &[&str]) -> Self {
        Self::by(Command::new(shipped::whyperf()), words)
    }

    /// The same by a command that calls whyperf.
    pub(crate) fn by(mut command: Command, words: &[&str]) -> Self {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("attach");
        std::fs::create_dir_all(&folder).expect("the target folder can be written");
        let json = folder.join(format!("report-{}-{call}.json", std::process::id()));
        command.args(["attach", "--no-store", "--json"]).arg(&json).args(words);
        let Output { status, stderr, .. } = command.output().expect("whyperf starts");
        let text = std::fs::read_to_string(&json).unwrap_or_default();
        let _ = std::fs::remove_file(&json);
        Self {
            status: status.code(),
            said: String::from_utf8_lossy(&stderr).into_owned(),
            report: serde_json::from_str(&text).unwrap_or_default(),
        }
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
