//! Records as bytes: numbers that take as many bytes as they need, lengths, and chunks.

use super::kinds::{
    CHUNK_HEADER, END_OF_CHUNK, END_OF_FILE, HEADER_SIZE, LITTLE_ENDIAN, TIMESTAMP,
};

/// Bytes of a chunk of events.
pub(super) const EVENT_CHUNK: usize = 1 << 20;
/// Bytes of a chunk of definitions: the most that there may be, for a record must fit into one.
pub(super) const DEFINITION_CHUNK: usize = 4 << 20;
/// The longest record of an event, with its time.
const LONGEST_EVENT: usize = 128;

/// Members of one record.
#[derive(Debug, Default)]
pub(super) struct Members(Vec<u8>);

impl Members {
    pub(super) fn byte(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    pub(super) fn short(mut self, value: u32) -> Self {
        put_number(&mut self.0, u64::from(value), value == u32::MAX);
        self
    }

    pub(super) fn long(mut self, value: u64) -> Self {
        put_number(&mut self.0, value, value == u64::MAX);
        self
    }

    /// A text; it ends where it has a zero.
    pub(super) fn text(mut self, value: &str) -> Self {
        self.0.extend(value.bytes().take_while(|byte| *byte != 0));
        self.0.push(0);
        self
    }
}

/// A file while it is made.
#[derive(Debug)]
pub(super) struct Chunks {
    bytes: Vec<u8>,
    size: usize,
    /// Where the chunk begins that is filled.
    begin: usize,
    /// Records so far that have a time.
    events: u64,
}

impl Chunks {
    /// An empty file with chunks of this size.
    pub(super) fn new(size: usize) -> Self {
        let mut chunks = Self { bytes: Vec::new(), size, begin: 0, events: 0 };
        chunks.header();
        chunks
    }

    fn header(&mut self) {
        self.begin = self.bytes.len();
        self.bytes.extend([CHUNK_HEADER, LITTLE_ENDIAN]);
        self.bytes.extend((self.events + 1).to_le_bytes());
        self.bytes.extend(0_u64.to_le_bytes());
    }

    /// A definition.
    pub(super) fn definition(&mut self, what: u8, members: Members) {
        let length = members.0.len();
        self.make_room(length + 16);
        self.bytes.push(what);
        if length < 0xff {
            self.bytes.push(length as u8);
        } else {
            self.bytes.push(0xff);
            self.bytes.extend((length as u64).to_le_bytes());
        }
        self.bytes.extend(members.0);
    }

    /// An event at a time; one with a single member has no length.
    pub(super) fn event(&mut self, time: u64, what: u8, members: Members, has_length: bool) {
        self.make_room(LONGEST_EVENT);
        self.bytes.push(TIMESTAMP);
        self.bytes.extend(time.to_le_bytes());
        self.bytes.push(what);
        if has_length {
            self.bytes.push(members.0.len() as u8);
        }
        self.bytes.extend(members.0);
        self.events += 1;
    }

    pub(super) const fn events(&self) -> u64 {
        self.events
    }

    fn make_room(&mut self, length: usize) {
        if self.bytes.len() - self.begin + length < self.size {
            return;
        }
        self.note_last();
        self.bytes.resize(self.begin + self.size, END_OF_CHUNK);
        self.header();
    }

    fn note_last(&mut self) {
        let at = self.begin + HEADER_SIZE - 8;
        self.bytes[at..at + 8].copy_from_slice(&self.events.to_le_bytes());
    }

    /// The whole file.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.note_last();
        self.bytes.push(END_OF_FILE);
        self.bytes
    }
}

fn put_number(bytes: &mut Vec<u8>, value: u64, is_all_ones: bool) {
    if value == 0 || is_all_ones {
        bytes.push(value as u8);
        return;
    }
    let length = 8 - value.leading_zeros() as usize / 8;
    bytes.push(length as u8);
    bytes.extend(&value.to_le_bytes()[..length]);
}

/// Bytes while they are read; nothing is where they end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'b>(pub(super) &'b [u8]);

impl<'b> Bytes<'b> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// Eight bytes as they are.
    pub(super) fn whole(&mut self) -> Option<u64> {
        let bytes = self.take(8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    pub(super) fn short(&mut self) -> Option<u32> {
        let (value, is_all_ones) = self.number(4)?;
        if is_all_ones { Some(u32::MAX) } else { u32::try_from(value).ok() }
    }

    pub(super) fn long(&mut self) -> Option<u64> {
        let (value, is_all_ones) = self.number(8)?;
        Some(if is_all_ones { u64::MAX } else { value })
    }

    fn number(&mut self, most: usize) -> Option<(u64, bool)> {
        let length = self.byte()?;
        if matches!(length, 0 | 0xff) {
            return Some((0, length != 0));
        }
        let bytes = self.take(Some(usize::from(length)).filter(|length| *length <= most)?)?;
        let mut whole = [0; 8];
        whole[..bytes.len()].copy_from_slice(bytes);
        Some((u64::from_le_bytes(whole), false))
    }

    pub(super) fn text(&mut self) -> Option<String> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let text = String::from_utf8_lossy(&self.0[..end]).into_owned();
        self.0 = &self.0[end + 1..];
        Some(text)
    }

    /// The members of a record that has a length.
    pub(super) fn members(&mut self) -> Option<Self> {
        let length = match self.byte()? {
            0xff => usize::try_from(self.whole()?).ok()?,
            length => usize::from(length),
        };
        self.take(length).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for value in [0, 1, 255, 256, 65_535, u32::MAX - 1, u32::MAX] {
            let members = Members::default().short(value).long(u64::from(value)).long(u64::MAX);
            let mut bytes = Bytes(&members.0);
            assert_eq!(bytes.short(), Some(value));
            assert_eq!((bytes.long(), bytes.long()), (Some(u64::from(value)), Some(u64::MAX)));
            assert_eq!(bytes.byte(), None);
        }
    }

    #[test]
    fn what_is_cut_is_none() {
        assert_eq!(Bytes(&[3, 1, 2]).long(), None);
        assert_eq!(Bytes(&[9, 1, 2, 3, 4, 5, 6, 7, 8, 9]).long(), None);
        assert_eq!(Bytes(b"abc").text(), None);
        assert!(Bytes(&[0xff, 1]).members().is_none());
    }

    #[test]
    fn a_full_chunk_is_as_long_as_all_others() {
        let mut chunks = Chunks::new(256);
        for time in 0..40 {
            chunks.event(time, super::super::kinds::ENTER, Members::default().short(7), false);
        }
        let bytes = chunks.finish();
        let headers: Vec<u64> = bytes
            .chunks(256)
            .map(|chunk| Bytes(&chunk[2..]).whole().expect("each chunk has a header"))
            .collect();
        assert_eq!(headers[0], 1);
        assert!(headers.windows(2).all(|pair| pair[1] > pair[0]));
        assert_eq!(bytes.last(), Some(&END_OF_FILE));
    }
}
