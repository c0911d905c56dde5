//! The one connection through which all statements of the store go: to a file of SQLite, or to a server of PostgreSQL.
//!
//! ```text
//!   recorder, history, … ── one text of each statement ──► Connection ──┬── File    rusqlite
//!                                                                       └── Server  the protocol of PostgreSQL, over a socket or TLS
//! ```
//! What the two do not have in common stands here and in [`dialect`], and nowhere else.

mod dialect;
mod error;
mod place;
mod problem;
mod row;
mod rows;
mod server;
mod value;

use rusqlite::TransactionBehavior;

pub(crate) use error::DatabaseError;
pub(crate) use place::StorePlace;
pub(crate) use problem::Problem;
pub(crate) use row::Row;
pub use server::AddressError;
pub(crate) use server::{ServerAddress, ServerConnection};
pub(crate) use value::{Parameter, Value};

/// The parameters of a statement, in the order of their numbers.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$(&$value as &dyn $crate::database::Parameter),*]
    };
}
pub(crate) use params;

/// An open database.
#[derive(Debug)]
pub(crate) enum Connection {
    /// A file.
    File(rusqlite::Connection),
    /// A server.
    Server(ServerConnection),
}

/// A statement that is carried out again and again.
pub(crate) enum Statement<'a> {
    /// In a file.
    File(rusqlite::CachedStatement<'a>),
    /// By a server, under this name.
    Server(&'a ServerConnection, std::sync::Arc<server::PreparedStatement>),
}

impl Connection {
    /// A statement that is carried out several times; it is understood once, as long as the connection lasts.
    pub(crate) fn prepare(&self, sql: &str) -> Result<Statement<'_>, DatabaseError> {
        Ok(match self {
            Self::File(connection) => Statement::File(connection.prepare_cached(sql)?),
            Self::Server(server) => Statement::Server(server, server.prepare(sql)?),
        })
    }

    /// Carries out a statement that answers nothing.
    pub(crate) fn execute(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<(), DatabaseError> {
        self.prepare(sql)?.execute(parameters)
    }

    /// All rows of an answer.
    pub(crate) fn query<T>(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
        read: impl FnMut(&Row<'_>) -> Result<T, DatabaseError>,
    ) -> Result<Vec<T>, DatabaseError> {
        self.prepare(sql)?.query(parameters, read)
    }

    /// The first row of an answer; none when there is none.
    pub(crate) fn query_first<T>(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
        read: impl FnMut(&Row<'_>) -> Result<T, DatabaseError>,
    ) -> Result<Option<T>, DatabaseError> {
        Ok(self.query(sql, parameters, read)?.into_iter().next())
    }

    /// Carries out several statements without parameters.
    pub(crate) fn batch(&self, sql: &str) -> Result<(), DatabaseError> {
        match self {
            Self::File(connection) => Ok(connection.execute_batch(sql)?),
            Self::Server(server) => Ok(server.batch(sql)?),
        }
    }

    /// From now on it is only read: of a file that is so since it was opened.
    pub(crate) fn only_read(&self) -> Result<(), DatabaseError> {
        match self {
            Self::File(_) => Ok(()),
            Self::Server(server) => Ok(server.batch("SET default_transaction_read_only = on")?),
        }
    }

    /// From now on many rows are written, whose references the writer looks at itself: of a file each would be looked up.
    pub(crate) fn begin_bulk(&self) -> Result<(), DatabaseError> {
        match self {
            // What one transaction writes has room in memory, and is written to the file once.
            Self::File(_) => self.batch("PRAGMA foreign_keys = OFF; PRAGMA cache_size = -8192"),
            Self::Server(_) => Ok(()),
        }
    }

    /// References are looked at again.
    pub(crate) fn end_bulk(&self) -> Result<(), DatabaseError> {
        match self {
            Self::File(_) => self.batch("PRAGMA foreign_keys = ON"),
            Self::Server(_) => Ok(()),
        }
    }

    /// Does something as a whole, or not at all.
    pub(crate) fn transact<T>(
        &mut self,
        work: impl FnOnce(&Self) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        let this = &*self;
        match this {
            Self::File(connection) => {
                let behavior = TransactionBehavior::Immediate;
                let transaction = rusqlite::Transaction::new_unchecked(connection, behavior)?;
                let done = work(this)?;
                transaction.commit()?;
                Ok(done)
            }
            Self::Server(server) => {
                server.begin()?;
                match work(this) {
                    Ok(done) => {
                        server.commit()?;
                        Ok(done)
                    }
                    Err(error) => {
                        // A server that is gone has taken it back already; the first error is the one to tell.
                        let _ = server.roll_back();
                        Err(error)
                    }
                }
            }
        }
    }
}

impl Statement<'_> {
    /// Carries it out with these parameters; inside a transaction an error may come with a later statement, or at its end.
    pub(crate) fn execute(&mut self, parameters: &[&dyn Parameter]) -> Result<(), DatabaseError> {
        match self {
            Self::File(statement) => {
                let values = parameters.iter().map(|parameter| parameter.value());
                statement.execute(rusqlite::params_from_iter(values))?;
                Ok(())
            }
            Self::Server(server, statement) => Ok(server.execute(statement, parameters)?),
        }
    }

    /// All rows of its answer.
    pub(crate) fn query<T>(
        &mut self,
        parameters: &[&dyn Parameter],
        mut read: impl FnMut(&Row<'_>) -> Result<T, DatabaseError>,
    ) -> Result<Vec<T>, DatabaseError> {
        match self {
            Self::File(statement) => {
                let values = parameters.iter().map(|parameter| parameter.value());
                let mut rows = statement.query(rusqlite::params_from_iter(values))?;
                let mut found = Vec::new();
                while let Some(row) = rows.next()? {
                    found.push(read(&Row::File(row))?);
                }
                Ok(found)
            }
            Self::Server(server, statement) => {
                let (mut found, mut wrong) = (Vec::new(), None);
                server.query(statement, parameters, |values| match read(&Row::Server(values)) {
                    Ok(one) => found.push(one),
                    Err(error) => wrong = wrong.take().or(Some(error)),
                })?;
                wrong.map_or(Ok(found), Err)
            }
        }
    }
}
