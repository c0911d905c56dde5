//! A short text in place, in which names are put together.

use core::sync::atomic::{AtomicU64, Ordering};

/// At most `N` bytes; what does not fit is left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedText<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

/// A name of a communicator, and of what its members make together.
pub(crate) type CommunicatorName = FixedText<{ 8 * NAME_WORDS }>;

/// Length of a name in machine words.
const NAME_WORDS: usize = 15;

impl<const N: usize> FixedText<N> {
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

/// A name that threads have in common. MPI lets no thread use a communicator while another one
/// names it; where a program does so all the same, the name is a mixture of both.
#[derive(Debug)]
pub(crate) struct KeptName {
    words: [AtomicU64; NAME_WORDS],
    length: AtomicU64,
}

impl KeptName {
    /// The empty name.
    pub(crate) const fn new() -> Self {
        Self { words: [const { AtomicU64::new(0) }; NAME_WORDS], length: AtomicU64::new(0) }
    }

    /// Keeps a name.
    pub(crate) fn store(&self, name: &CommunicatorName) {
        let (words, _) = name.bytes.as_chunks();
        for (kept, word) in self.words.iter().zip(words) {
            kept.store(u64::from_ne_bytes(*word), Ordering::Relaxed);
        }
        self.length.store(name.length as u64, Ordering::Relaxed);
    }

    /// The name that is kept.
    pub(crate) fn load(&self) -> CommunicatorName {
        let mut name = CommunicatorName::new();
        let (words, _) = name.bytes.as_chunks_mut();
        for (word, kept) in words.iter_mut().zip(&self.words) {
            *word = kept.load(Ordering::Relaxed).to_ne_bytes();
        }
        name.length = self.length.load(Ordering::Relaxed) as usize;
        name
    }
}
