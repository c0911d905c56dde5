//! The direct branches and calls of an object: where each leads, and which of them may take control out of a function.

use std::ops::Range;

/// A direct branch or call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Branch {
    /// The address it leads to.
    pub to: u64,
    /// The address of the instruction.
    pub from: u64,
}

/// All direct branches and calls of an object, also of code that no function is known to cover.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branches {
    /// Address that the others are counted from.
    base: u64,
    /// Sorted by where they lead.
    inward: Vec<Packed>,
    /// Sorted by where they are.
    outward: Vec<Exit>,
}

/// A branch: where it leads in the upper half, where it is in the lower, both from the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Packed(pub(crate) u64);

/// An instruction by which control may leave a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Exit {
    /// Its address, from the base.
    pub(crate) from: u32,
    pub(crate) way: Way,
}

/// How it leaves. Distances are from the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    /// A call of an address.
    Call(u32),
    /// A jump to an address.
    Jump(u32),
    /// A call of, or jump to, what a slot holds.
    Slot(u32),
    /// A call of an address that is worked out.
    Computed,
}

impl Packed {
    pub(crate) const fn new(to: u32, from: u32) -> Self {
        Self((to as u64) << 32 | from as u64)
    }

    pub(crate) const fn to(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub(crate) const fn from(self) -> u32 {
        self.0 as u32
    }
}

impl Branches {
    /// Of what was found, in any order.
    pub(crate) fn new(base: u64, mut inward: Vec<Packed>, mut outward: Vec<Exit>) -> Self {
        // Parts that are in order already are merged.
        inward.sort();
        inward.dedup();
        outward.sort();
        outward.dedup();
        inward.shrink_to_fit();
        outward.shrink_to_fit();
        Self { base, inward, outward }
    }

    /// Those that lead to an address in a range, by where they lead.
    pub fn into(&self, range: Range<u64>) -> impl Iterator<Item = Branch> + '_ {
        let start = self.inward.partition_point(|branch| self.at(branch.to()) < range.start);
        let from_there = self.inward[start..].iter();
        let branches = from_there
            .map(|branch| Branch { to: self.at(branch.to()), from: self.at(branch.from()) });
        branches.take_while(move |branch| branch.to < range.end)
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.inward.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.inward.is_empty()
    }

    /// By which instructions in a range control may leave a function.
    pub(crate) fn exits(&self, range: Range<u64>) -> &[Exit] {
        let index =
            |address: u64| self.outward.partition_point(|exit| self.at(exit.from) < address);
        let (start, end) = (index(range.start), index(range.end));
        self.outward.get(start..end).unwrap_or_default()
    }

    pub(crate) fn parts(&self) -> (&[Packed], &[Exit]) {
        (&self.inward, &self.outward)
    }

    /// The address that is so far from the base.
    pub(crate) const fn at(&self, distance: u32) -> u64 {
        self.base.saturating_add(distance as u64)
    }
}
