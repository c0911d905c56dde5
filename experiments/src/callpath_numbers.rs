//! The numbers of the callpaths of a run while it is written: each path is told to the store once.

use ahash::AHashMap;

use crate::database::{Connection, DatabaseError, params};

/// What separates the names of a callpath in the store; no name contains it.
pub(crate) const SEPARATOR: &str = "\u{1f}";

/// The numbers that paths have, from 1 on.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallpathNumbers {
    numbers: AHashMap<Vec<String>, i64>,
    /// So many are in the store for certain.
    kept: i64,
}

impl CallpathNumbers {
    /// The number of a path; one that is new is written.
    pub(crate) fn number(
        &mut self,
        transaction: &Connection,
        run: i64,
        path: &[String],
    ) -> Result<i64, DatabaseError> {
        if let Some(number) = self.numbers.get(path) {
            return Ok(*number);
        }
        let number = self.last() + 1;
        let insert = "INSERT INTO callpath (run, number, path) VALUES ($1, $2, $3)";
        transaction.execute(insert, params![run, number, path.join(SEPARATOR)])?;
        self.numbers.insert(path.to_vec(), number);
        Ok(number)
    }

    /// What was written stays.
    pub(crate) fn keep(&mut self) {
        self.kept = self.last();
    }

    /// What was written since the last [`Self::keep`] was taken back.
    pub(crate) fn take_back(&mut self) {
        let kept = self.kept;
        self.numbers.retain(|_, number| *number <= kept);
    }

    fn last(&self) -> i64 {
        i64::try_from(self.numbers.len()).unwrap_or(i64::MAX)
    }
}
