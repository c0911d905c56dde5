//! The file by which the threads of a job compute one at a time.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use whyperf_inject::{Mapping, Protection};
use whyperf_layout::TurnPage;

/// The page, as the daemon sees it.
#[derive(Debug)]
pub struct TurnFile(Mapping);

/// Its name in the run directory, which measured processes know.
const NAME: &str = "turns";

impl TurnFile {
    /// Makes it in a run directory: a turn is taken back after so long.
    ///
    /// # Errors
    /// When it cannot be made, or is there already.
    pub fn create(directory: &Path, limit: Duration) -> io::Result<Self> {
        let path = directory.join(NAME);
        let mut options = File::options();
        let file = options.read(true).write(true).create_new(true).mode(0o600).open(path)?;
        file.set_len(size_of::<TurnPage>() as u64)?;
        let made = Self(Mapping::of(&file, 0, size_of::<TurnPage>(), Protection::Write)?);
        let nanos = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        made.page().limit.store(nanos, Ordering::Relaxed);
        Ok(made)
    }

    /// How many turns were given so far, and how many were taken back.
    #[must_use]
    pub fn turns(&self) -> (u32, u64) {
        let page = self.page();
        (page.served.load(Ordering::Relaxed), page.taken_back.load(Ordering::Relaxed))
    }

    fn page(&self) -> &TurnPage {
        self.0.at(0).expect("the page is mapped whole")
    }
}
