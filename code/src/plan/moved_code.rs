//! The instructions that a plan moves, as one piece of code.

use super::displace::Displaced;

/// Moved instructions in their order, without a place in memory yet. Addresses are those of the object file.
pub(crate) struct MovedCode<'plan> {
    /// First byte of the function.
    entry: u64,
    pub(crate) displaced: &'plan [Displaced],
    /// Distance of each copy from the first.
    pub(crate) starts: Vec<u64>,
    /// Where the original code goes on behind what is moved.
    pub(crate) resume: u64,
}

impl<'plan> MovedCode<'plan> {
    pub(crate) fn new(entry: u64, displaced: &'plan [Displaced], resume: u64) -> Self {
        let starts = displaced.iter().scan(0, |end, one| {
            let start = *end;
            *end += one.moved_length() as u64;
            Some(start)
        });
        Self { entry, displaced, starts: starts.collect(), resume }
    }

    /// Whether control leaves the copy at its end.
    pub(crate) fn goes_on(&self) -> bool {
        self.displaced.last().is_none_or(Displaced::goes_on)
    }

    /// Bytes of all copies.
    pub(crate) fn length(&self) -> u64 {
        self.displaced.iter().map(Displaced::moved_length).sum::<usize>() as u64
    }

    /// Distance of the copy that stands for an address from the first. A jump to the entry repeats the
    /// function within one call, so it stays in the copy.
    pub(crate) fn copied(&self, target: u64) -> Option<u64> {
        if target == self.entry {
            return Some(0);
        }
        let index = self.displaced.iter().position(|one| one.at == target)?;
        self.starts.get(index).copied()
    }
}
