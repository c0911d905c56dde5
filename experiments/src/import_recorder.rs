//! Writes an imported run into the store, part by part, each as a transaction of its own. Nobody sees the run before its last part: an import that
//! ends in the middle, however it ends, leaves no run.

use std::path::Path;
use std::time::{Duration, SystemTime};

use whyperf_model::matching::Grown;

use crate::callpath_numbers::SEPARATOR;
use crate::database::{Connection, DatabaseError, Parameter, Value, params};
use crate::error::StoreError;
use crate::imported_part::{ImportedPart, ImportedRow, NumberedCallpath};
use crate::instant::{count, nanos};
use crate::message_series::MessageSeries;
use crate::record::{GrownKinds, Record, part_bytes};
use crate::recorder::{Progress, Writer, begin, transact};
use crate::run::{NewRun, RunId};
use crate::store::{Access, Store};

/// An import whose last part is older than this is not going on.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Writes one imported run.
#[derive(Debug)]
pub struct ImportRecorder {
    store: Store,
    number: i64,
    id: RunId,
    parts: i64,
    grown: GrownKinds,
}

impl ImportRecorder {
    /// Begins a run in the store of this file or server. Runs whose import was never ended are taken out of it.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn begin(path: &Path, run: &NewRun) -> Result<Self, StoreError> {
        let mut store = Store::open(path, Access::Write)?;
        let id = RunId::new();
        let abandoned =
            nanos(SystemTime::now().checked_sub(ABANDONED).unwrap_or(SystemTime::UNIX_EPOCH));
        let number = transact(&mut store, "beginning a run", |transaction| {
            let clean = "DELETE FROM run WHERE complete < 0 AND written < $1";
            transaction.execute(clean, params![abandoned])?;
            let number = begin(transaction, run, &id)?;
            let hide = "UPDATE run SET complete = -1 WHERE number = $1";
            transaction.execute(hide, params![number])?;
            Ok(number)
        })?;
        let prepared = store.connection.begin_bulk();
        prepared.map_err(|error| StoreError::of(&store.shown, "beginning a run", &error))?;
        Ok(Self { store, number, id, parts: 0, grown: GrownKinds::default() })
    }

    /// Adds a part, all or nothing.
    ///
    /// # Errors
    /// See [`StoreError`]; the run may have been taken out of the store by another import if this one was asleep for an hour.
    pub(crate) fn add(&mut self, part: &ImportedPart) -> Result<(), StoreError> {
        self.grown.add(&part.grown);
        self.write("writing a run", part, |_| Ok(()))
    }

    /// Adds the last part and what holds of the whole run, which is there from now on.
    ///
    /// # Errors
    /// See [`StoreError`]; nobody sees the run then.
    pub(crate) fn finish(
        &mut self,
        last: &ImportedPart,
        whole: &Progress,
    ) -> Result<RunId, StoreError> {
        let number = self.number;
        let mut record = Record::default();
        whole.interval_records.iter().for_each(|one| record.add(one));
        self.grown.add(&last.grown);
        let grown = std::mem::take(&mut self.grown);
        let messages = MessageSeries::default();
        self.write("finishing a run", last, |writer| {
            writer.write(whole, 0, (&record, &messages))?;
            writer.record(&record)?;
            writer.messages(&messages)?;
            writer.sums(&record, &grown)?;
            let end = "UPDATE run SET complete = 1 WHERE number = $1";
            writer.transaction.execute(end, params![number])
        })?;
        Ok(self.id.clone())
    }

    /// Takes the run out of the store again.
    ///
    /// # Errors
    /// See [`StoreError`]; nobody sees what is left of it.
    pub(crate) fn discard(mut self) -> Result<(), StoreError> {
        let ended = self.store.connection.end_bulk();
        ended.map_err(|error| StoreError::of(&self.store.shown, "removing a run", &error))?;
        self.store.remove(&[self.id]).map(drop)
    }

    fn write(
        &mut self,
        doing: &'static str,
        part: &ImportedPart,
        beside: impl FnOnce(&Writer<'_>) -> Result<(), DatabaseError>,
    ) -> Result<(), StoreError> {
        let (run, parts) = (self.number, self.parts);
        let is_there = transact(&mut self.store, doing, |transaction| {
            // References are not checked while many rows are written, so it is looked at here.
            if !touch(transaction, run)? {
                return Ok(false);
            }
            let writer = Writer { transaction, run };
            writer.callpaths(&part.callpaths)?;
            if part.is_again {
                writer.rows_again(&part.rows)?;
            } else {
                writer.rows(&part.rows)?;
            }
            writer.user_events(&part.user_events)?;
            writer.growths(parts, &part.grown)?;
            writer.foreign(parts, &part.foreign)?;
            beside(&writer)?;
            Ok(true)
        })?;
        self.parts += 1;
        if is_there { Ok(()) } else { Err(self.store.gone(&self.id)) }
    }
}

