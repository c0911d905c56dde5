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
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/task/{tid}/schedstat")).ok()?)
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

    /// What the text of such a file says.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split_ascii_whitespace().map_while(|word| word.parse().ok());
        Some(Self { ran: numbers.next()?, delayed: numbers.next()?, turns: numbers.next()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_three_numbers() {
        let expected = Schedstat { ran: 17, delayed: 4, turns: 2 };
        assert_eq!(Schedstat::parse("17 4 2\n"), Some(expected));
        assert_eq!(Schedstat::parse("17 4\n"), None);
        assert_eq!(Schedstat::parse(""), None);
    }
}
