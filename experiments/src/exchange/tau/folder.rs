//! A folder of profile files, or of one such folder for each metric, thread by thread.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::file::TauFile;
use crate::exchange::error::ExchangeError;
use crate::foreign_profile::ForeignMetric;

/// Node, context and thread.
pub(super) type Place = (u32, u32, u32);

/// All profile files of a folder: directly in it, or in folders `MULTI__METRIC`.
#[derive(Clone, Debug)]
pub struct TauFolder {
    pub(super) metrics: Vec<ForeignMetric>,
    /// The files of each thread, with the positions of their metrics.
    pub(super) threads: BTreeMap<Place, Vec<(usize, PathBuf)>>,
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
