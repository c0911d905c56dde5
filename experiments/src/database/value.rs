//! The values that both databases hold, and how ours become them and come back.

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};

/// One value of a row, or one parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// Another number.
    Real(f64),
    /// A text.
    Text(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
}

/// What may stand for a `$n`.
pub(crate) trait Parameter {
    /// As the databases have it.
    fn value(&self) -> Value<'_>;
}

/// What may be read out of a row.
pub(crate) trait Column: Sized {
    /// Of what stands there; none where that is something else.
    fn of(value: Value<'_>) -> Option<Self>;
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Integer(number),
            Value::Real(number) => ValueRef::Real(number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

macro_rules! whole_numbers {
    ($($number:ty),*) => {$(
        impl Parameter for $number {
            fn value(&self) -> Value<'_> {
                Value::Integer(i64::from(*self))
            }
        }
        impl Column for $number {
            fn of(value: Value<'_>) -> Option<Self> {
                let Value::Integer(number) = value else { return None };
                Self::try_from(number).ok()
            }
        }
    )*};
}
whole_numbers!(i64, i32, u32);

impl Parameter for f64 {
    fn value(&self) -> Value<'_> {
        Value::Real(*self)
    }
}

impl Parameter for str {
    fn value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl Parameter for Box<str> {
    fn value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl Parameter for String {
    fn value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl Parameter for std::borrow::Cow<'_, str> {
    fn value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl Parameter for [u8] {
    fn value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl Parameter for Vec<u8> {
    fn value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl Parameter for Value<'_> {
    fn value(&self) -> Value<'_> {
        *self
    }
}

impl<T: Parameter + ?Sized> Parameter for &T {
    fn value(&self) -> Value<'_> {
        (**self).value()
    }
}

impl<T: Parameter> Parameter for Option<T> {
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, T::value)
    }
}

impl Column for bool {
    fn of(value: Value<'_>) -> Option<Self> {
        i64::of(value).map(|number| number != 0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a whole number where another may stand")]
impl Column for f64 {
    fn of(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Real(number) => Some(number),
            Value::Integer(number) => Some(number as Self),
            Value::Null | Value::Text(_) | Value::Bytes(_) => None,
        }
    }
}

impl Column for String {
    fn of(value: Value<'_>) -> Option<Self> {
        let Value::Text(text) = value else { return None };
        Some(text.to_owned())
    }
}

impl Column for Vec<u8> {
    fn of(value: Value<'_>) -> Option<Self> {
        let Value::Bytes(bytes) = value else { return None };
        Some(bytes.to_vec())
    }
}

impl<T: Column> Column for Option<T> {
    fn of(value: Value<'_>) -> Option<Self> {
        if value == Value::Null { Some(None) } else { T::of(value).map(Some) }
    }
}
