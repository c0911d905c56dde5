//! Writes many rows of a table at once: into a file some in each statement, and to a server as a copy, of which only the end is answered.

use super::{Connection, DatabaseError, Value};

/// So many rows are a statement: a file finds the place of the next one beside that of the one before.
const AT_ONCE: usize = 64;

impl Connection {
    /// Adds rows with these columns to a table; none of them may be there.
    pub(crate) fn add_rows<'v, const COLUMNS: usize>(
        &self,
        table: &str,
        columns: [&str; COLUMNS],
        mut rows: impl Iterator<Item = [Value<'v>; COLUMNS]>,
    ) -> Result<(), DatabaseError> {
        let columns = columns.join(", ");
        let connection = match self {
            Self::File(connection) => connection,
            Self::Server(server) => {
                let copy = format!("COPY {table} ({columns}) FROM STDIN");
                return Ok(server.copy(&copy, rows)?);
            }
        };
        let row = format!("({})", ["?"; COLUMNS].join(", "));
        let insert = |count: usize| {
            // Of a row that takes the place of another one it is not looked whether there is one.
            let rows = vec![row.as_str(); count].join(", ");
            format!("INSERT OR REPLACE INTO {table} ({columns}) VALUES {rows}")
        };
        let whole = insert(AT_ONCE);
        loop {
            let some: Vec<[Value<'_>; COLUMNS]> = rows.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                return Ok(());
            }
            let rest = (some.len() < AT_ONCE).then(|| insert(some.len()));
            let mut statement = match &rest {
                None => connection.prepare_cached(&whole)?,
                Some(rest) => connection.prepare_cached(rest)?,
            };
            statement.execute(rusqlite::params_from_iter(some.iter().flatten()))?;
        }
    }
}
