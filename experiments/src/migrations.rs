//! The numbered steps from an empty file to the present shape of the store.

use std::path::Path;

use crate::database::{Connection, DatabaseError, params};
use crate::error::StoreError;

/// Each step once, in order; a step that was shipped is never changed.
const STEPS: [&str; 11] = [
    include_str!("migrations/001.sql"),
    include_str!("migrations/002.sql"),
    include_str!("migrations/003.sql"),
    include_str!("migrations/004.sql"),
    include_str!("migrations/005.sql"),
    include_str!("migrations/006.sql"),
    include_str!("migrations/007.sql"),
    include_str!("migrations/008.sql"),
    include_str!("migrations/009.sql"),
    include_str!("migrations/010.sql"),
    include_str!("migrations/011.sql"),
];

/// What the versions from the first on lack, for a connection that only reads: a column or a table that is empty.
const LACKING: [&str; STEPS.len() - 1] = [
    "CREATE TEMP VIEW run AS SELECT *, CAST(NULL AS BIGINT) AS source FROM main.run;
     CREATE TEMP TABLE record (run BIGINT, bytes BLOB);
     CREATE TEMP TABLE object (run BIGINT, name TEXT, build_id TEXT, compiler TEXT);",
    "CREATE TEMP TABLE phase (run BIGINT, number BIGINT, name TEXT, began BIGINT, ended BIGINT);",
    "CREATE TEMP VIEW verdict AS SELECT *, CAST(NULL AS TEXT) AS split FROM main.verdict;
     CREATE TEMP VIEW profile AS SELECT *, CAST(NULL AS REAL) AS coverage FROM main.profile;",
    "CREATE TEMP TABLE message_series (run BIGINT, bytes BLOB);",
    "CREATE TEMP TABLE report (run BIGINT, json TEXT, text TEXT);",
    "CREATE TEMP TABLE foreign_profile (run BIGINT, bytes BLOB);",
    "CREATE TEMP TABLE user_event (run BIGINT, name TEXT, kind TEXT, process BIGINT, thread BIGINT, path TEXT, count BIGINT, \
     sum BIGINT, least BIGINT, most BIGINT, squares TEXT, deviation REAL);",
    "CREATE TEMP TABLE callpath (run BIGINT, number BIGINT, path TEXT);
     CREATE TEMP TABLE profile_row (run BIGINT, process BIGINT, thread BIGINT, callpath BIGINT, calls BIGINT, inclusive BIGINT, \
     exclusive BIGINT, sent BIGINT, received BIGINT, source TEXT, coverage REAL);
     CREATE TEMP VIEW whole_profile AS SELECT run, process, thread, path, calls, inclusive, exclusive, sent, received, source, \
     coverage FROM profile;",
    "CREATE TEMP TABLE foreign_part (run BIGINT, number BIGINT, bytes BLOB);
     CREATE TEMP TABLE record_part (run BIGINT, number BIGINT, bytes BLOB);
     CREATE TEMP TABLE callpath_source (run BIGINT, callpath BIGINT, source TEXT);",
    "CREATE TEMP TABLE run_sums (run BIGINT, digest BLOB, sums BLOB, shape BLOB);",
];

/// Lets an older store be read as one of today; the store stays as it is, and no other connection sees what is added.
pub(crate) fn supplement(connection: &Connection, found: i64) -> Result<(), DatabaseError> {
    let mut lacking = (1i64..).zip(LACKING).filter(|(version, _)| *version >= found);
    lacking.try_for_each(|(_, tables)| connection.supplement(tables))
}

/// The version that this whyperf writes.
pub(crate) fn newest() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

/// The version of a store; 0 when nothing is in it yet.
pub(crate) fn version(connection: &Connection) -> Result<i64, DatabaseError> {
    if !connection.has_table("schema_version")? {
        return Ok(0);
    }
    let query = "SELECT coalesce(max(version), 0) FROM schema_version";
    Ok(connection.query_first(query, &[], |row| row.get(0))?.unwrap_or(0))
}

/// Takes the steps that are missing, all or none: two runs that start at once do not see halves of each other's.
pub(crate) fn migrate(shown: &Path, connection: &mut Connection) -> Result<(), StoreError> {
    let done = connection.transact(|transaction| {
        transaction.lock_for_migration()?;
        let found = version(transaction)?;
        if found == 0 && transaction.tables()? > 0 {
            return Ok(false);
        }
        for (number, step) in (1i64..).zip(STEPS).filter(|(number, _)| *number > found) {
            if number == 1 {
                transaction.batch("CREATE TABLE schema_version (version BIGINT NOT NULL)")?;
            }
            transaction.migrate(step)?;
            let note = "INSERT INTO schema_version (version) VALUES ($1)";
            transaction.execute(note, params![number])?;
        }
        Ok(true)
    });
    match done {
        Ok(true) => Ok(()),
        Ok(false) => {
            let reason = "it is a database of something else".to_owned();
            Err(StoreError::Damaged { path: shown.to_owned(), reason })
        }
        Err(error) => Err(StoreError::of(shown, "bringing it up to date", &error)),
    }
}
