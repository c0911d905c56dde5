//! Copies runs from one store into another, as they are: from a file to a group's server, or back.
//!
//! A run is known by its id: one that is there already is not written twice, and one that is there in part is replaced by its whole.

use std::collections::HashMap;

use crate::database::{Connection, DatabaseError, Parameter, Value, params};
use crate::error::StoreError;
use crate::recorder::transact;
use crate::run::RunId;
use crate::store::Store;

/// What was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CopiedRuns {
    /// Runs that were not there.
    pub copied: Vec<RunId>,
    /// Runs of which a part was there, or an older state.
    pub completed: Vec<RunId>,
    /// How many were there already.
    pub present: usize,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyProgress {
    /// Runs that were looked at.
    pub done: usize,
    /// Runs that there are.
    pub all: usize,
}

/// A run in the list of what may be copied.
struct ListedRun {
    number: i64,
    id: String,
    complete: bool,
    written: i64,
}

/// A table that belongs to runs, and its columns beside `run`.
const TABLES: [(&str, &[&str]); 22] = [
    ("fact", &["topic", "name", "value"]),
    ("resource", &["name", "appeared", "retired"]),
    (
        "verdict",
        &[
            "number",
            "hypothesis",
            "focus",
            "truth",
            "value",
            "threshold",
            "confidence",
            "asked",
            "found",
            "cost",
            "origin",
            "split",
        ],
    ),
    ("edge", &["parent", "child", "axis"]),
    ("step", &["number", "time", "text"]),
    ("histogram", &["metric", "focus", "part", "bins"]),
    (
        "profile",
        &[
            "process",
            "thread",
            "path",
            "calls",
            "inclusive",
            "exclusive",
            "sent",
            "received",
            "source",
            "coverage",
        ],
    ),
    ("callpath", &["number", "path"]),
    ("callpath_source", &["callpath", "source"]),
    (
        "profile_row",
        &[
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
        ],
    ),
    ("directive", &["number", "text"]),
    ("tag", &["name"]),
    ("record", &["bytes"]),
    ("record_part", &["number", "bytes"]),
    ("run_sums", &["digest", "sums", "shape"]),
    ("object", &["name", "build_id", "compiler"]),
    ("phase", &["number", "name", "began", "ended"]),
    ("message_series", &["bytes"]),
    ("report", &["json", "text"]),
    ("foreign_profile", &["bytes"]),
    ("foreign_part", &["number", "bytes"]),
    (
        "user_event",
        &[
            "name",
            "kind",
            "process",
            "thread",
            "path",
            "count",
            "sum",
            "least",
            "most",
            "squares",
            "deviation",
        ],
    ),
];

const RUN: [&str; 13] = [
    "id",
    "trial",
    "started",
    "written",
    "elapsed",
    "exit_status",
    "complete",
    "command",
    "processes",
    "threads",
    "hosts",
    "cost_mean",
    "cost_max",
];

impl Store {
    /// Copies every run that another store does not have in full; each run as a whole, or not at all.
    ///
    /// # Errors
    /// When this one cannot be read or the other cannot be written; runs that were copied before stay.
    pub fn copy_to(
        &self,
        other: &mut Self,
        mut told: impl FnMut(CopyProgress),
    ) -> Result<CopiedRuns, StoreError> {
        let there = other.listed()?;
        let there: HashMap<&str, &ListedRun> = there.iter().map(|run| (&*run.id, run)).collect();
        let mut done = CopiedRuns::default();
        let here = self.listed()?;
        let ids: HashMap<i64, &str> = here.iter().map(|run| (run.number, &*run.id)).collect();
        for (at, run) in here.iter().enumerate() {
            told(CopyProgress { done: at, all: here.len() });
            match there.get(&*run.id) {
                Some(known) if known.is_as_whole_as(run) => done.present += 1,
                known => {
                    self.copy_run(other, run, &ids)?;
                    let list = if known.is_some() { &mut done.completed } else { &mut done.copied };
                    list.push(RunId(run.id.clone()));
                }
            }
        }
        told(CopyProgress { done: here.len(), all: here.len() });
        Ok(done)
    }

    /// All runs, those that others are diagnoses of before these.
    fn listed(&self) -> Result<Vec<ListedRun>, StoreError> {
        let query = "SELECT number, id, complete, written FROM run WHERE complete >= 0 ORDER BY CASE WHEN source IS NULL THEN 0 ELSE 1 END, number";
        self.rows("listing the runs", query, &[], |row| {
            let (number, id) = (row.get(0)?, row.get(1)?);
            Ok(ListedRun { number, id, complete: row.get(2)?, written: row.get(3)? })
        })
    }

