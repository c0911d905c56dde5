//! The few forms of protocol buffers that a profile needs: numbers, bytes, and lists of numbers.

use crate::varint;

/// A message as it is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// A number; zero is what is not written.
    pub(super) fn number(&mut self, field: u32, value: u64) {
        if value != 0 {
            self.varint(u64::from(field) << 3);
            self.varint(value);
        }
    }

    /// Bytes, a text or another message.
    pub(super) fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Another message.
    pub(super) fn message(&mut self, field: u32, message: &Self) {
        self.bytes(field, &message.0);
    }

    /// Numbers one after the other.
    pub(super) fn numbers(&mut self, field: u32, values: &[u64]) {
        let mut packed = Self::default();
        values.iter().for_each(|value| packed.varint(*value));
        self.message(field, &packed);
    }

    /// Its bytes.
    pub(super) fn written(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, value: u64) {
        varint::push(&mut self.0, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the encoding's own documentation.
    #[test]
    fn messages_are_written_as_documented() {
        let mut message = Message::default();
        message.number(1, 150);
        assert_eq!(message.clone().written(), [0x08, 0x96, 0x01]);
        message.bytes(2, b"testing");
        assert_eq!(message.clone().written()[3..5], [0x12, 0x07]);
        let mut packed = Message::default();
        packed.numbers(6, &[3, 270, 86942]);
        assert_eq!(packed.written(), [0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05]);
    }
}
