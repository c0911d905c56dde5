//! A short text in place: names are put together here.

/// At most `N` bytes; what does not fit is left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

/// A name of a communicator, and of what its members make together.
pub(crate) type Name = Text<120>;

impl<const N: usize> Text<N> {
    /// The empty text.
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; N], length: 0 }
    }

    /// Adds bytes at the end.
    pub(crate) fn push(&mut self, more: &[u8]) {
        for (place, byte) in self.bytes.iter_mut().skip(self.length).zip(more) {
            *place = *byte;
            self.length += 1;
        }
    }

    /// Adds a number in decimal.
    pub(crate) fn push_number(&mut self, number: i64) {
        if number < 0 {
            self.push(b"-");
        }
        let mut digits = [0; 20];
        let mut rest = number.unsigned_abs();
        let mut used = 0;
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
            used += 1;
            if rest == 0 {
                break;
            }
        }
        self.push(digits.get(digits.len() - used..).unwrap_or(&[]));
    }

    /// The text.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or(&[])
    }
}
