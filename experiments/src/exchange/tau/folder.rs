//! A folder of profile files, or of one such folder for each metric, thread by thread.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use super::file::TauFile;
use crate::exchange::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile, ForeignThread, TimerValue};

/// Node, context and thread.
type Place = (u32, u32, u32);

/// All profile files of a folder: directly in it, or in folders `MULTI__METRIC`.
#[derive(Clone, Debug)]
pub struct TauFolder {
    metrics: Vec<ForeignMetric>,
    /// The files of each thread, with the positions of their metrics.
    threads: BTreeMap<Place, Vec<(usize, PathBuf)>>,
}

impl TauFolder {
    /// Looks at what files there are, and of which metrics.
    ///
    /// # Errors
    /// When the folder cannot be read, there is no file, or the first of a metric makes no sense.
    pub fn open(folder: &Path) -> Result<Self, ExchangeError> {
        let mut folders: Vec<PathBuf> =
            entries(folder)?.into_iter().filter(|path| is_of_metric(path)).collect();
        folders.sort();
        if folders.is_empty() {
            folders.push(folder.to_owned());
        }
        let mut found = Self { metrics: Vec::new(), threads: BTreeMap::new() };
        for folder in &folders {
            let files = entries(folder)?.into_iter().filter_map(|path| Some((place(&path)?, path)));
            let mut files: Vec<(Place, PathBuf)> = files.collect();
            files.sort();
            let Some((_, first)) = files.first() else { continue };
            let position = found.metrics.len();
            found.metrics.push(ForeignMetric { name: TauFile::metric(first)? });
            for (place, path) in files {
                found.threads.entry(place).or_default().push((position, path));
            }
        }
        if found.threads.is_empty() {
            let what = "no file profile.NODE.CONTEXT.THREAD, and no folder MULTI__METRIC with such";
            return Err(ExchangeError::Nothing { path: folder.to_owned(), what });
        }
        Ok(found)
    }

    /// What was measured, in the order of values.
    #[must_use]
    pub fn metrics(&self) -> &[ForeignMetric] {
        &self.metrics
    }

    /// How many threads there are.
    #[must_use]
    pub fn thread_count(&self) -> usize {
        self.threads.len()
    }

    /// Reads one thread after the other, each with what is odd about it.
    ///
    /// # Errors
    /// When a file cannot be read or makes no sense.
    pub fn threads(
        &self,
    ) -> impl Iterator<Item = Result<(ForeignThread, Vec<String>), ExchangeError>> + '_ {
        self.threads.iter().map(|(place, files)| self.thread(*place, files))
    }

    fn thread(
        &self,
        place: Place,
        files: &[(usize, PathBuf)],
    ) -> Result<(ForeignThread, Vec<String>), ExchangeError> {
        let mut merged = MergedThread::default();
        let (node, context, thread) = place;
        for (metric, path) in files {
            let bytes = fs::read(path)
                .map_err(|source| ExchangeError::Read { path: path.clone(), source })?;
            // Names may be in any alphabet; mostly there is nothing to be replaced.
            let text = String::from_utf8(bytes);
            let text =
                text.unwrap_or_else(|odd| String::from_utf8_lossy(odd.as_bytes()).into_owned());
            let file = TauFile::parse(path, &text)?;
            let known = &self.metrics[*metric].name;
            if *known != file.metric {
                let own = &file.metric;
                merged.notes.push(format!(
                    "profile.{node}.{context}.{thread} is of {own} among files of {known}"
                ));
            }
            merged.add(*metric, file);
        }
        let MergedThread { thread: mut read, mut notes, .. } = merged;
        (read.node, read.context, read.thread) = place;
        let count = self.metrics.len();
        let lacking = read.timers.iter().filter(|timer| timer.values.len() < count).count();
        if lacking > 0 {
            notes.push(format!("{lacking} timers of thread {thread} of node {node} lack metrics"));
        }
        read.timers.iter_mut().for_each(|timer| timer.values.resize(count, TimerValue::default()));
        Ok((read, notes))
    }
}

/// The whole of a folder. `told` hears how many of how many threads are read.
///
/// # Errors
/// When a file cannot be read or makes no sense, or there is none.
pub fn tau_files(
    folder: &Path,
    mut told: impl FnMut(usize, usize),
) -> Result<ForeignProfile, ExchangeError> {
    let folder = TauFolder::open(folder)?;
    let mut profile =
        ForeignProfile { metrics: folder.metrics().to_vec(), ..ForeignProfile::default() };
    for thread in folder.threads() {
        let (thread, notes) = thread?;
        profile.threads.push(thread);
        profile.notes.extend(notes);
        told(profile.threads.len(), folder.thread_count());
    }
    Ok(profile)
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
struct MergedThread {
    thread: ForeignThread,
    /// The places of timers by name, once a second metric is looked at.
    places: HashMap<String, usize>,
    notes: Vec<String>,
}

impl MergedThread {
    /// Adds a file of the metric of this position.
    fn add(&mut self, metric: usize, file: TauFile) {
        let (thread, mut timers) = (&mut self.thread, file.timers);
        if metric == 0 {
            thread.timers = std::mem::take(&mut timers);
        } else if self.places.is_empty() {
            let known = thread.timers.iter().enumerate();
            self.places.extend(known.map(|(at, timer)| (timer.name.clone(), at)));
        }
        for mut timer in timers {
            let value = timer.values.pop().unwrap_or_default();
            let place = *self.places.entry(timer.name.clone()).or_insert_with(|| {
                thread.timers.push(timer);
                thread.timers.len() - 1
            });
            let values = &mut thread.timers[place].values;
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
}
