//! The data of a request, kept between the call that makes it and the call that completes it.
//!
//! Open MPI and MPICH return one shared request for all operations that are complete at once; so a handle is counted, and
//! stands for the common parent of all operations that got it.

use core::sync::atomic::Ordering;

use whyperf_layout::{Moved, Peer};
use whyperf_runtime::ObjectId;
use whyperf_runtime::losses;

use super::association::{Association, AssociationIndex, WORDS};

/// What a request stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingOperation {
    /// What its completion waits for.
    pub(crate) awaited: Awaited,
    /// Whether the status tells what arrived.
    pub(crate) by_status: bool,
    /// Whether it survives its completion.
    pub(crate) persistent: bool,
    /// Bytes that move: sent when it starts, received when it completes.
    pub(crate) moved: Moved,
    /// The message that it is.
    pub(crate) transfer: Transfer,
}

/// The message that a request is, as far as its completion needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transfer {
    /// It is none.
    None,
    /// It was sent to this rank.
    Sent(Peer),
    /// It is received by this communicator; its status will name the rank.
    Received {
        /// Handle of the communicator.
        comm: usize,
    },
    /// It is one of several messages that share the handle.
    Several,
}

/// What a wait is for: an object and the one above it, which several of its kind have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Awaited {
    /// The object.
    pub(crate) object: ObjectId,
    /// Its communicator; none where waits of different objects have only `AnyMessage` in common.
    pub(crate) parent: ObjectId,
}

impl Awaited {
    /// Nothing known.
    pub(crate) const NOTHING: Self = Self { object: ObjectId::NONE, parent: ObjectId::NONE };

    /// What both are part of; no object when that is all messages.
    pub(crate) fn with(self, other: Self) -> Self {
        if self == other {
            self
        } else if self.parent == other.parent {
            Self { object: self.parent, parent: self.parent }
        } else {
            Self::NOTHING
        }
    }
}

static REQUESTS: Association<REQUEST_CAPACITY> = Association::new();

/// Requests that may be open at a time, a power of two.
const REQUEST_CAPACITY: usize = 1 << 14;

const OBJECTS: usize = 0;
const FLAGS: usize = 1;
const OUT: usize = 2;
const IN: usize = 3;
/// Record of the rank, or handle of the communicator.
const OTHER_SIDE: usize = 4;

const BY_STATUS: u64 = 1;
const PERSISTENT: u64 = 2;
/// The transfer, in two bits: none, sent, received, several.
const TRANSFER: u64 = 4;
/// How often the handle was given out, above the flags.
const ONCE: u64 = 1 << 8;

/// Remembers what a handle stands for.
pub(crate) fn remember(handle: usize, operation: &PendingOperation) {
    if let Some(place) = REQUESTS.find(handle) {
        let known = read(place);
        let count = REQUESTS.word(place, FLAGS).load(Ordering::Relaxed) / ONCE + 1;
        let both = PendingOperation {
            awaited: known.awaited.with(operation.awaited),
            by_status: known.by_status || operation.by_status,
            persistent: operation.persistent,
            moved: operation.moved,
            transfer: if known.transfer == operation.transfer {
                known.transfer
            } else {
                Transfer::Several
            },
        };
        for (word, value) in words(&both, count).into_iter().enumerate() {
            REQUESTS.word(place, word).store(value, Ordering::Relaxed);
        }
    } else if REQUESTS.insert(handle, words(operation, 1)).is_none() {
        losses::count(|losses| &losses.requests);
    }
}

/// What a handle stands for.
#[inline]
pub(crate) fn look(handle: usize) -> Option<PendingOperation> {
    REQUESTS.find(handle).map(read)
}

/// Forgets a handle that was given back.
pub(crate) fn forget(handle: usize) {
    if let Some(place) = REQUESTS.find(handle) {
        give_back(place);
    }
}

/// What a handle stood for that is complete; forgotten, unless it is persistent.
#[inline]
pub(crate) fn complete(handle: usize) -> Option<PendingOperation> {
    let place = REQUESTS.find(handle)?;
    let operation = read(place);
    if !operation.persistent {
        give_back(place);
    }
    Some(operation)
}

#[inline]
fn give_back(place: AssociationIndex) {
    let flags = REQUESTS.word(place, FLAGS);
    let left = flags.load(Ordering::Relaxed);
    if left < 2 * ONCE {
        REQUESTS.remove(place);
    } else {
        flags.store(left - ONCE, Ordering::Relaxed);
    }
}

fn words(operation: &PendingOperation, count: u64) -> [u64; WORDS] {
    let Awaited { object, parent } = operation.awaited;
    let flags = if operation.by_status { BY_STATUS } else { 0 }
        | if operation.persistent { PERSISTENT } else { 0 };
    let (transfer, other_side) = match operation.transfer {
        Transfer::None => (0, 0),
        Transfer::Sent(peer) => (1, peer.index()),
        Transfer::Received { comm } => (2, comm),
        Transfer::Several => (3, 0),
    };
    let flags = flags | (transfer * TRANSFER);
    let objects = (u64::from(parent.number()) << 32) | u64::from(object.number());
    let Moved { out, r#in } = operation.moved;
    [objects, (count * ONCE) | flags, out, r#in, other_side as u64]
}

fn read(place: AssociationIndex) -> PendingOperation {
    let word = |word| REQUESTS.word(place, word).load(Ordering::Relaxed);
    let objects = word(OBJECTS);
    let flags = word(FLAGS);
    PendingOperation {
        awaited: Awaited {
            object: ObjectId::from_number(objects as u32),
            parent: ObjectId::from_number((objects >> 32) as u32),
        },
        by_status: flags & BY_STATUS != 0,
        persistent: flags & PERSISTENT != 0,
        moved: Moved { out: word(OUT), r#in: word(IN) },
        transfer: match flags / TRANSFER % 4 {
            0 => Transfer::None,
            1 => Transfer::Sent(Peer::of_index(word(OTHER_SIDE) as usize)),
            2 => Transfer::Received { comm: word(OTHER_SIDE) as usize },
            _ => Transfer::Several,
        },
    }
}