/// Says that the import goes on; whether the run is there still.
fn touch(transaction: &Connection, run: i64) -> Result<bool, DatabaseError> {
    let touch = "UPDATE run SET written = $1 WHERE number = $2 AND complete < 0 RETURNING number";
    let now = nanos(SystemTime::now());
    let found: Option<i64> = transaction.query_first(touch, params![now, run], |row| row.get(0))?;
    Ok(found.is_some())
}

impl Writer<'_> {
    fn callpaths(&self, callpaths: &[NumberedCallpath]) -> Result<(), DatabaseError> {
        let insert = "INSERT INTO callpath (run, number, path) VALUES ($1, $2, $3)";
        let mut statement = self.transaction.prepare(insert)?;
        for NumberedCallpath { number, path, .. } in callpaths {
            statement.execute(params![self.run, number, path.join(SEPARATOR)])?;
        }
        let insert = "INSERT INTO callpath_source (run, callpath, source) VALUES ($1, $2, $3)";
        let mut statement = self.transaction.prepare(insert)?;
        for NumberedCallpath { number, source, .. } in callpaths {
            if let Some(source) = source {
                statement.execute(params![self.run, number, source])?;
            }
        }
        Ok(())
    }

    fn rows(&self, rows: &[ImportedRow]) -> Result<(), DatabaseError> {
        let values = rows.iter().map(|row| row_values(self.run, row));
        self.transaction.add_rows("profile_row", ROW_COLUMNS, values)
    }

    /// Rows of which some may be there.
    fn rows_again(&self, rows: &[ImportedRow]) -> Result<(), DatabaseError> {
        let places: Vec<String> = (1..=ROW_COLUMNS.len()).map(|at| format!("${at}")).collect();
        let (columns, places) = (ROW_COLUMNS.join(", "), places.join(", "));
        let mut statement = self.transaction.prepare(&format!(
            "INSERT INTO profile_row ({columns}) VALUES ({places}) \
             ON CONFLICT (run, process, thread, callpath) DO UPDATE SET calls = excluded.calls, \
             inclusive = excluded.inclusive, exclusive = excluded.exclusive, source = excluded.source",
        ))?;
        for row in rows {
            let values = row_values(self.run, row);
            statement.execute(&values.each_ref().map(|value| value as &dyn Parameter))?;
        }
        Ok(())
    }

    fn growths(&self, number: i64, grown: &[Grown]) -> Result<(), DatabaseError> {
        let insert = "INSERT INTO record_part (run, number, bytes) VALUES ($1, $2, $3)";
        self.transaction.execute(insert, params![self.run, number, part_bytes(grown)])
    }
}

const ROW_COLUMNS: [&str; 11] = [
    "run",
    "process",
    "thread",
    "callpath",
    "calls",
    "inclusive",
    "exclusive",
    "sent",
    "received",
    "source",
    "coverage",
];

fn row_values(run: i64, row: &ImportedRow) -> [Value<'_>; ROW_COLUMNS.len()] {
    let [process, thread, callpath] =
        [row.process, row.thread, row.callpath].map(|number| Value::Integer(number.into()));
    let [calls, inclusive, exclusive, nothing] =
        [row.calls, row.inclusive.0, row.exclusive.0, 0].map(|sum| Value::Integer(count(sum)));
    let (source, all) = (row.source.value(), Value::Real(1.0));
    let run = Value::Integer(run);
    [run, process, thread, callpath, calls, inclusive, exclusive, nothing, nothing, source, all]
}