    fn copy_run(
        &self,
        other: &mut Self,
        run: &ListedRun,
        ids: &HashMap<i64, &str>,
    ) -> Result<(), StoreError> {
        let mut unread = None;
        let done = transact(other, "copying a run", |to| {
            let copied = copy_head(&self.connection, to, run, ids).and_then(|number| {
                let numbers = [run.number, number];
                TABLES
                    .iter()
                    .try_for_each(|table| copy_table(&self.connection, to, *table, numbers))
            });
            copied.map_err(|error| match error {
                CopyError::Writing(error) => error,
                CopyError::Reading(error) => {
                    unread = Some(error);
                    DatabaseError::Content { column: 0 }
                }
            })
        });
        match unread {
            Some(error) => Err(StoreError::of(&self.shown, "reading a run", &error)),
            None => done,
        }
    }
}

impl ListedRun {
    /// Whether nothing of the other is missing here.
    fn is_as_whole_as(&self, other: &Self) -> bool {
        self.complete && !other.complete
            || self.complete == other.complete && self.written >= other.written
    }
}

/// On which side it failed.
enum CopyError {
    Reading(DatabaseError),
    Writing(DatabaseError),
}

/// The row of a run, with its experiment and its source as they are called there; the number that it has there.
fn copy_head(
    from: &Connection,
    to: &Connection,
    run: &ListedRun,
    ids: &HashMap<i64, &str>,
) -> Result<i64, CopyError> {
    let query = format!(
        "SELECT application.name, experiment.name, run.source, run.{} FROM run \
         JOIN experiment ON experiment.id = run.experiment \
         JOIN application ON application.id = experiment.application WHERE run.number = $1",
        RUN.join(", run.")
    );
    let read = from.query_first(&query, params![run.number], |row| {
        let names: (String, String, Option<i64>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let values = (3..3 + RUN.len()).map(|at| row.value(at).map(KeptValue::of));
        Ok((names, values.collect::<Result<Vec<_>, _>>()?))
    });
    let missing = CopyError::Reading(DatabaseError::Content { column: 0 });
    let ((application, experiment, source), values) =
        read.map_err(CopyError::Reading)?.ok_or(missing)?;
    (|| {
        to.execute("DELETE FROM run WHERE id = $1", params![run.id])?;
        let experiment = crate::recorder::experiment(to, &application, &experiment)?;
        let source = match source.and_then(|source| ids.get(&source)) {
            None => None,
            Some(id) => {
                to.query_first("SELECT number FROM run WHERE id = $1", params![id], |row| {
                    row.get::<i64>(0)
                })?
            }
        };
        let places: Vec<String> = (1..=RUN.len() + 2).map(|at| format!("${at}")).collect();
        let insert = format!(
            "INSERT INTO run (experiment, source, {}) VALUES ({}) RETURNING number",
            RUN.join(", "),
            places.join(", ")
        );
        let values: Vec<Value<'_>> = values.iter().map(KeptValue::value).collect();
        let mut parameters: Vec<&dyn Parameter> = vec![&experiment, &source];
        parameters.extend(values.iter().map(|value| value as &dyn Parameter));
        crate::recorder::returned(to, &insert, &parameters)
    })()
    .map_err(CopyError::Writing)
}

/// The rows of a run in one of its tables.
fn copy_table(
    from: &Connection,
    to: &Connection,
    (table, columns): (&str, &[&str]),
    [number, there]: [i64; 2],
) -> Result<(), CopyError> {
    let names = columns.join(", ");
    let places: Vec<String> = (2..columns.len() + 2).map(|at| format!("${at}")).collect();
    let query = format!("SELECT {names} FROM {table} WHERE run = $1");
    let insert = format!("INSERT INTO {table} (run, {names}) VALUES ($1, {})", places.join(", "));
    let mut statement = to.prepare(&insert).map_err(CopyError::Writing)?;
    let mut wrong = None;
    let read = from.query(&query, params![number], |row| {
        let values = (0..columns.len()).map(|at| row.value(at));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let mut parameters: Vec<&dyn Parameter> = vec![&there];
        parameters.extend(values.iter().map(|value| value as &dyn Parameter));
        if wrong.is_none() {
            wrong = statement.execute(&parameters).err();
        }
        Ok(())
    });
    read.map_err(CopyError::Reading)?;
    wrong.map_or(Ok(()), |error| Err(CopyError::Writing(error)))
}

/// A value that outlives its row.
enum KeptValue {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

impl KeptValue {
    fn of(value: Value<'_>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Integer(number) => Self::Integer(number),
            Value::Real(number) => Self::Real(number),
            Value::Text(text) => Self::Text(text.to_owned()),
            Value::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
        }
    }

    fn value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Integer(number) => Value::Integer(*number),
            Self::Real(number) => Value::Real(*number),
            Self::Text(text) => Value::Text(text),
            Self::Bytes(bytes) => Value::Bytes(bytes),
        }
    }
}
