//! What the entries of a [ring](crate::event_ring) say, as both sides agree on it.
//!
//! The stream is the one rule behind every number, written down: at each event another node becomes current. What a call did with messages
//! stands between the moment in which its node became current and the one in which it ended. Some facts take several entries, in this order.

use crate::event_ring::RingEntry;

/// Nobody, or a rank that is not known.
pub const NO_ONE: u32 = 0x00ff_ffff;

/// One entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traced {
    /// This node is current since these ticks.
    Current {
        /// Its slot-relative offset.
        node: u32,
        /// When.
        ticks: u64,
    },
    /// A node that did not exist before.
    Node {
        /// Its slot-relative offset.
        node: u32,
        /// That of its parent.
        parent: u32,
        /// Its region.
        region: u16,
        /// Its object.
        object: u16,
    },
    /// The node before it is of calls that return here.
    Site {
        /// The return address.
        address: u64,
    },
    /// A message: what the call says of it. [`Traced::Envelope`] follows.
    Message {
        /// What is done.
        act: MessageAct,
        /// The rank of the job on the other side, [`NO_ONE`] for a wildcard.
        peer: u32,
        /// The number of its communicator in this process.
        comm: u32,
        /// How long it is, 0 where it is received.
        bytes: u64,
    },
    /// The rest of a message or collective call.
    Envelope {
        /// The tag; none for a wildcard.
        tag: Option<i32>,
        /// Handle of the request, 0 where there is none.
        request: u64,
    },
    /// A request is complete.
    Completed {
        /// Whom a message came from, [`NO_ONE`] where it is none or not known.
        peer: u32,
        /// Its tag.
        tag: i32,
        /// Handle of the request.
        request: u64,
    },
    /// What was prepared under this request is started.
    Started {
        /// Handle of the request.
        request: u64,
    },
    /// A request is given back unused.
    Forgotten {
        /// Its handle.
        request: u64,
    },
    /// A request is complete, and its message was cancelled: none was received.
    Cancelled {
        /// Its handle.
        request: u64,
    },
    /// A collective call, which its region names. [`Traced::Contributed`] and [`Traced::Envelope`] follow.
    Collective {
        /// The number of its communicator in this process.
        comm: u32,
        /// The root in the communicator, [`NO_ONE`] where it has none.
        root: u32,
        /// Bytes that this rank sends.
        out: u64,
    },
    /// Bytes that this rank receives in it.
    Contributed {
        /// How many.
        r#in: u64,
    },
    /// A communicator of this process has this number, and so many members. [`Traced::Members`] follow.
    Communicator {
        /// Its number.
        comm: u32,
        /// How many.
        members: u64,
    },
    /// Two members by their ranks in the job, in the order of their ranks; the last one may be [`NO_ONE`].
    Members {
        /// Both.
        ranks: [u32; 2],
    },
    /// An access to the memory of another rank.
    Access {
        /// It writes.
        puts: bool,
        /// The rank.
        peer: u32,
        /// How much.
        bytes: u64,
    },
    /// How long the thread has run on a processor by now, in nanoseconds.
    Ran {
        /// So long.
        nanos: u64,
    },
    /// From these ticks on the thread computes: it waited for its turn until then.
    Resumed {
        /// When.
        ticks: u64,
    },
    /// The thread was there, before anything of it was recorded.
    Began {
        /// Since when.
        ticks: u64,
    },
    /// The thread ended.
    Ended {
        /// When.
        ticks: u64,
    },
}

/// What a call does with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MessageAct {
    /// Sends it, and is complete.
    Send = 0,
    /// Starts to send it.
    StartSend = 1,
    /// Says how it will be sent.
    PrepareSend = 2,
    /// Receives it, and is complete.
    Receive = 3,
    /// Starts to receive it.
    StartReceive = 4,
    /// Says how it will be received.
    PrepareReceive = 5,
}

impl MessageAct {
    const ALL: [Self; 6] = [
        Self::Send,
        Self::StartSend,
        Self::PrepareSend,
        Self::Receive,
        Self::StartReceive,
        Self::PrepareReceive,
    ];
}

const CURRENT: u64 = 1;
const NODE: u64 = 2;
const MESSAGE: u64 = 3;
const ENVELOPE: u64 = 4;
const COMPLETED: u64 = 5;
const STARTED: u64 = 6;
const FORGOTTEN: u64 = 7;
const COLLECTIVE: u64 = 8;
const CONTRIBUTED: u64 = 9;
const COMMUNICATOR: u64 = 10;
const MEMBERS: u64 = 11;
const ACCESS: u64 = 12;
const RAN: u64 = 13;
const RESUMED: u64 = 14;
const ENDED: u64 = 15;
const CANCELLED: u64 = 16;
const BEGAN: u64 = 17;
const SITE: u64 = 18;

const RANK: u64 = NO_ONE as u64;

