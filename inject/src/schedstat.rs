//! The file `/proc/<pid>/task/<tid>/schedstat`: what the scheduler has counted of a thread.

use std::fs;

/// What the scheduler has counted of a thread since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schedstat {
    /// Nanoseconds in which it ran.
    pub ran: u64,
    /// Nanoseconds in which it could run and had no processor: its run delay.
    pub delayed: u64,
    /// How often it got a processor.
    pub turns: u64,
}

impl Schedstat {
    /// Of a thread; `None` when it is gone, or a kernel does not count.
    #[must_use]
    pub fn of(pid: u32, tid: u32) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{pid}/task/{tid}/schedstat")).ok()?)
    }

    /// What was counted since another reading.
    #[must_use]
    pub const fn since(self, before: Self) -> Self {
        Self {
            ran: self.ran.saturating_sub(before.ran),
            delayed: self.delayed.saturating_sub(before.delayed),
            turns: self.turns.saturating_sub(before.turns),
        }
    }

    /// What the text of such a file says. It is read of each thread in each sampling pass, so by bytes: as text it takes several times as long.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        let mut words = text.split(|byte| matches!(byte, b' ' | b'\n'));
        let mut next = || number(words.next()?);
        Some(Self { ran: next()?, delayed: next()?, turns: next()? })
    }
}

/// A number of decimal digits alone.
fn number(word: &[u8]) -> Option<u64> {
    let add = |number: u64, byte: &u8| {
        let digit = byte.wrapping_sub(b'0');
        let number = number.checked_mul(10)?.checked_add(u64::from(digit))?;
        (digit < 10).then_some(number)
    };
    let first = word.first()?;
    word[1..].iter().try_fold(add(0, first)?, add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_three_numbers() {
        let expected = Schedstat { ran: 17, delayed: 4, turns: 2 };
        assert_eq!(Schedstat::parse(b"17 4 2\n"), Some(expected));
        for other in
            [&b"17 4\n"[..], b"", b"17 4 x\n", b"17 4 2:\n", b"17 99999999999999999999 2\n"]
        {
            assert_eq!(Schedstat::parse(other), None, "{}", other.escape_ascii());
        }
    }
}
