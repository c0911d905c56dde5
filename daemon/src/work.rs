//! Tells whether a thread ever worked: a thread that waits for work and never got any is idle.
//!
//! ```text
//!            it did something for a while, or came back from such waits again and again
//!   NotYet ────────────────────────────────────────────────────────────────────────────► Begun
//!     its waits are kept back                             and are then counted all at once: they were for work
//! ```
//! Threads of a pool that is not needed wait all their lives, as they should: their wait delays nothing. Their end is not
//! work. The first thread of a process is the program itself, and never idle.

use std::collections::BTreeMap;

use whyperf_model::{CategorySet, Nanos};

use crate::grown_node::GrownNode;
use crate::thread::MeasuredThread;

/// Whether a thread ever worked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Work {
    /// It waits for some since it began.
    NotYet(HeldBack),
    /// It did, or it is the first thread.
    #[default]
    Begun,
}

/// What is kept back of a thread that has not worked yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldBack {
    /// By node: how long it waited there.
    waits: BTreeMap<u32, Nanos>,
    /// How often it came back.
    returns: u64,
    /// For how long it did something else.
    others: Nanos,
}

/// What becomes of the waits for work that a thread grew by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Waits {
    /// They count as others do.
    Told,
    /// They do not count yet.
    Kept,
    /// They count, and with them those of before, by node.
    ToldLate(BTreeMap<u32, Nanos>),
}

impl Work {
    /// Of a thread that was just found.
    pub(crate) fn of(thread: &MeasuredThread) -> Self {
        if thread.number == 0 { Self::Begun } else { Self::NotYet(HeldBack::default()) }
    }

    /// Takes in what the nodes of a thread grew by, of which some are waits for work.
    pub(crate) fn take(&mut self, grown: &[GrownNode]) -> Waits {
        let Self::NotYet(kept) = self else { return Waits::Told };
        let (waits, others): (Vec<&GrownNode>, Vec<&GrownNode>) =
            grown.iter().partition(|one| CategorySet::FOR_WORK.contains(one.category));
        kept.returns += waits.iter().map(|wait| wait.visits).sum::<u64>();
        others.into_iter().for_each(|other| kept.others += other.time);
        if kept.others > SHORT || kept.returns >= OFTEN {
            let before = std::mem::take(&mut kept.waits);
            *self = Self::Begun;
            return Waits::ToldLate(before);
        }
        for wait in waits {
            *kept.waits.entry(wait.node).or_default() += wait.time;
        }
        Waits::Kept
    }

    /// For how long it waits for its first work.
    pub(crate) fn idle(&self) -> Nanos {
        let Self::NotYet(kept) = self else { return Nanos::ZERO };
        kept.waits.values().fold(Nanos::ZERO, |sum, wait| sum + *wait)
    }
}

/// What a thread does before it waits first, and when it is sent home: no more than this.
const SHORT: Nanos = Nanos::from_millis(10);
/// Returns after which it is one that gets work, however little that is.
const OFTEN: u64 = 3;
