//! The numbered steps from an empty file to the present shape of the store.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};

use crate::error::StoreError;

/// Each step once, in order; a step that was shipped is never changed.
const STEPS: [&str; 8] = [
    include_str!("migrations/001.sql"),
    include_str!("migrations/002.sql"),
    include_str!("migrations/003.sql"),
    include_str!("migrations/004.sql"),
    include_str!("migrations/005.sql"),
    include_str!("migrations/006.sql"),
    include_str!("migrations/007.sql"),
    include_str!("migrations/008.sql"),
];

/// What the versions from the first on lack, for a connection that only reads: a column or a table that is empty.
const LACKING: [&str; STEPS.len() - 1] = [
    "CREATE TEMP VIEW run AS SELECT *, NULL AS source FROM main.run;
     CREATE TEMP TABLE record (run BIGINT, bytes BLOB);
     CREATE TEMP TABLE object (run BIGINT, name TEXT, build_id TEXT, compiler TEXT);",
    "CREATE TEMP TABLE phase (run BIGINT, number BIGINT, name TEXT, began BIGINT, ended BIGINT);",
    "CREATE TEMP VIEW verdict AS SELECT *, NULL AS split FROM main.verdict;
     CREATE TEMP VIEW profile AS SELECT *, NULL AS coverage FROM main.profile;",
    "CREATE TEMP TABLE message_series (run BIGINT, bytes BLOB);",
    "CREATE TEMP TABLE report (run BIGINT, json TEXT, text TEXT);",
    "CREATE TEMP TABLE foreign_profile (run BIGINT, bytes BLOB);",
    "CREATE TEMP TABLE user_event (run BIGINT, name TEXT, kind TEXT, process BIGINT, thread BIGINT, path TEXT, count BIGINT, \
     sum BIGINT, least BIGINT, most BIGINT, squares TEXT);",
];

/// Lets an older store be read as one of today; the file stays as it is, and no other connection sees what is added.
pub(crate) fn supplement(connection: &Connection, found: i64) -> rusqlite::Result<()> {
    let mut lacking = (1i64..).zip(LACKING).filter(|(version, _)| *version >= found);
    lacking.try_for_each(|(_, tables)| connection.execute_batch(tables))
}

/// The version that this whyperf writes.
pub(crate) fn newest() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

/// The version of a store; 0 when nothing is in it yet.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    let known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'";
    if connection.query_row(known, [], |_| Ok(())).optional()?.is_none() {
        return Ok(0);
    }
    connection
        .query_row("SELECT coalesce(max(version), 0) FROM schema_version", [], |row| row.get(0))
}

/// Takes the steps that are missing, all or none: two runs that start at once do not see halves of each other's.
pub(crate) fn migrate(path: &Path, connection: &mut Connection) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| StoreError::of(path, "bringing it up to date", &error);
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let found = version(&transaction).map_err(failed)?;
    let foreign = "SELECT count(*) FROM sqlite_master WHERE type = 'table'";
    let tables: i64 = transaction.query_row(foreign, [], |row| row.get(0)).map_err(failed)?;
    if found == 0 && tables > 0 {
        let reason = "it is a database of something else".to_owned();
        return Err(StoreError::Damaged { path: path.to_owned(), reason });
    }
    for (number, step) in (1i64..).zip(STEPS).filter(|(number, _)| *number > found) {
        if number == 1 {
            let table = "CREATE TABLE schema_version (version BIGINT NOT NULL)";
            transaction.execute_batch(table).map_err(failed)?;
        }
        transaction.execute_batch(step).map_err(failed)?;
        let note = "INSERT INTO schema_version (version) VALUES ($1)";
        transaction.execute(note, [number]).map_err(failed)?;
    }
    transaction.commit().map_err(failed)
}
