//! The runs of a sweep that were simulated already, a line of JSON each: a sweep that was interrupted goes on where it was.
//!
//! A run is known by all that its result follows from: the version of whyperf, the figures of the machine, the events of the traces, and what was
//! set. So a machine file or a trace that was changed begins anew, and what was noted before stays for when it is as it was.

use std::collections::BTreeMap;
use std::fs::{File, read_to_string};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use crate::extrapolation::extrapolated::{ExtrapolatedRun, Guess, Leading};
use crate::extrapolation::sweep::Setting;

/// A file of runs.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    known: BTreeMap<RunKey, NotedRun>,
}

/// What the result of a run follows from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct RunKey {
    /// The version that simulated it.
    pub(crate) whyperf: String,
    /// The checksum of the machine.
    pub(crate) machine: u32,
    /// Those of the traces.
    pub(crate) traces: Vec<u32>,
    pub(crate) variant: String,
    pub(crate) set: String,
}

/// What came out.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct NotedRun {
    ranks: u32,
    processors: u32,
    elapsed_s: f64,
    compute_s: f64,
    communication_s: f64,
    barrier_s: f64,
    processor_wait_s: f64,
    leading: Option<(String, String, f64)>,
    plus_minus_s: Option<f64>,
    is_complete: bool,
    complaints: Vec<String>,
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    key: RunKey,
    #[serde(flatten)]
    run: NotedRun,
}

impl Journal {
    /// Opens the file, or makes it. A last line that was not written to its end is not there.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let name = path.display();
        let text = if path.exists() {
            read_to_string(path).with_context(|| format!("cannot read {name}"))?
        } else {
            String::new()
        };
        let mut known = BTreeMap::new();
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        for (number, line) in (1..).zip(text[..whole].lines()) {
            let line: Line = serde_json::from_str(line)
                .with_context(|| format!("{name}:{number}: this is no run of a sweep"))?;
            known.insert(line.key, line.run);
        }
        let file = File::options().create(true).append(true).open(path);
        let file = file.with_context(|| format!("cannot write {name}"))?;
        file.set_len(whole as u64)?;
        Ok(Self { path: path.to_owned(), file, known })
    }

    /// A run that was simulated before.
    pub(crate) fn known(&self, key: &RunKey, setting: &Setting) -> Option<ExtrapolatedRun> {
        let run = self.known.get(key)?.clone();
        Some(ExtrapolatedRun {
            variant: key.variant.clone(),
            setting: setting.clone(),
            ranks: run.ranks,
            processors: run.processors,
            elapsed_s: run.elapsed_s,
            compute_s: run.compute_s,
            communication_s: run.communication_s,
            barrier_s: run.barrier_s,
            processor_wait_s: run.processor_wait_s,
            leading: run.leading.map(|(hypothesis, focus, share)| Leading {
                hypothesis,
                focus,
                share,
            }),
            guess: run.plus_minus_s.map(|plus_minus_s| Guess { plus_minus_s }),
            is_complete: run.is_complete,
            complaints: run.complaints,
        })
    }

    /// Notes a run.
    pub(crate) fn note(&mut self, key: RunKey, run: &ExtrapolatedRun) -> Result<()> {
        let leading = run.leading.as_ref();
        let noted = NotedRun {
            ranks: run.ranks,
            processors: run.processors,
            elapsed_s: run.elapsed_s,
            compute_s: run.compute_s,
            communication_s: run.communication_s,
            barrier_s: run.barrier_s,
            processor_wait_s: run.processor_wait_s,
            leading: leading.map(|one| (one.hypothesis.clone(), one.focus.clone(), one.share)),
            plus_minus_s: run.guess.map(|guess| guess.plus_minus_s),
            is_complete: run.is_complete,
            complaints: run.complaints.clone(),
        };
        let line = Line { key, run: noted };
        let text = serde_json::to_string(&line).context("writing JSON")? + "\n";
        let written = self.file.write_all(text.as_bytes());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}
