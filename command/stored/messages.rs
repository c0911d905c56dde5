//! The messages between ranks of a stored run, as far as they are known.

use whyperf_experiments::{MessageSeries, RunId, Store, StoreError};
use whyperf_model::{Interval, MessageTable};

use crate::output::report::RankMessages;

/// What the store says of the messages of a run.
#[derive(Debug)]
pub(crate) enum StoredMessages {
    /// Those of each part of the run.
    Known(MessageSeries),
    /// An older whyperf stored the run, or it was killed before its first messages were written.
    Unknown,
    /// They were stored, and cannot be read, for this reason.
    Unreadable(String),
}

impl StoredMessages {
    /// Those of a run; what is stored of them and makes no sense does not keep the rest of the run from being shown.
    pub(crate) fn of(store: &Store, run: &RunId) -> Result<Self, StoreError> {
        match store.messages(run) {
            Ok(Some(series)) => Ok(Self::Known(series)),
            Ok(None) => Ok(Self::Unknown),
            Err(error @ StoreError::BadMessages { .. }) => Ok(Self::Unreadable(error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// All of them; none where they are not known.
    pub(crate) fn table(&self) -> Option<MessageTable> {
        self.series().map(MessageSeries::whole)
    }

    /// All rows; none where they are not known.
    pub(crate) fn whole(&self) -> Option<Vec<RankMessages>> {
        self.series().map(|series| RankMessages::all(&series.whole()))
    }

    /// The rows of a part of the run; none where they are not known so exactly.
    pub(crate) fn within(&self, part: Interval) -> Option<Vec<RankMessages>> {
        let table: Option<MessageTable> = self.series()?.within(part);
        table.as_ref().map(RankMessages::all)
    }

    /// Why they cannot be read, if that is so.
    pub(crate) fn unreadable(&self) -> Option<&str> {
        match self {
            Self::Unreadable(why) => Some(why),
            _ => None,
        }
    }

    fn series(&self) -> Option<&MessageSeries> {
        match self {
            Self::Known(series) => Some(series),
            _ => None,
        }
    }
}
