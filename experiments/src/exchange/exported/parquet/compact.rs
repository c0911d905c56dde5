//! Thrift's compact protocol, as far as Parquet's descriptions need it: numbers, texts, lists and structures.

use crate::varint;

/// A structure as it is written; fields are added in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct CompactStruct {
    bytes: Vec<u8>,
    last: u8,
}

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

impl CompactStruct {
    /// A number of 32 bits.
    pub(super) fn int(mut self, field: u8, value: i32) -> Self {
        self.field(field, I32);
        zigzag(&mut self.bytes, i64::from(value));
        self
    }

    /// A number of 64 bits.
    pub(super) fn long(mut self, field: u8, value: i64) -> Self {
        self.field(field, I64);
        zigzag(&mut self.bytes, value);
        self
    }

    /// A text.
    pub(super) fn text(mut self, field: u8, text: &str) -> Self {
        self.field(field, BINARY);
        binary(&mut self.bytes, text);
        self
    }

    /// A list of numbers of 32 bits.
    pub(super) fn ints(mut self, field: u8, values: &[i32]) -> Self {
        self.list(field, I32, values.len());
        values.iter().for_each(|value| zigzag(&mut self.bytes, i64::from(*value)));
        self
    }

    /// A list of texts.
    pub(super) fn texts(mut self, field: u8, texts: &[&str]) -> Self {
        self.list(field, BINARY, texts.len());
        texts.iter().for_each(|text| binary(&mut self.bytes, text));
        self
    }

    /// A structure in it.
    pub(super) fn structure(mut self, field: u8, inner: Self) -> Self {
        self.field(field, STRUCT);
        self.bytes.extend(inner.written());
        self
    }

    /// A list of structures.
    pub(super) fn structures(mut self, field: u8, all: Vec<Self>) -> Self {
        self.list(field, STRUCT, all.len());
        all.into_iter().for_each(|one| self.bytes.extend(one.written()));
        self
    }

    /// All of it, with its end.
    pub(super) fn written(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    /// The number of a field is written as its distance from the one before.
    fn field(&mut self, field: u8, kind: u8) {
        self.bytes.push((field - self.last) << 4 | kind);
        self.last = field;
    }

    fn list(&mut self, field: u8, kind: u8, length: usize) {
        self.field(field, LIST);
        match u8::try_from(length) {
            Ok(short) if short < 15 => self.bytes.push(short << 4 | kind),
            _ => {
                self.bytes.push(0xf0 | kind);
                varint::push(&mut self.bytes, length as u64);
            }
        }
    }
}

fn zigzag(bytes: &mut Vec<u8>, value: i64) {
    varint::push(bytes, (value.cast_unsigned() << 1) ^ (value >> 63).cast_unsigned());
}

fn binary(bytes: &mut Vec<u8>, text: &str) {
    varint::push(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_lists_are_as_thrift_has_them() {
        let written = CompactStruct::default().int(1, -2).long(4, 300).ints(5, &[0, 8]).written();
        assert_eq!(written, [0x15, 3, 0x36, 0xd8, 4, 0x19, 0x25, 0, 16, 0]);
        let long = CompactStruct::default().texts(2, &["a"; 20]).written();
        assert_eq!(long[..5], [0x29, 0xf8, 20, 1, b'a']);
        let inner = CompactStruct::default().structure(3, CompactStruct::default().text(1, "é"));
        assert_eq!(inner.written(), [0x3c, 0x18, 2, 0xc3, 0xa9, 0, 0]);
    }
}
