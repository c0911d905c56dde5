//! Series of a stored run, read in its store when they are asked for, and kept for the next time: reading one goes through the whole record.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use whyperf_experiments::{Access, RunId, Store};
use whyperf_model::{Histogram, Pair};

use crate::error::ViewError;

/// Series of a stored run, read when they are asked for.
#[derive(Debug)]
pub(crate) struct StoredSeries {
    store: PathBuf,
    run: RunId,
    /// What was read already; none where nothing is known of a pair.
    read: Mutex<BTreeMap<Pair, Option<Histogram>>>,
}

/// More than these are not kept beside each other: each has 24 KB.
const MOST: usize = 4096;

impl StoredSeries {
    /// Those of a run of the store of this file.
    pub(crate) fn new(store: &Path, run: &RunId) -> Self {
        Self { store: store.to_owned(), run: run.clone(), read: Mutex::default() }
    }

    /// Each of these pairs over the run; none where it is not known.
    pub(crate) fn histograms(&self, asked: &[&Pair]) -> Result<Vec<Option<Histogram>>, ViewError> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.len() + asked.len() > MOST {
            read.clear();
        }
        let missing = asked.iter().filter(|pair| !read.contains_key(**pair));
        let missing: Vec<Pair> = missing.map(|pair| (*pair).clone()).collect();
        if !missing.is_empty() {
            let found = Store::open(&self.store, Access::Read)?.series(&self.run, &missing)?;
            read.extend(missing.into_iter().zip(found));
        }
        Ok(asked.iter().map(|pair| read.get(*pair).cloned().flatten()).collect())
    }
}
