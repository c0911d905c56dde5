//! The numbers by which a trace names its ranks, communicators, regions, requests and tags.

use std::fmt;

/// One location of a trace, by the order of the trace: a rank of MPI, or a thread of a program without MPI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(pub u32);

impl Rank {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "rank {}", self.0)
    }
}

/// A communicator, by its place in the table of the trace. The first one holds all ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommId(pub u32);

impl CommId {
    /// All ranks.
    pub const WORLD: Self = Self(0);

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A region, by its place in the table of the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegionId(pub u32);

impl RegionId {
    /// Its place in the table.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A request of a non-blocking call: a number that its rank uses again after the wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u32);

impl RequestId {
    /// That of a receive that nobody waits for.
    pub const UNHEEDED: Self = Self(u32::MAX);
}

/// The tag of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(pub i32);

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl Bytes {
    /// As a factor of a time a byte: all bytes but the first, whose time is in the latency.
    pub(crate) fn after_first(self) -> f64 {
        self.0.saturating_sub(1) as f64
    }

    pub(crate) fn times(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }

    /// One of `parts` equal parts, rounded up.
    pub(crate) fn part(self, parts: u64) -> Self {
        Self(self.0.div_ceil(parts.max(1)))
    }
}
