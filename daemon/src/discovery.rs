//! Discovers new region files in a run directory, and removes the files that were read a last time.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use whyperf_inject::{RegionFile, UnmadeRegion};

/// Looks for new region files in a run directory.
#[derive(Debug)]
pub(crate) struct Discovery {
    directory: PathBuf,
    known: BTreeSet<PathBuf>,
    /// When the directory had last changed at the last full look.
    changed: Option<SystemTime>,
    /// Processes that left word that they have no region; at most so many as the daemon means to keep.
    pub(crate) unmade: Vec<UnmadeProcess>,
}

/// A process that was to be measured and has no region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmadeProcess {
    /// Which, and what it lacked.
    pub mark: UnmadeRegion,
    /// The name of its program.
    pub program: String,
}

/// Beyond these no process is named.
const MOST_UNMADE: usize = 1 << 14;

/// A directory that changed this recently may change again within the same tick of its clock.
const SETTLED: Duration = Duration::from_millis(100);

impl Discovery {
    pub(crate) fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            known: BTreeSet::new(),
            changed: None,
            unmade: Vec::new(),
        }
    }

    /// Region files not handed out before, by process id and number; each until it is [`taken`].
    ///
    /// [`taken`]: Self::taken
    pub(crate) fn look(&mut self) -> io::Result<Vec<PathBuf>> {
        let changed = fs::symlink_metadata(&self.directory)?.modified()?;
        if self.changed == Some(changed) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            if RegionFile::at(&path).is_some() && !self.known.contains(&path) {
                found.push(path);
            } else if let Some(mark) = UnmadeRegion::at(&path) {
                self.note_unmade(mark, &path);
            }
        }
        found.sort_by_key(|path| RegionFile::at(path));
        let age = SystemTime::now().duration_since(changed).unwrap_or_default();
        // Files still being prepared are come back for: only a settled look without finds counts.
        self.changed = (age > SETTLED && found.is_empty()).then_some(changed);
        Ok(found)
    }

    fn note_unmade(&mut self, mark: UnmadeRegion, path: &Path) {
        let program = fs::read_link(path).unwrap_or_default();
        let program = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Where it cannot be removed, it is met again.
        if fs::remove_file(path).is_ok() && self.unmade.len() < MOST_UNMADE {
            self.unmade.push(UnmadeProcess { mark, program });
        }
    }

    /// A file was opened, or never will be.
    pub(crate) fn taken(&mut self, path: &Path) {
        self.known.insert(path.to_owned());
    }

    /// A file was read a last time: it is removed, so that a job of many short processes does not
    /// fill the memory. A later process of the same number may make one of the same name.
    pub(crate) fn done(&mut self, path: &Path) {
        // Where it cannot be removed, it goes with the run directory.
        if fs::remove_file(path).is_ok() {
            self.known.remove(path);
        }
    }
}
