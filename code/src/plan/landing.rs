//! Reads the exception table of a function, which its unwind entry names: its call sites, and where exceptions are caught.

use std::ops::Range;

use crate::object::Object;

/// Calls between two addresses, and where an exception that passes them is caught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallSite {
    pub(crate) calls: Range<u64>,
    pub(crate) landing: u64,
}

/// The call sites of the function around an address that have a landing place.
///
/// `None` says that there is a table that could not be read.
pub(crate) fn call_sites(object: &Object, address: u64) -> Option<Vec<CallSite>> {
    let Some(frame) = object.frame(address) else { return Some(Vec::new()) };
    let Some(table) = frame.landing else { return Some(Vec::new()) };
    let bytes = tail(object, table)?;
    let start = frame.begin;
    read(bytes, start)
}

/// The bytes from an address on, as many as a table can have.
fn tail(object: &Object, table: u64) -> Option<&[u8]> {
    let (at, bytes) = object.section(".gcc_except_table")?;
    bytes.get(usize::try_from(table.checked_sub(at)?).ok()?..)
}

fn read(bytes: &[u8], start: u64) -> Option<Vec<CallSite>> {
    let mut reader = Reader { bytes };
    let landing_base = match reader.byte()? {
        OMITTED => start,
        _ => return None,
    };
    if reader.byte()? != OMITTED {
        reader.uleb()?;
    }
    let encoding = reader.byte()?;
    let length = usize::try_from(reader.uleb()?).ok()?;
    let mut records = Reader { bytes: reader.bytes.get(..length)? };
    let mut found = Vec::new();
    while !records.bytes.is_empty() {
        let from = records.number(encoding)?;
        let length = records.number(encoding)?;
        let landing = records.number(encoding)?;
        records.uleb()?;
        if landing != 0 {
            let from = start.checked_add(from)?;
            let calls = from..from.checked_add(length)?;
            found.push(CallSite { calls, landing: landing_base.checked_add(landing)? });
        }
    }
    Some(found)
}

/// The encoding that says that a value is not there.
const OMITTED: u8 = 0xff;

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn uleb(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A number without sign: the encodings that compilers use for call sites.
    fn number(&mut self, encoding: u8) -> Option<u64> {
        match encoding {
            0x01 => self.uleb(),
            0x03 => {
                let (first, rest) = self.bytes.split_first_chunk::<4>()?;
                self.bytes = rest;
                Some(u64::from(u32::from_le_bytes(*first)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CallSite, read};

    #[test]
    fn records_with_a_landing_place_are_read() {
        let table = [0xff, 0xff, 0x01, 8, 4, 5, 0x20, 1, 0x10, 2, 0, 0, 99];
        let found = read(&table, 0x1000);
        assert_eq!(found, Some(vec![CallSite { calls: 0x1004..0x1009, landing: 0x1020 }]));
    }

    #[test]
    fn a_table_cut_short_or_of_another_encoding_is_not_read() {
        assert_eq!(read(&[0xff, 0xff, 0x01, 8, 4], 0), None);
        assert_eq!(read(&[0xff, 0xff, 0x1b, 4, 0, 0, 0, 0], 0), None);
        assert_eq!(read(&[0xff, 0xff, 0x01, 3, 0x80, 0x80, 0x80], 0), None);
        assert_eq!(read(&[], 0), None);
    }
}
