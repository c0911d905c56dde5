//! One event of a trace: a stretch of computing, or a call that works together with other ranks.

use crate::identity::{Bytes, CommId, Rank, RegionId, RequestId, Tag};
use crate::time::SimTime;

/// What a rank did next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// It computed in a region for so long, on the machine of the trace. Calls that follow belong to the same region.
    Compute {
        /// Where.
        region: RegionId,
        /// How long.
        span: SimTime,
    },
    /// A blocking send: returns when its buffer may be used again.
    Send(Sent),
    /// A send that a later wait completes.
    Isend(Sent, RequestId),
    /// A blocking receive.
    Recv(Expected),
    /// A receive that a later wait completes.
    Irecv(Expected, RequestId),
    /// Waits for one request. A wait for several is several events, in any order.
    Wait(RequestId),
    /// A collective call of all members of its communicator.
    Collective(Collective),
    /// A barrier of all members of a communicator.
    Barrier(CommId),
    /// Reads from the memory of another rank, and waits for the data.
    Get(RemoteAccess),
    /// Writes into the memory of another rank, and waits until it is there.
    Put(RemoteAccess),
}

/// The envelope of a message, at its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The receiver, as a rank of the trace whatever the communicator.
    pub to: Rank,
    /// Its tag.
    pub tag: Tag,
    /// Its communicator.
    pub comm: CommId,
    /// How long the message is.
    pub bytes: Bytes,
}

/// The envelope of a message, at its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The sender; `None` of a wildcard whose match is not known.
    pub from: Option<Rank>,
    /// The tag; `None` of a wildcard whose match is not known.
    pub tag: Option<Tag>,
    /// Its communicator.
    pub comm: CommId,
}

/// A collective call. The n-th one of a communicator at each of its members is the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collective {
    /// Which.
    pub kind: CollectiveKind,
    /// Of whom.
    pub comm: CommId,
    /// The root as a rank of the trace, where the kind has one.
    pub root: Rank,
    /// What one rank contributes to one other rank, or to all where all get the same.
    pub bytes: Bytes,
}

/// The data movement of a collective call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CollectiveKind {
    /// From the root to all.
    Broadcast,
    /// Combined at the root.
    Reduce,
    /// Combined at all.
    Allreduce,
    /// A part from each, all at the root.
    Gather,
    /// A part to each from the root.
    Scatter,
    /// A part from each, all at all.
    Allgather,
    /// A part from each to each.
    Alltoall,
    /// Combined, and a part of it to each. Bytes are those of a rank's whole contribution.
    ReduceScatter,
    /// Combined of all ranks up to one's own.
    Scan,
}

impl CollectiveKind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Broadcast,
        Self::Reduce,
        Self::Allreduce,
        Self::Gather,
        Self::Scatter,
        Self::Allgather,
        Self::Alltoall,
        Self::ReduceScatter,
        Self::Scan,
    ];

    /// The word for it in files and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Broadcast => "broadcast",
            Self::Reduce => "reduce",
            Self::Allreduce => "allreduce",
            Self::Gather => "gather",
            Self::Scatter => "scatter",
            Self::Allgather => "allgather",
            Self::Alltoall => "alltoall",
            Self::ReduceScatter => "reduce-scatter",
            Self::Scan => "scan",
        }
    }

    /// Whether one of the ranks is another than the others.
    #[must_use]
    pub const fn has_root(self) -> bool {
        matches!(self, Self::Broadcast | Self::Reduce | Self::Gather | Self::Scatter)
    }

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// An access to the memory of another rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteAccess {
    /// Whose memory.
    pub owner: Rank,
    /// How much of it.
    pub bytes: Bytes,
}