impl Traced {
    /// The entry that says it; numbers of ranks and communicators beyond 24 bits are [`NO_ONE`].
    #[inline(always)]
    #[must_use]
    pub const fn encode(self) -> RingEntry {
        let (what, word) = match self {
            Self::Current { node, ticks } => (CURRENT | (node as u64) << 8, ticks),
            Self::Node { node, parent, region, object } => (
                NODE | (region as u64) << 8 | (object as u64) << 24,
                (parent as u64) << 32 | node as u64,
            ),
            Self::Message { act, peer, comm, bytes } => {
                (MESSAGE | (act as u64) << 8 | short(peer) << 16 | short(comm) << 40, bytes)
            }
            Self::Envelope { tag, request } => match tag {
                Some(tag) => (ENVELOPE | (tag.cast_unsigned() as u64) << 8 | 1 << 40, request),
                None => (ENVELOPE, request),
            },
            Self::Completed { peer, tag, request } => {
                (COMPLETED | short(peer) << 8 | (tag.cast_unsigned() as u64) << 32, request)
            }
            Self::Started { request } => (STARTED, request),
            Self::Forgotten { request } => (FORGOTTEN, request),
            Self::Cancelled { request } => (CANCELLED, request),
            Self::Collective { comm, root, out } => {
                (COLLECTIVE | short(root) << 16 | short(comm) << 40, out)
            }
            Self::Contributed { r#in } => (CONTRIBUTED, r#in),
            Self::Communicator { comm, members } => (COMMUNICATOR | short(comm) << 8, members),
            Self::Members { ranks: [first, second] } => {
                (MEMBERS, (second as u64) << 32 | first as u64)
            }
            Self::Access { puts, peer, bytes } => {
                (ACCESS | (puts as u64) << 8 | short(peer) << 16, bytes)
            }
            Self::Site { address } => (SITE, address),
            Self::Ran { nanos } => (RAN, nanos),
            Self::Resumed { ticks } => (RESUMED, ticks),
            Self::Began { ticks } => (BEGAN, ticks),
            Self::Ended { ticks } => (ENDED, ticks),
        };
        RingEntry { what, word }
    }

    /// What an entry says; none where the other side made it up.
    #[must_use]
    pub const fn decode(RingEntry { what, word }: RingEntry) -> Option<Self> {
        let rest = what >> 8;
        let half = word as u32;
        Some(match what & 0xff {
            CURRENT => Self::Current { node: rest as u32, ticks: word },
            NODE => Self::Node {
                node: half,
                parent: (word >> 32) as u32,
                region: rest as u16,
                object: (what >> 24) as u16,
            },
            MESSAGE => {
                let act = (rest & 0xff) as usize;
                if act >= MessageAct::ALL.len() {
                    return None;
                }
                Self::Message {
                    act: MessageAct::ALL[act],
                    peer: (what >> 16 & RANK) as u32,
                    comm: (what >> 40) as u32,
                    bytes: word,
                }
            }
            ENVELOPE => {
                let tag =
                    if what >> 40 & 1 != 0 { Some((rest as u32).cast_signed()) } else { None };
                Self::Envelope { tag, request: word }
            }
            COMPLETED => Self::Completed {
                peer: (rest & RANK) as u32,
                tag: ((what >> 32) as u32).cast_signed(),
                request: word,
            },
            STARTED => Self::Started { request: word },
            FORGOTTEN => Self::Forgotten { request: word },
            CANCELLED => Self::Cancelled { request: word },
            COLLECTIVE => Self::Collective {
                comm: (what >> 40) as u32,
                root: (what >> 16 & RANK) as u32,
                out: word,
            },
            CONTRIBUTED => Self::Contributed { r#in: word },
            COMMUNICATOR => Self::Communicator { comm: (rest & RANK) as u32, members: word },
            MEMBERS => Self::Members { ranks: [half, (word >> 32) as u32] },
            ACCESS => {
                Self::Access { puts: rest & 1 != 0, peer: (what >> 16 & RANK) as u32, bytes: word }
            }
            SITE => Self::Site { address: word },
            RAN => Self::Ran { nanos: word },
            RESUMED => Self::Resumed { ticks: word },
            BEGAN => Self::Began { ticks: word },
            ENDED => Self::Ended { ticks: word },
            _ => return None,
        })
    }
}

const fn short(number: u32) -> u64 {
    if number < NO_ONE { number as u64 } else { RANK }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_entry_says_what_was_said() {
        let (peer, comm, request) = (70_000, 9, 0xdead_beef_cafe);
        let all = [
            Traced::Current { node: u32::MAX, ticks: u64::MAX },
            Traced::Node { node: 7, parent: u32::MAX, region: u16::MAX, object: 3 },
            Traced::Site { address: 1 << 47 },
            Traced::Message { act: MessageAct::PrepareReceive, peer: NO_ONE, comm, bytes: 1 << 40 },
            Traced::Envelope { tag: Some(-1), request },
            Traced::Envelope { tag: None, request: 0 },
            Traced::Completed { peer, tag: i32::MIN, request },
            Traced::Started { request },
            Traced::Forgotten { request },
            Traced::Cancelled { request },
            Traced::Collective { comm, root: 3, out: 8 },
            Traced::Contributed { r#in: 9 },
            Traced::Communicator { comm, members: 1 << 20 },
            Traced::Members { ranks: [0, NO_ONE] },
            Traced::Access { puts: true, peer, bytes: 4 },
            Traced::Ran { nanos: 5 },
            Traced::Resumed { ticks: 6 },
            Traced::Began { ticks: 8 },
            Traced::Ended { ticks: 7 },
        ];
        for said in all {
            assert_eq!(Traced::decode(said.encode()), Some(said));
        }
        assert_eq!(Traced::decode(RingEntry { what: 99, word: 0 }), None);
        assert_eq!(Traced::decode(RingEntry { what: MESSAGE | 77 << 8, word: 0 }), None);
    }
}
