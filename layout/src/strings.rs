//! The strings of a process: append-only, each a length and its bytes, named by their offset.
//!
//! A string is written whole before its offset is stored anywhere (release, by the table that
//! names it), and never changes. Offset 0 is the empty string. The reader checks every length, and
//! loads each byte once, for the process that writes them is another one and may write anything.

use core::sync::atomic::{AtomicU8, Ordering};

/// Longest string that is kept; longer ones are cut.
pub const LONGEST: usize = 4096;

/// Bytes a string of this length takes: a u32 for the length, the bytes, padding to four.
#[must_use]
pub const fn size(length: usize) -> usize {
    (4 + length).next_multiple_of(4)
}

/// Reader: the bytes of the string at `offset` of `strings`, empty when that cannot be one.
pub fn at(strings: &[AtomicU8], offset: u32) -> impl Iterator<Item = u8> {
    let offset = offset as usize;
    let found = strings.get(offset..).and_then(|rest| rest.split_first_chunk::<4>());
    let found = found.filter(|_| offset != 0).and_then(|(length, rest)| {
        let length = length.each_ref().map(load);
        let length = u32::from_le_bytes(length) as usize;
        rest.get(..length).filter(|_| length <= LONGEST)
    });
    found.unwrap_or(&[]).iter().map(load)
}

fn load(byte: &AtomicU8) -> u8 {
    byte.load(Ordering::Relaxed)
}

/// Writer: a string as the words that it is stored in.
pub fn words(text: &[u8]) -> impl Iterator<Item = u32> {
    let length = (text.len() as u32).to_le();
    let letters = text.chunks(4).map(|some| {
        let mut word = [0; 4];
        word.iter_mut().zip(some).for_each(|(place, byte)| *place = *byte);
        u32::from_ne_bytes(word)
    });
    core::iter::once(length).chain(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_there_and_nothing_else() {
        let strings = b"\0\0\0\0\x03\0\0\0abc\0\xff\xff\xff\xffxx\x09\0\0\0x".map(AtomicU8::new);
        let at = |offset| at(&strings, offset).collect::<Vec<u8>>();
        assert_eq!(at(4), b"abc");
        for nothing in [0, 12, 18, 20, 1000, u32::MAX] {
            assert_eq!(at(nothing), b"", "{nothing}");
        }
        assert_eq!(size(3), 8);
    }

    #[test]
    fn words_are_what_is_read_again() {
        let words: Vec<u32> = words(b"abcde").collect();
        assert_eq!(4 * words.len(), size(5));
        let bytes = words.iter().flat_map(|word| word.to_ne_bytes());
        let strings: Vec<AtomicU8> = [0; 4].into_iter().chain(bytes).map(AtomicU8::new).collect();
        assert_eq!(at(&strings, 4).collect::<Vec<u8>>(), b"abcde");
    }
}
