//! The runs of a sweep that were simulated already, a line of JSON each: a sweep that was interrupted goes on where it was.

use std::collections::BTreeMap;
use std::fs::{File, read_to_string};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use whyperf_experiments::MachineFile;

use crate::extrapolation::extrapolated::{ExtrapolatedRun, Guess, Leading};
use crate::extrapolation::sweep::Setting;

/// A file of runs.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    machine: String,
    known: BTreeMap<(String, String), Line>,
}

/// One run, and the machine that it is of.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    machine: String,
    variant: String,
    set: String,
    ranks: u32,
    processors: u32,
    elapsed_s: f64,
    compute_s: f64,
    communication_s: f64,
    barrier_s: f64,
    processor_wait_s: f64,
    leading: Option<(String, String, f64)>,
    plus_minus_s: Option<f64>,
    complaints: Vec<String>,
}

impl Journal {
    /// Opens the file, or makes it. A last line that was not written to its end is not there.
    pub(crate) fn open(path: &Path, file: &MachineFile) -> Result<Self> {
        let name = path.display();
        let machine = file.to_toml();
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
            if line.machine != machine {
                bail!(
                    "{name}:{number}: this run is of another machine; name another file with --resume"
                );
            }
            known.insert((line.variant.clone(), line.set.clone()), line);
        }
        let file = File::options().create(true).append(true).open(path);
        let file = file.with_context(|| format!("cannot write {name}"))?;
        file.set_len(whole as u64)?;
        Ok(Self { path: path.to_owned(), file, machine, known })
    }

    /// A run that was simulated before.
    pub(crate) fn known(&self, variant: &str, setting: &Setting) -> Option<ExtrapolatedRun> {
        let line = self.known.get(&(variant.to_owned(), setting.to_string()))?.clone();
        Some(ExtrapolatedRun {
            variant: line.variant,
            setting: setting.clone(),
            ranks: line.ranks,
            processors: line.processors,
            elapsed_s: line.elapsed_s,
            compute_s: line.compute_s,
            communication_s: line.communication_s,
            barrier_s: line.barrier_s,
            processor_wait_s: line.processor_wait_s,
            leading: line.leading.map(|(hypothesis, focus, share)| Leading {
                hypothesis,
                focus,
                share,
            }),
            guess: line.plus_minus_s.map(|plus_minus_s| Guess { plus_minus_s }),
            complaints: line.complaints,
        })
    }

    /// Notes a run.
    pub(crate) fn note(&mut self, run: &ExtrapolatedRun) -> Result<()> {
        let leading = run.leading.as_ref();
        let line = Line {
            machine: self.machine.clone(),
            variant: run.variant.clone(),
            set: run.setting.to_string(),
            ranks: run.ranks,
            processors: run.processors,
            elapsed_s: run.elapsed_s,
            compute_s: run.compute_s,
            communication_s: run.communication_s,
            barrier_s: run.barrier_s,
            processor_wait_s: run.processor_wait_s,
            leading: leading.map(|one| (one.hypothesis.clone(), one.focus.clone(), one.share)),
            plus_minus_s: run.guess.map(|guess| guess.plus_minus_s),
            complaints: run.complaints.clone(),
        };
        let text = serde_json::to_string(&line).context("writing JSON")? + "\n";
        let written = self.file.write_all(text.as_bytes());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}
