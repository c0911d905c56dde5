//! A folder of profile files, or of one such folder for each metric, as one profile.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::file::TauFile;
use crate::exchange::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile, ForeignThread, TimerValue};

/// Node, context and thread.
type Place = (u32, u32, u32);

/// All profile files of a folder: directly in it, or in folders `MULTI__METRIC`. `told` hears how many of how many files are read.
///
/// # Errors
/// When a file cannot be read or makes no sense, or there is none.
pub fn tau_files(
    folder: &Path,
    mut told: impl FnMut(usize, usize),
) -> Result<ForeignProfile, ExchangeError> {
    let mut folders: Vec<PathBuf> =
        entries(folder)?.into_iter().filter(|path| is_of_metric(path)).collect();
    folders.sort();
    if folders.is_empty() {
        folders.push(folder.to_owned());
    }
    let mut files: Vec<Vec<(Place, PathBuf)>> = Vec::new();
    for folder in &folders {
        let found = entries(folder)?.into_iter().filter_map(|path| Some((place(&path)?, path)));
        let mut found: Vec<(Place, PathBuf)> = found.collect();
        found.sort();
        files.push(found);
    }
    let all = files.iter().map(Vec::len).sum();
    if all == 0 {
        let what = "no file profile.NODE.CONTEXT.THREAD, and no folder MULTI__METRIC with such";
        return Err(ExchangeError::Nothing { path: folder.to_owned(), what });
    }
    let mut merged = Merged::default();
    let mut read = 0;
    for (position, of_metric) in files.iter().enumerate() {
        for (place, path) in of_metric {
            let bytes = fs::read(path)
                .map_err(|source| ExchangeError::Read { path: path.clone(), source })?;
            let file = TauFile::parse(path, &String::from_utf8_lossy(&bytes))?;
            merged.add(*place, position, file);
            read += 1;
            told(read, all);
        }
    }
    Ok(merged.profile())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, ExchangeError> {
    let failed = |source| ExchangeError::Read { path: folder.to_owned(), source };
    let found = fs::read_dir(folder).map_err(failed)?;
    found.map(|entry| entry.map(|entry| entry.path()).map_err(failed)).collect()
}

fn is_of_metric(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("MULTI__") && path.is_dir()
}

/// Whose file it is; negative nodes, as of a program that never said which it is, are refused by TAU's readers, too.
fn place(path: &Path) -> Option<Place> {
    let name = path.file_name()?.to_str()?;
    let mut numbers = name.strip_prefix("profile.")?.split('.').map(|word| word.parse().ok());
    let mut next = || numbers.next().flatten();
    let place = (next()?, next()?, next()?);
    numbers.next().is_none().then_some(place)
}

/// Files of several metrics as they come together.
#[derive(Default)]
struct Merged {
    metrics: BTreeMap<usize, String>,
    threads: BTreeMap<Place, (ForeignThread, BTreeMap<String, usize>)>,
    notes: Vec<String>,
}

impl Merged {
    /// Adds a file of the metric of this position.
    fn add(&mut self, place: Place, metric: usize, file: TauFile) {
        let known = self.metrics.entry(metric).or_insert_with(|| file.metric.clone());
        if *known != file.metric {
            let (node, context, thread) = place;
            self.notes.push(format!(
                "profile.{node}.{context}.{thread} is of {} among files of {known}",
                file.metric
            ));
        }
        let (thread, positions) = self.threads.entry(place).or_default();
        (thread.node, thread.context, thread.thread) = place;
        for mut timer in file.timers {
            let value = timer.values.pop().unwrap_or_default();
            let position = *positions.entry(timer.name.clone()).or_insert_with(|| {
                thread.timers.push(timer);
                thread.timers.len() - 1
            });
            let values = &mut thread.timers[position].values;
            values.resize(values.len().max(metric + 1), TimerValue::default());
            values[metric] = value;
        }
        // Events and metadata stand in the files of each metric alike.
        if thread.events.is_empty() {
            thread.events = file.events;
        }
        if thread.metadata.is_empty() {
            thread.metadata = file.metadata;
        }
    }

    fn profile(self) -> ForeignProfile {
        let count = self.metrics.len();
        let metrics = self.metrics.into_values().map(|name| ForeignMetric { name }).collect();
        let mut notes = self.notes;
        let mut threads: Vec<ForeignThread> = Vec::new();
        for (mut thread, _) in self.threads.into_values() {
            let lacking = thread.timers.iter().filter(|timer| timer.values.len() < count).count();
            if lacking > 0 {
                let (node, number) = (thread.node, thread.thread);
                notes.push(format!(
                    "{lacking} timers of thread {number} of node {node} lack metrics"
                ));
            }
            for timer in &mut thread.timers {
                timer.values.resize(count, TimerValue::default());
            }
            threads.push(thread);
        }
        ForeignProfile { metrics, threads, notes }
    }
}
