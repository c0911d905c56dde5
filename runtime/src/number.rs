//! The number of a region: 0 at first, then the number of its record in the tables.

use whyperf_layout::sync::{AtomicU32, Ordering, or_relaxed};

/// A number that is given once.
#[derive(Debug)]
#[cfg_attr(loom, derive(Default))]
#[repr(transparent)]
pub(crate) struct Number(AtomicU32);

impl Number {
    /// This number; 0 for none yet.
    #[cfg(not(loom))]
    pub(crate) const fn of(number: u32) -> Self {
        Self(AtomicU32::new(number))
    }

    /// The number, for finding what the calling thread made itself. Nothing of the region may be
    /// concluded from it.
    #[cfg(not(loom))]
    #[inline(always)]
    pub(crate) fn peek(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// The number, for making something that names it: whoever finds that finds the record, too.
    pub(crate) fn get(&self) -> u32 {
        self.0.load(or_relaxed("numbered_load", Ordering::Acquire)) // SYNC numbered with Number::give
    }

    /// Its record is filled and counted.
    pub(crate) fn give(&self, number: u32) {
        // SYNC numbered with Number::get
        self.0.store(number, or_relaxed("numbered_store", Ordering::Release));
    }
}
