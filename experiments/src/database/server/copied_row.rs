//! A row as the server reads it in a copy: a line of columns with tabs between them.

use std::fmt::Write as _;

use bytes::{BufMut as _, BytesMut};

use crate::database::value::Value;

/// Adds a row.
pub(super) fn write(row: &[Value<'_>], out: &mut BytesMut) {
    for (at, value) in row.iter().enumerate() {
        if at > 0 {
            out.put_u8(b'\t');
        }
        write_value(*value, out);
    }
    out.put_u8(b'\n');
}

fn write_value(value: Value<'_>, out: &mut BytesMut) {
    match value {
        Value::Null => out.put_slice(b"\\N"),
        // Writing into memory does not fail.
        Value::Integer(number) => drop(write!(out, "{number}")),
        Value::Real(number) => drop(write!(out, "{number:?}")),
        Value::Text(text) => text.chars().for_each(|one| write_character(one, out)),
        Value::Bytes(bytes) => {
            out.put_slice(b"\\\\x");
            for byte in bytes {
                let _ = write!(out, "{byte:02x}");
            }
        }
    }
}

/// What would end a column or a row is told by two characters; a byte of zero is as in other statements.
fn write_character(one: char, out: &mut BytesMut) {
    match one {
        '\\' => out.put_slice(b"\\\\"),
        '\t' => out.put_slice(b"\\t"),
        '\n' => out.put_slice(b"\\n"),
        '\r' => out.put_slice(b"\\r"),
        '\0' => out.put_slice("\u{fffd}".as_bytes()),
        other => out.put_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_row_or_a_column_does_not_stand_in_a_value() {
        let mut out = BytesMut::new();
        let odd = Value::Text("a\tb\nc\\d\r\0é");
        let bytes = Value::Bytes(&[0, 255]);
        write(&[Value::Integer(-7), Value::Null, odd, Value::Real(1.5), bytes], &mut out);
        let told = std::str::from_utf8(&out).expect("it is text");
        assert_eq!(told, "-7\t\\N\ta\\tb\\nc\\\\d\\r\u{fffd}é\t1.5\t\\\\x00ff\n");
    }
}
