//! Whether a thread ever worked: one that waits for work, and never got any, is idle.
//!
//! ```text
//!            a wait for work returned, or it did something else for a while
//!   NotYet ──────────────────────────────────────────────────────────────► Begun
//! ```
//! Threads of a pool that nobody needs wait all their lives, as they should: their wait is no delay of anybody. The first thread of a process
//! is the program itself, and never idle.

use whyperf_model::matching::Classes;
use whyperf_model::{CategorySet, Nanos, Scale};

use crate::thread::{Growth, Thread};

/// Whether a thread ever worked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// It waits for some since it began: for how long, and for how long it did something else.
    NotYet { waited: Nanos, others: Nanos },
    /// It did, or it is the first thread.
    Begun {
        /// For how long it waited for its first.
        waited: Nanos,
    },
}

impl Work {
    /// Of a thread that was just found.
    pub(crate) const fn of(thread: &Thread) -> Self {
        if thread.number == 0 {
            Self::Begun { waited: Nanos::ZERO }
        } else {
            Self::NotYet { waited: Nanos::ZERO, others: Nanos::ZERO }
        }
    }

    /// Takes in what the nodes of a thread grew by; answers the one in which it waits for its first work, if it does.
    pub(crate) fn waits_in(
        &mut self,
        thread: &Thread,
        grown: &[Growth],
        classes: &Classes,
        scale: Scale,
    ) -> Option<u32> {
        let Self::NotYet { mut waited, mut others } = *self else { return None };
        let mut waits = None;
        let mut has_returned = false;
        for Growth { node, by } in grown {
            let class = thread.nodes[*node as usize].class;
            let time = Nanos(scale.nanos(by.time));
            if CategorySet::FOR_WORK.contains(classes.get(class).traits.category) {
                waited += time;
                has_returned |= by.visits > 0;
                waits = Some(*node);
            } else {
                others += time;
            }
        }
        let has_begun = has_returned || others.0 > SHORT.0.max(waited.0 / PART);
        *self = if has_begun { Self::Begun { waited } } else { Self::NotYet { waited, others } };
        waits.filter(|_| !has_begun)
    }

    /// Whether it waited for its first work for a while, or still does.
    pub(crate) fn was_idle(self) -> bool {
        let (Self::NotYet { waited, .. } | Self::Begun { waited }) = self;
        waited >= LONG
    }
}

/// What a thread does before it waits first, and for the rest of its life: no more than this, or one part in so many.
const SHORT: Nanos = Nanos::from_millis(10);
const PART: u64 = 100;
/// A wait from which on it is told.
const LONG: Nanos = Nanos::from_secs(1);
