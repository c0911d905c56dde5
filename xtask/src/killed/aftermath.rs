//! What must hold once a job is over, whoever was killed in it.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::killed::job::Job;

/// What does not hold.
pub(crate) fn failures(job: &Job) -> Result<Vec<String>> {
    let mut failures = Vec::new();
    // Before anybody opens it to write.
    failures.extend(store(job)?);
    failures.extend(said(job.command(&job.whyperf).arg("clean"))?);
    let shm = job.folder.join("shm");
    let left = fs::read_dir(&shm).with_context(|| format!("reading {}", shm.display()))?;
    let left: Vec<_> = left.flatten().map(|entry| entry.path()).collect();
    if !left.is_empty() {
        failures.push(format!("`whyperf clean` left {left:?}"));
    }
    let mut next = job.command(&job.whyperf);
    failures.extend(said(next.args(["run", "--quiet", "--", "cat", "/dev/null"]))?);
    failures.extend(said(job.command(&job.whyperf).args(["show", "latest"]))?);
    Ok(failures)
}

/// Asks the database itself.
fn store(job: &Job) -> Result<Option<String>> {
    let path = job.folder.join("whyperf.db");
    if !path.exists() {
        return Ok(None);
    }
    let script = "import sqlite3, sys\n\
                  store = sqlite3.connect(sys.argv[1])\n\
                  print(store.execute('PRAGMA integrity_check').fetchone()[0])\n\
                  print(len(store.execute('PRAGMA foreign_key_check').fetchall()))";
    let printed = job.command("python3").args(["-c", script]).arg(&path).output();
    let printed = printed.context("running python3")?;
    let is_whole = printed.status.success() && printed.stdout == b"ok\n0\n";
    let text = || format!("the store: {}{}", text(&printed.stdout), text(&printed.stderr));
    Ok((!is_whole).then(text))
}

/// What a command said that failed.
fn said(command: &mut Command) -> Result<Option<String>> {
    let output = command.output().with_context(|| format!("running {command:?}"))?;
    let said = || format!("{command:?}: {}{}", text(&output.stdout), text(&output.stderr));
    Ok((!output.status.success()).then(said))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
