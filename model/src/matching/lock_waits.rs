//! Because of whom threads wait for locks: what the thread does that holds the lock, whenever somebody looks.
//!
//! What a thread waits for a lock is kept until it is seen to wait for it, and then counts for what the holder is seen to do, or for nobody where none is
//! known. So longer waits count for more, as they should: they are seen more often. The last one is not told.

use ahash::AHashMap;

use super::active::Totals;
use super::classes::{ClassId, Classes};
use super::resources::ResourceId;
use super::run_totals::ThreadPlace;
use super::wait_cause::{CausedBy, WaitCause, Waits};
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
            let category = classes.get(*class).traits.category;
            if CategorySet::LOCK.contains(category) && !by.time.is_zero() {
                *self.unseen.entry((place, *class)).or_default() += by.time;
            }
        }
    }

    /// A thread was seen to wait for a lock, and nobody is known to hold it: what it waited since the last time is because of nobody.
    pub(super) fn held_by_nobody(&mut self, place: ThreadPlace, class: ClassId) {
        self.unseen.remove(&(place, class));
    }

    /// A thread was seen to wait for a lock that this one holds.
    pub(super) fn held(
        &mut self,
        place: ThreadPlace,
        class: ClassId,
        holder: &LockHolder,
        waits: &mut Waits,
    ) {
        let Some(time) = self.unseen.remove(&(place, class)) else { return };
        for (spent, part) in &holder.spent {
            let (who, code) = (Some(holder.who), holder.code);
            let cause = WaitCause { spent: *spent, by: CausedBy::LockHolder, who, code };
            *waits.entry((cause, place, class)).or_default() += time.scaled(*part);
        }
    }
}
