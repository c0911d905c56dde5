//! One row of an answer, wherever it came from.

use rusqlite::types::ValueRef;

use super::DatabaseError;
use super::value::{Column, Value};

/// A row while it is read.
#[derive(Debug)]
pub(crate) enum Row<'a> {
    /// Of a file.
    File(&'a rusqlite::Row<'a>),
    /// Of a server.
    Server(&'a [Value<'a>]),
}

impl Row<'_> {
    /// What stands in a column, which are counted from 0.
    pub(crate) fn get<T: Column>(&self, column: usize) -> Result<T, DatabaseError> {
        T::of(self.value(column)?).ok_or(DatabaseError::Content { column })
    }

    /// The text in a column, without a copy.
    pub(crate) fn text(&self, column: usize) -> Result<&str, DatabaseError> {
        match self.value(column)? {
            Value::Text(text) => Ok(text),
            _ => Err(DatabaseError::Content { column }),
        }
    }

    /// What stands in a column, as it stands there.
    pub(crate) fn value(&self, column: usize) -> Result<Value<'_>, DatabaseError> {
        let content = DatabaseError::Content { column };
        match self {
            Self::File(row) => Ok(match row.get_ref(column)? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(number) => Value::Integer(number),
                ValueRef::Real(number) => Value::Real(number),
                ValueRef::Text(text) => {
                    Value::Text(std::str::from_utf8(text).map_err(|_| content)?)
                }
                ValueRef::Blob(bytes) => Value::Bytes(bytes),
            }),
            Self::Server(values) => values.get(column).copied().ok_or(content),
        }
    }
}
