//! Series of a stored run, read in its store when they are asked for, and kept for the next time: reading one goes through the whole record.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use whyperf_experiments::{Access, RunId, Store};
use whyperf_model::Pair;

use crate::error::ViewError;
use crate::known_bins::KnownBins;

/// Series of a stored run, read when they are asked for.
#[derive(Debug)]
pub(crate) struct StoredSeries {
    store: PathBuf,
    run: RunId,
    /// What was read already; none where nothing is known of a pair.
    read: Mutex<BTreeMap<Pair, Option<KnownBins>>>,
}

/// More than these are not kept beside each other: each has 16 KB.
const MOST: usize = 4096;

impl StoredSeries {
    /// Those of a run of the store of this file.
    pub(crate) fn new(store: &Path, run: &RunId) -> Self {
        Self { store: store.to_owned(), run: run.clone(), read: Mutex::default() }
    }

    /// Hands over each of these pairs over the run; none where it is not known.
    pub(crate) fn each(
        &self,
        asked: &[&Pair],
        mut take: impl FnMut(usize, Option<&KnownBins>),
    ) -> Result<(), ViewError> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.len() + asked.len() > MOST {
            read.clear();
        }
        let missing = asked.iter().filter(|pair| !read.contains_key(**pair));
        let missing: Vec<Pair> = missing.map(|pair| (*pair).clone()).collect();
        if !missing.is_empty() {
            let found = Store::open(&self.store, Access::Read)?.series(&self.run, &missing)?;
            let found = found.into_iter().map(|one| one.as_ref().map(KnownBins::from));
            read.extend(missing.into_iter().zip(found));
        }
        for (at, pair) in asked.iter().enumerate() {
            take(at, read.get(*pair).and_then(Option::as_ref));
        }
        Ok(())
    }
}
