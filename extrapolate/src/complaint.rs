//! What is wrong with a trace, in words that name ranks, calls and what they wait for.

use std::fmt;

use crate::event::CollectiveKind;
use crate::identity::{CommId, Rank, RequestId, Tag};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// Each waits for the next one, and the last one for the first.
    Deadlock {
        /// The cycle, from its lowest rank on.
        cycle: Vec<Waiting>,
    },
    /// A rank waits for something that never comes.
    Stuck {
        /// Who waits, and for what.
        waiting: Waiting,
        /// How many wait for it in turn.
        behind: u64,
    },
    /// Messages that nobody received.
    NeverReceived {
        /// How many.
        messages: u64,
        /// One of them: from.
        from: Rank,
        /// To.
        to: Rank,
        /// Its tag.
        tag: Tag,
    },
    /// An event names a rank that the trace does not have.
    NoSuchRank {
        /// Whose event.
        rank: Rank,
        /// Whom it names.
        named: Rank,
    },
    /// An event names a communicator that the trace does not have, or one whose member it is not.
    NoSuchMember {
        /// Whose event.
        rank: Rank,
        /// Which communicator.
        comm: CommId,
    },
    /// A wait for a request that was never started.
    NoSuchRequest {
        /// Whose event.
        rank: Rank,
        /// Which request.
        request: RequestId,
    },
    /// The members of a communicator disagree on what their next collective call is.
    Disagreement {
        /// The communicator.
        comm: CommId,
        /// Which of its calls, from 1 on.
        call: u32,
        /// What the first one called; `None` for a barrier.
        first: Option<CollectiveKind>,
        /// Who called something else.
        rank: Rank,
        /// What it called.
        other: Option<CollectiveKind>,
    },
}

impl Complaint {
    /// Whether the simulation could not reach the end of the trace because of it.
    #[must_use]
    pub const fn stops(&self) -> bool {
        matches!(self, Self::Deadlock { .. } | Self::Stuck { .. })
    }
}

/// A rank that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Who.
    pub rank: Rank,
    /// Where it waits.
    pub region: String,
    /// For what.
    pub wait: Wait,
}

/// What a rank waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// A message.
    Receive {
        /// From whom; `None` for anybody.
        from: Option<Rank>,
        /// With which tag; `None` for any.
        tag: Option<Tag>,
    },
    /// A receiver for its message.
    Send {
        /// Whose.
        to: Rank,
    },
    /// Members of a communicator that have not come to a call.
    Members {
        /// Which communicator.
        comm: CommId,
        /// One who has not come.
        missing: Rank,
    },
    /// A message of a collective call.
    Collective {
        /// Which communicator.
        comm: CommId,
        /// From whom; `None` for anybody.
        from: Option<Rank>,
    },
    /// The answer of the owner of some memory.
    Answer {
        /// Whose memory.
        owner: Rank,
    },
}

impl fmt::Display for Wait {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Receive { from, tag } => {
                match from {
                    Some(from) => write!(out, "a message from {from}")?,
                    None => write!(out, "a message from any rank")?,
                }
                tag.map_or(Ok(()), |tag| write!(out, " with tag {}", tag.0))
            }
            Self::Send { to } => write!(out, "{to} to receive its message"),
            Self::Members { comm, missing } => {
                write!(out, "{missing} to come to a call of communicator {}", comm.0)
            }
            Self::Collective { comm, from: Some(from) } => {
                write!(out, "{from} in a collective call of communicator {}", comm.0)
            }
            Self::Collective { comm, from: None } => {
                write!(out, "a collective call of communicator {}", comm.0)
            }
            Self::Answer { owner } => write!(out, "data from the memory of {owner}"),
        }
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} waits in {} for {}", self.rank, self.region, self.wait)
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let called = |kind: &Option<CollectiveKind>| kind.map_or("barrier", CollectiveKind::name);
        match self {
            Self::Deadlock { cycle } => {
                write!(out, "deadlock: ")?;
                cycle.iter().try_for_each(|waiting| write!(out, "{waiting}; "))?;
                write!(out, "none of them can go on")
            }
            Self::Stuck { waiting, behind: 0 } => write!(out, "{waiting}, which never comes"),
            Self::Stuck { waiting, behind } => {
                write!(out, "{waiting}, which never comes; {behind} more wait behind it")
            }
            Self::NeverReceived { messages, from, to, tag } => write!(
                out,
                "{messages} messages were sent and never received, such as one from {from} to {to} with tag {}",
                tag.0
            ),
            Self::NoSuchRank { rank, named } => {
                write!(out, "an event of {rank} names {named}, which the trace does not have")
            }
            Self::NoSuchMember { rank, comm } => {
                write!(out, "{rank} calls on communicator {}, of which it is no member", comm.0)
            }
            Self::NoSuchRequest { rank, request } => {
                write!(out, "{rank} waits for request {}, which it never started", request.0)
            }
            Self::Disagreement { comm, call, first, rank, other } => write!(
                out,
                "call {call} of communicator {} is a {} for its first caller and a {} for {rank}",
                comm.0,
                called(first),
                called(other)
            ),
        }
    }
}
