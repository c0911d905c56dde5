//! Because of whom threads wait for locks: what the thread does that holds the lock, whenever somebody looks.
//!
//! What a thread waits for a lock is kept until it is seen to wait for it, and then counts for what the holder is seen to do, or for nobody where none is
//! known. So longer waits count for more, as they should: they are seen more often. The last one is not told.

use ahash::AHashMap;

use super::active::Totals;
use super::classes::{ClassId, Classes};
use super::resources::ResourceId;
use super::run_totals::ThreadPlace;
use crate::{CategorySet, Nanos, TimeUse};

/// The thread that holds a lock.
#[derive(Clone, Debug, PartialEq)]
pub struct LockHolder {
    /// Which.
    pub who: ResourceId,
    /// Where it took the lock, or is now.
    pub code: Option<ResourceId>,
    /// What it does, in parts that sum to one.
    pub spent: Vec<(TimeUse, f64)>,
}

/// What threads waited for locks since they were seen to wait for them.
#[derive(Debug, Default)]
pub(super) struct LockWaits {
    unseen: AHashMap<(ThreadPlace, ClassId), Nanos>,
}

impl LockWaits {
    /// What a thread did in the interval just past.
    pub(super) fn took(
        &mut self,
        place: ThreadPlace,
        nodes: &[(ClassId, Totals)],
        classes: &Classes,
    ) {
        for (class, by) in nodes {
            let category = classes.category(*class);
            if CategorySet::LOCK.contains(category) && !by.time.is_zero() {
                *self.unseen.entry((place, *class)).or_default() += by.time;
            }
        }
    }

    /// A thread is seen to wait for a lock: what it waited since the last time.
    pub(super) fn seen(&mut self, place: ThreadPlace, class: ClassId) -> Nanos {
        self.unseen.remove(&(place, class)).unwrap_or_default()
    }
}

impl LockHolder {
    /// Waiting for it, by what it did meanwhile.
    pub fn parts(&self, waited: Nanos) -> impl Iterator<Item = (TimeUse, Nanos)> {
        self.spent.iter().map(move |(spent, part)| (*spent, waited.scaled(*part)))
    }
}
