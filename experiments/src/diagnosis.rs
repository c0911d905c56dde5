//! A search of a run that is over, stored as a run of its own which names its source.
//!
//! The measurements stay with the source: profile, histograms, resources and environment of a diagnosis are read there. So
//! a diagnosis is listed, shown and learned from as any run, takes little room, and is removed with its source. Its name
//! follows from the source and the settings of the search: the same diagnosis made twice is one.

use serde::Serialize;

use crate::database::{Connection, DatabaseError, params};
use crate::error::StoreError;
use crate::record::Record;
use crate::recorder::{Progress, Writer, add_directives, add_facts, transact};
use crate::replay::Replay;
use crate::run::{RunId, Topic};
use crate::store::Store;

/// A diagnosis, as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// The run that was gone through.
    pub source: RunId,
    /// How it was searched.
    pub facts: Vec<(Topic, String, String)>,
    /// Directives the search was given, one a line.
    pub directives: Vec<String>,
    /// Verdicts, edges and steps; what else is in it is the source's.
    pub found: Progress,
}

/// How much a run was, and what measuring it cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Extent {
    /// Processes measured.
    pub processes: u32,
    /// Threads measured.
    pub threads: u32,
    /// Machines.
    pub hosts: u32,
    /// Mean and highest share of the slowest process's time that measuring took.
    pub cost: [f64; 2],
}

/// The bytes of a record, and those of its parts.
pub(crate) type RecordBytes = (Vec<u8>, Vec<Vec<u8>>);

impl Store {
    /// The run that a diagnosis is of; a run that was measured is its own.
    ///
    /// # Errors
    /// When the store cannot be read or the run is gone.
    pub fn source(&self, run: &RunId) -> Result<RunId, StoreError> {
        let query = "SELECT id FROM run WHERE number = (SELECT coalesce(source, number) FROM run WHERE id = $1)";
        let mut found = self.rows("looking for a run", query, params![run.0], |row| row.get(0))?;
        found.pop().map(RunId).ok_or_else(|| self.gone(run))
    }

    /// The record of a run.
    ///
    /// # Errors
    /// When the store cannot be read, or holds no record of the run that makes sense.
    pub(crate) fn record(&self, run: &RunId) -> Result<Record, StoreError> {
        let path = || self.shown.clone();
        let (bytes, parts) = self
            .record_bytes(run)?
            .ok_or_else(|| StoreError::NoRecord { path: path(), run: run.clone() })?;
        Record::parse_with(&bytes, &parts).map_err(|reason| {
            let (path, run) = (path(), run.clone());
            StoreError::BadRecord { path, run, reason }
        })
    }

    /// The bytes of the record of a run, and those of its parts; none where it has no record.
    pub(crate) fn record_bytes(&self, run: &RunId) -> Result<Option<RecordBytes>, StoreError> {
        let query = "SELECT bytes FROM record WHERE run = $1";
        let bytes: Option<Vec<u8>> = self.measured(run, query, |row| row.get(0))?.pop();
        let Some(bytes) = bytes else { return Ok(None) };
        let query = "SELECT bytes FROM record_part WHERE run = $1 ORDER BY number";
        Ok(Some((bytes, self.measured(run, query, |row| row.get(0))?)))
    }

    /// A run as a data source to be searched.
    ///
    /// # Errors
    /// When the store cannot be read, or holds no record of the run.
    pub fn replay(&self, run: &RunId) -> Result<Replay, StoreError> {
        let record = self.record(run)?;
        let mut histograms = Vec::new();
        for pair in self.pairs(run)?.into_iter().filter(Replay::needs_histogram) {
            histograms.extend(self.histogram(run, &pair)?.map(|histogram| (pair, histogram)));
        }
        // Messages that cannot be read do not keep the rest of the run from being searched.
        let messages = match self.messages(run) {
            Err(StoreError::BadMessages { .. }) => None,
            read => read?,
        };
        Ok(Replay::new(record, histograms).with_messages(&messages.unwrap_or_default()))
    }

    /// How much a run was.
    ///
    /// # Errors
    /// When the store cannot be read or the run is gone.
    pub fn extent(&self, run: &RunId) -> Result<Extent, StoreError> {
        let query =
            "SELECT processes, threads, hosts, cost_mean, cost_max FROM run WHERE number = $1";
        let mut found = self.measured(run, query, |row| {
            Ok(Extent {
                processes: row.get(0)?,
                threads: row.get(1)?,
                hosts: row.get(2)?,
                cost: [row.get(3)?, row.get(4)?],
            })
        })?;
        found.pop().ok_or_else(|| self.gone(run))
    }

    /// Stores a diagnosis; one that was made before is replaced.
    ///
    /// # Errors
    /// See [`StoreError`]; nothing is changed then.
    pub fn add_diagnosis(&mut self, diagnosis: &Diagnosis) -> Result<RunId, StoreError> {
        let id = diagnosis.id();
        let done = transact(self, "writing a diagnosis", |transaction| {
            let number = begin(transaction, diagnosis, &id)?;
            if let Some(number) = number {
                Writer { transaction, run: number }.write_found(&diagnosis.found)?;
            }
            Ok(number)
        })?;
        if done.is_none() { Err(self.gone(&diagnosis.source)) } else { Ok(id) }
    }
}

impl Diagnosis {
    /// The name that a diagnosis of this source, set like this, always has.
    #[must_use]
    pub fn id(&self) -> RunId {
        let facts = self.facts.iter().flat_map(|(_, name, value)| [name, value]);
        let words = [&self.source.0].into_iter().chain(facts).chain(&self.directives);
        let mut hash = FNV_OFFSET;
        for word in words {
            for byte in word.bytes().chain([0]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
            }
        }
        RunId(format!("{:012x}", (hash ^ hash >> 48) & 0xffff_ffff_ffff))
    }
}

/// Fowler, Noll and Vo's hash, version 1a.
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// The row of a diagnosis, which is that of its source but for the names; none when there is no source.
fn begin(
    transaction: &Connection,
    diagnosis: &Diagnosis,
    id: &RunId,
) -> Result<Option<i64>, DatabaseError> {
    transaction.execute("DELETE FROM run WHERE id = $1 AND source IS NOT NULL", params![id.0])?;
    let trial = format!("diagnosis of {}", diagnosis.source.short());
    let number: Option<i64> = transaction
        .query_first(
            "INSERT INTO run (id, experiment, trial, started, written, elapsed, exit_status, complete, command, \
             processes, threads, hosts, cost_mean, cost_max, source) \
             SELECT $1, experiment, $2, started, written, elapsed, exit_status, complete, command, \
             processes, threads, hosts, cost_mean, cost_max, number FROM run WHERE id = $3 RETURNING number",
            params![id.0, trial, diagnosis.source.0],
            |row| row.get(0),
        )?;
    if let Some(number) = number {
        add_facts(transaction, number, &diagnosis.facts)?;
        add_directives(transaction, number, &diagnosis.directives)?;
    }
    Ok(number)
}
