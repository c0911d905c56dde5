//! Because of whom threads wait for each other: what the thread does that holds the lock, alone goes on, or has the other end of a pipe, whenever somebody looks.
//!
//! What a thread waits is kept until it is seen to wait there, and then counts for what the one is seen to do that it waits for, or for nobody where none is
//! known. So longer waits count for more, as they should: they are seen more often. The last one is not told.

use ahash::AHashMap;

use super::active::Totals;
use super::classes::{ClassId, Classes};
use super::resources::{ResourceId, Resources, ThreadPlace};
use crate::{Nanos, TimeUse};

/// The thread that another one waits for: it holds the lock, is the only one that goes on, or has the other end of a pipe.
#[derive(Clone, Debug, PartialEq)]
pub struct AwaitedThread {
    /// Which.
    pub who: ResourceId,
    /// Where it waited for the same lock before, or is now.
    pub code: Option<ResourceId>,
    /// What it does, in parts that sum to one.
    pub spent: Vec<(TimeUse, f64)>,
}

/// What threads waited for each other since they were seen to wait.
#[derive(Debug, Default)]
pub(super) struct ThreadWaits {
    unseen: AHashMap<(ThreadPlace, ClassId), Nanos>,
}

impl ThreadWaits {
    /// What a thread did in the interval just past.
    pub(super) fn took(
        &mut self,
        place: ThreadPlace,
        nodes: &[(ClassId, Totals)],
        classes: &Classes,
        resources: &Resources,
    ) {
        for (class, by) in nodes {
            let traits = &classes.get(*class).traits;
            if !by.time.is_zero() && traits.waits_for_threads(resources) {
                *self.unseen.entry((place, *class)).or_default() += by.time;
            }
        }
    }

    /// A thread is seen to wait: what it waited since the last time.
    pub(super) fn seen(&mut self, place: ThreadPlace, class: ClassId) -> Nanos {
        self.unseen.remove(&(place, class)).unwrap_or_default()
    }
}

impl AwaitedThread {
    /// Waiting for it, by what it did meanwhile.
    pub fn parts(&self, waited: Nanos) -> impl Iterator<Item = (TimeUse, Nanos)> {
        self.spent.iter().map(move |(spent, part)| (*spent, waited.scaled(*part)))
    }
}
