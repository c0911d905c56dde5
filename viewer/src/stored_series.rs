//! Series of a stored run, read in its store when they are asked for.

use std::path::{Path, PathBuf};

use whyperf_experiments::{Access, RunId, Store};
use whyperf_model::{Histogram, Pair};

use crate::error::ViewError;

/// Series of a stored run, read when they are asked for.
#[derive(Debug)]
pub(crate) struct StoredSeries {
    store: PathBuf,
    run: RunId,
}

impl StoredSeries {
    /// Those of a run of the store of this file.
    pub(crate) fn new(store: &Path, run: &RunId) -> Self {
        Self { store: store.to_owned(), run: run.clone() }
    }

    /// Each of these pairs over the run; none where it is not known.
    pub(crate) fn histograms(&self, pairs: &[Pair]) -> Result<Vec<Option<Histogram>>, ViewError> {
        Ok(Store::open(&self.store, Access::Read)?.series(&self.run, pairs)?)
    }
}
