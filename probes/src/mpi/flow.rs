//! The flow of a collective operation: which ranks send and receive, and how many times the count of its arguments.

/// What a collective operation sends and receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageFlow {
    pub(super) out: (Who, Times),
    pub(super) r#in: (Who, Times),
}

/// Who takes part in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    All,
    Root,
    Others,
}

/// How often the count counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Times {
    Never,
    Once,
    /// Once for each rank.
    Ranks,
    /// Once for each rank of the caller's own group.
    Members,
    /// The counts are a list, one for each rank.
    List,
    /// The counts are a list, one for each rank of the caller's own group.
    MemberList,
    /// Counts and datatypes are lists.
    TypedList,
    /// The counts are a list; the caller's own one counts.
    Own,
    /// Once for each neighbour.
    NeighbourEach,
    /// The counts are a list, one for each neighbour.
    NeighbourList,
    /// Counts and datatypes are lists, one for each neighbour.
    NeighbourTypedList,
}

use Times::{
    List, MemberList, Members, NeighbourEach, NeighbourList, NeighbourTypedList, Never, Once, Own,
    Ranks, TypedList,
};
use Who::{All, Others, Root};

impl MessageFlow {
    pub(crate) const NOTHING: Self = Self { out: (All, Never), r#in: (All, Never) };
    pub(crate) const BROADCAST: Self = Self { out: (Root, Once), r#in: (Others, Once) };
    pub(crate) const REDUCE: Self = Self { out: (Others, Once), r#in: (Root, Once) };
    pub(crate) const EXCHANGE: Self = Self { out: (All, Once), r#in: (All, Once) };
    pub(crate) const GATHER: Self = Self { out: (All, Once), r#in: (Root, Ranks) };
    pub(crate) const GATHER_LIST: Self = Self { out: (All, Once), r#in: (Root, List) };
    pub(crate) const SCATTER: Self = Self { out: (Root, Ranks), r#in: (All, Once) };
    pub(crate) const SCATTER_LIST: Self = Self { out: (Root, List), r#in: (All, Once) };
    pub(crate) const ALL_GATHER: Self = Self { out: (All, Once), r#in: (All, Ranks) };
    pub(crate) const ALL_GATHER_LIST: Self = Self { out: (All, Once), r#in: (All, List) };
    pub(crate) const ALL_TO_ALL: Self = Self { out: (All, Ranks), r#in: (All, Ranks) };
    pub(crate) const ALL_TO_ALL_LIST: Self = Self { out: (All, List), r#in: (All, List) };
    pub(crate) const ALL_TO_ALL_TYPED: Self =
        Self { out: (All, TypedList), r#in: (All, TypedList) };
    pub(crate) const REDUCE_SCATTER: Self = Self { out: (All, MemberList), r#in: (All, Own) };
    pub(crate) const REDUCE_SCATTER_BLOCK: Self = Self { out: (All, Members), r#in: (All, Once) };
    pub(crate) const NEIGHBOUR_GATHER: Self = Self { out: (All, Once), r#in: (All, NeighbourEach) };
    pub(crate) const NEIGHBOUR_GATHER_LIST: Self =
        Self { out: (All, Once), r#in: (All, NeighbourList) };
    pub(crate) const NEIGHBOUR_ALL: Self =
        Self { out: (All, NeighbourEach), r#in: (All, NeighbourEach) };
    pub(crate) const NEIGHBOUR_ALL_LIST: Self =
        Self { out: (All, NeighbourList), r#in: (All, NeighbourList) };
    pub(crate) const NEIGHBOUR_ALL_TYPED: Self =
        Self { out: (All, NeighbourTypedList), r#in: (All, NeighbourTypedList) };
}

/// How often the other side's count counts for a side that is in place.
pub(super) const fn in_place(mine: Times, other: Times) -> Times {
    match (mine, other) {
        (Once, List) => Own,
        (Once, _) => Once,
        (_, other) => other,
    }
}
