//! A connection to a server of PostgreSQL, by its protocol.
//!
//! Statements of a transaction are sent without waiting for each other's answer: so a run of ten thousand rows takes some twenty round
//! trips, and the server carries out nothing that comes after a mistake.

mod address;
mod authentication;
mod copied_row;
mod error;
mod password_file;
mod session;
mod stream;
mod tls;

use std::cell::RefCell;
use std::sync::Arc;

pub use address::AddressError;
pub(crate) use address::ServerAddress;
pub(crate) use error::ServerError;
pub(crate) use session::PreparedStatement;

use self::session::Session;
use super::value::{Parameter, Value};

/// An open connection.
pub(crate) struct ServerConnection {
    session: RefCell<Session>,
}

impl std::fmt::Debug for ServerConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerConnection").finish_non_exhaustive()
    }
}

impl ServerConnection {
    /// Connects to the first server of the address that lets the user in.
    pub(crate) fn open(address: &ServerAddress) -> Result<Self, ServerError> {
        Ok(Self { session: RefCell::new(Session::open(address)?) })
    }

    pub(super) fn prepare(&self, sql: &str) -> Result<Arc<PreparedStatement>, ServerError> {
        self.session.borrow_mut().prepare(sql)
    }

    pub(super) fn execute(
        &self,
        statement: &PreparedStatement,
        parameters: &[&dyn Parameter],
    ) -> Result<(), ServerError> {
        self.session.borrow_mut().execute(statement, parameters)
    }

    pub(super) fn query(
        &self,
        statement: &PreparedStatement,
        parameters: &[&dyn Parameter],
        read: impl FnMut(&[Value<'_>]),
    ) -> Result<(), ServerError> {
        self.session.borrow_mut().query(statement, parameters, read)
    }

    /// Carries out a `COPY … FROM STDIN` of these rows.
    pub(super) fn copy<'v, const COLUMNS: usize>(
        &self,
        sql: &str,
        rows: impl Iterator<Item = [Value<'v>; COLUMNS]>,
    ) -> Result<(), ServerError> {
        self.session.borrow_mut().copy(sql, rows)
    }

    pub(super) fn batch(&self, sql: &str) -> Result<(), ServerError> {
        self.session.borrow_mut().batch(sql)
    }

    pub(super) fn begin(&self) -> Result<(), ServerError> {
        self.batch("BEGIN")
    }

    pub(super) fn commit(&self) -> Result<(), ServerError> {
        self.batch("COMMIT")
    }

    pub(super) fn roll_back(&self) -> Result<(), ServerError> {
        self.batch("ROLLBACK")
    }
}
