//! The strings of a process: append-only, each a length and its bytes, named by their offset.
//!
//! A string is written whole before its offset is stored anywhere (release, by the table that
//! names it), and never changes. Offset 0 is the empty string. The reader checks every length.

/// Longest string that is kept; longer ones are cut.
pub const LONGEST: usize = 4096;

/// Bytes a string of this length takes: a u32 for the length, the bytes, padding to four.
#[must_use]
pub const fn size(length: usize) -> usize {
    (4 + length).next_multiple_of(4)
}

/// Reader: the bytes of the string at `offset` of `strings`, empty when that cannot be one.
#[must_use]
pub fn at(strings: &[u8], offset: u32) -> &[u8] {
    let offset = offset as usize;
    let Some(rest) = strings.get(offset..) else { return &[] };
    let Some((length, rest)) = rest.split_first_chunk::<4>() else { return &[] };
    let length = u32::from_le_bytes(*length) as usize;
    if offset == 0 || length > LONGEST { &[] } else { rest.get(..length).unwrap_or(&[]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_there_and_nothing_else() {
        let strings = b"\0\0\0\0\x03\0\0\0abc\0\xff\xff\xff\xffxx";
        assert_eq!(at(strings, 4), b"abc");
        assert_eq!(at(strings, 0), b"");
        assert_eq!(at(strings, 12), b"");
        assert_eq!(at(strings, 1000), b"");
        assert_eq!(size(3), 8);
    }
}
