//! A fixed table from handles to the data kept of them: no allocation, no lock.
//!
//! # Idea
//! A handle lives in one of the [`REACH`] places after its hash. A place is claimed by a
//! compare-and-swap, filled, and then published by storing the handle; it is given up by storing
//! zero. Looking up reads the same few places, so removal leaves nothing behind.
//!
//! # Invariants
//! * What is remembered is read only by the thread that holds the handle, and no MPI hands out a handle twice
//!   before it was given back; so it cannot change between the look at the handle and the reading.
//! * When all places in reach are taken nothing is remembered: the caller counts the loss.

use whyperf_layout::sync::{AtomicU64, AtomicUsize, Ordering, or_relaxed};

/// Places a handle may be in.
#[cfg(not(loom))]
const REACH: usize = 8;
/// Places of a model.
#[cfg(loom)]
const REACH: usize = 2;
/// No MPI has a handle of this value.
const FREE: usize = 0;
const CLAIMED: usize = usize::MAX;
/// Words remembered of a handle.
pub(crate) const WORDS: usize = 5;

/// The table; `N` is a power of two.
pub(crate) struct Association<const N: usize> {
    handles: [AtomicUsize; N],
    values: [[AtomicU64; WORDS]; N],
    /// Whose turn it is with the values: the model checker does not reorder a load after a later
    /// store, so it would not see values overwritten under their reader; it sees this.
    #[cfg(loom)]
    turns: [loom::cell::UnsafeCell<()>; N],
}

// SAFETY: loom's cells hold nothing; they only watch the accesses.
#[cfg(loom)]
unsafe impl<const N: usize> Sync for Association<N> {}

/// A place in the table that holds a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AssociationIndex(usize);

impl AssociationIndex {
    /// Its number, below the size of the table.
    pub(crate) const fn index(self) -> usize {
        self.0
    }
}

impl<const N: usize> Association<N> {
    /// An empty table.
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Self {
        assert!(N.is_power_of_two());
        Self {
            handles: [const { AtomicUsize::new(FREE) }; N],
            values: [const { [const { AtomicU64::new(0) }; WORDS] }; N],
        }
    }

    /// An empty table.
    #[cfg(loom)]
    pub(crate) fn new() -> Self {
        use core::array::from_fn;
        Self {
            handles: from_fn(|_| AtomicUsize::new(FREE)),
            values: from_fn(|_| from_fn(|_| AtomicU64::new(0))),
            turns: from_fn(|_| loom::cell::UnsafeCell::new(())),
        }
    }

    /// Where the handle is.
    #[inline]
    pub(crate) fn find(&self, handle: usize) -> Option<AssociationIndex> {
        if handle == FREE {
            return None;
        }
        let first = Self::first(handle);
        (0..REACH).map(|step| (first + step) & (N - 1)).find_map(|at| {
            // SYNC handle with insert
            let held = self.handles[at].load(or_relaxed("handle_find", Ordering::Acquire));
            (held == handle).then_some(AssociationIndex(at))
        })
    }

    /// Remembers the words of a handle that is not in the table; `None` when there is no room.
    pub(crate) fn insert(&self, handle: usize, words: [u64; WORDS]) -> Option<AssociationIndex> {
        if handle == FREE {
            return None;
        }
        let first = Self::first(handle);
        let at = (0..REACH).map(|step| (first + step) & (N - 1)).find(|at| {
            let place = &self.handles[*at];
            let acquire = or_relaxed("claim_insert", Ordering::Acquire); // SYNC claim with remove
            place.load(Ordering::Relaxed) == FREE
                && place.compare_exchange(FREE, CLAIMED, acquire, Ordering::Relaxed).is_ok()
        })?;
        #[cfg(loom)]
        self.turns[at].with_mut(|_| ());
        for (cell, word) in self.values[at].iter().zip(words) {
            cell.store(word, Ordering::Relaxed);
        }
        // SYNC handle with find
        self.handles[at].store(handle, or_relaxed("handle_insert", Ordering::Release));
        Some(AssociationIndex(at))
    }

    /// Forgets what is at a place.
    pub(crate) fn remove(&self, place: AssociationIndex) {
        // SYNC claim with insert
        self.handles[place.0 & (N - 1)].store(FREE, or_relaxed("claim_remove", Ordering::Release));
    }

    /// One word of what is remembered.
    #[inline(always)]
    pub(crate) fn word(&self, place: AssociationIndex, word: usize) -> &AtomicU64 {
        #[cfg(loom)]
        self.turns[place.0 & (N - 1)].with(|_| ());
        &self.values[place.0 & (N - 1)][word % WORDS]
    }

    #[inline(always)]
    fn first(handle: usize) -> usize {
        let spread = (handle as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (spread >> 40) as usize & (N - 1)
    }
}
