//! Where the direct branches and calls of an object lead.

use std::ops::Range;

/// A direct branch or call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Branch {
    /// The address it leads to.
    pub to: u64,
    /// The address of the instruction.
    pub from: u64,
}

/// All direct branches and calls of an object, by where they lead.
#[derive(Debug, Default)]
pub struct Branches {
    sorted: Vec<Branch>,
}

impl Branches {
    /// Those that lead to an address in a range.
    pub fn into(&self, range: Range<u64>) -> impl Iterator<Item = Branch> + '_ {
        let start = self.sorted.partition_point(|branch| branch.to < range.start);
        self.sorted[start..].iter().copied().take_while(move |branch| branch.to < range.end)
    }
}
