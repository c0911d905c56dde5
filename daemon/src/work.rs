//! Whether a thread ever worked: one that waits for work, and never got any, is idle.
//!
//! ```text
//!            a wait for work returned, or it did something else for a while
//!   NotYet ──────────────────────────────────────────────────────────────► Begun
//! ```
//! Threads of a pool that nobody needs wait all their lives, as they should: their wait is no delay of anybody. The first thread of a process
//! is the program itself, and never idle.

use whyperf_model::matching::{ClassId, Classes};
use whyperf_model::{CategorySet, Nanos, Scale};

use crate::thread::Thread;

/// Whether a thread ever worked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Work {
    /// It waits for some since it began, and did so for this long.
    NotYet(Nanos),
    /// It did, or it is the first thread.
    #[default]
    Begun,
}

impl Work {
    /// Of a thread that was just found.
    pub(crate) const fn of(thread: &Thread) -> Self {
        if thread.number == 0 { Self::Begun } else { Self::NotYet(Nanos::ZERO) }
    }

    /// Takes in what the thread did by now; answers the node in which it waits for its first work, if it does.
    pub(crate) fn waits_in(
        &mut self,
        thread: &Thread,
        classes: &Classes,
        scale: Scale,
    ) -> Option<usize> {
        let Self::NotYet(waited) = self else { return None };
        let is_for_work = |node: usize| {
            let class = thread.nodes.get(node)?.class;
            let class = (class != ClassId::UNSET).then(|| classes.get(class))?;
            Some(CategorySet::FOR_WORK.contains(class.traits.category))
        };
        let mut others = Nanos::ZERO;
        let (mut idle, mut has_returned) = (Nanos::ZERO, false);
        for (at, node) in thread.nodes.iter().enumerate() {
            let time = Nanos(scale.nanos(node.counters.time));
            if is_for_work(at) == Some(true) {
                idle += time;
                has_returned |= node.counters.visits > 0;
            } else {
                others += time;
            }
        }
        if has_returned || others.0 > SHORT.0.max(idle.0 / PART) {
            *self = Self::Begun;
            return None;
        }
        *waited = idle;
        thread.open().filter(|node| is_for_work(*node) == Some(true))
    }

    /// Whether it never worked, though it was there for a while.
    pub(crate) fn is_idle(self) -> bool {
        matches!(self, Self::NotYet(waited) if waited >= LONG)
    }
}

/// What a thread does before it waits first, and for the rest of its life: no more than this, or one part in so many.
const SHORT: Nanos = Nanos::from_millis(10);
const PART: u64 = 100;
/// A wait from which on it is told.
const LONG: Nanos = Nanos::from_secs(1);
