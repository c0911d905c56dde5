//! Any pairs of a stored run over time: out of its record where that has what they ask for, and else as they were measured.
//!
//! The record covers the whole run, whatever was asked while it went on. A histogram covers the time in which the search measured the
//! pair, so it comes second.

use std::collections::BTreeMap;

use whyperf_consultant::{DataSource as _, Event, MeasurementId};
use whyperf_model::{Histogram, Pair};

use crate::error::StoreError;
use crate::run::RunId;
use crate::store::Store;

impl Store {
    /// Each of these pairs over the run; none where it is not known.
    ///
    /// # Errors
    /// When the store cannot be read, or the record of the run makes no sense.
    pub fn series(
        &self,
        run: &RunId,
        pairs: &[Pair],
    ) -> Result<Vec<Option<Histogram>>, StoreError> {
        let mut known = match self.recorded(run, pairs) {
            Ok(known) => known,
            Err(StoreError::NoRecord { .. }) => BTreeMap::new(),
            Err(error) => return Err(error),
        };
        let wanted = (0..).zip(pairs);
        wanted
            .map(|(number, pair)| match known.remove(&number) {
                Some(histogram) => Ok(Some(histogram)),
                None => self.histogram(run, pair),
            })
            .collect()
    }

    /// By their place in the list: what the record tells of these pairs.
    fn recorded(
        &self,
        run: &RunId,
        pairs: &[Pair],
    ) -> Result<BTreeMap<u32, Histogram>, StoreError> {
        let mut source = self.replay(run)?;
        for (number, pair) in (0..).zip(pairs) {
            source.start(MeasurementId(number), pair);
        }
        let mut known: BTreeMap<u32, Histogram> = BTreeMap::new();
        while let Some(event) = source.next() {
            match event {
                Event::Sample(MeasurementId(number), sample) if sample.reported > 0 => {
                    known.entry(number).or_default().add(sample.interval, sample.amount);
                }
                _ => {}
            }
        }
        Ok(known)
    }
}
