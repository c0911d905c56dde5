//! A fixed table from handles to what is remembered of them: no allocation, no lock.
//!
//! # Idea
//! A handle lives in one of the [`REACH`] places after its hash. A place is claimed by a
//! compare-and-swap, filled, and then published by storing the handle; it is given up by storing
//! zero. Looking up reads the same few places, so removal leaves nothing behind.
//!
//! # Invariants
//! * What is remembered is read only by who holds the handle, and no MPI hands out a handle twice
//!   before it was given back; so it cannot change between the look at the handle and the reading.
//! * When all places in reach are taken nothing is remembered: the caller counts the loss.

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Places a handle may be in.
const REACH: usize = 8;
/// No MPI has a handle of this value.
const FREE: usize = 0;
const CLAIMED: usize = usize::MAX;
/// Words remembered of a handle.
pub(crate) const WORDS: usize = 4;

/// The table; `N` is a power of two.
pub(crate) struct Association<const N: usize> {
    handles: [AtomicUsize; N],
    values: [[AtomicU64; WORDS]; N],
}

/// A place in the table that holds a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(usize);

impl Place {
    /// Its number, below the size of the table.
    pub(crate) const fn index(self) -> usize {
        self.0
    }
}

impl<const N: usize> Association<N> {
    /// An empty table.
    pub(crate) const fn new() -> Self {
        assert!(N.is_power_of_two());
        Self {
            handles: [const { AtomicUsize::new(FREE) }; N],
            values: [const { [const { AtomicU64::new(0) }; WORDS] }; N],
        }
    }

    /// Where the handle is.
    #[inline]
    pub(crate) fn find(&self, handle: usize) -> Option<Place> {
        if handle == FREE {
            return None;
        }
        let first = Self::first(handle);
        (0..REACH).map(|step| (first + step) & (N - 1)).find_map(|at| {
            let held = self.handles[at].load(Ordering::Acquire); // SYNC handle with insert
            (held == handle).then_some(Place(at))
        })
    }

    /// Remembers the words of a handle that is not in the table; `None` when there is no room.
    pub(crate) fn insert(&self, handle: usize, words: [u64; WORDS]) -> Option<Place> {
        if handle == FREE {
            return None;
        }
        let first = Self::first(handle);
        let at = (0..REACH).map(|step| (first + step) & (N - 1)).find(|at| {
            let place = &self.handles[*at];
            place.load(Ordering::Relaxed) == FREE
                && place
                    .compare_exchange(FREE, CLAIMED, Ordering::Acquire, Ordering::Relaxed) // SYNC claim with remove
                    .is_ok()
        })?;
        for (cell, word) in self.values[at].iter().zip(words) {
            cell.store(word, Ordering::Relaxed);
        }
        self.handles[at].store(handle, Ordering::Release); // SYNC handle with find
        Some(Place(at))
    }

    /// Forgets what is at a place.
    pub(crate) fn remove(&self, place: Place) {
        self.handles[place.0 & (N - 1)].store(FREE, Ordering::Release); // SYNC claim with insert
    }

    /// One word of what is remembered.
    #[inline(always)]
    pub(crate) fn word(&self, place: Place, word: usize) -> &AtomicU64 {
        &self.values[place.0 & (N - 1)][word % WORDS]
    }

    #[inline(always)]
    fn first(handle: usize) -> usize {
        let spread = (handle as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (spread >> 40) as usize & (N - 1)
    }
}
