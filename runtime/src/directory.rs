//! The directory of objects: numbers in an open-addressing table, found without a lock.
//!
//! An entry is only ever stored whole, after the record that it names. One that names a retired
//! object stays, so that chains stay whole, until the next object of its chain takes it over.

use whyperf_layout::sync::{AtomicU32, Ordering, or_relaxed};

/// Entries of the table, twice the objects so that chains stay short.
#[cfg(not(loom))]
pub(crate) const ENTRIES: usize = 2 * whyperf_layout::geometry::OBJECT_CAPACITY;
/// Entries of the table of a model.
#[cfg(loom)]
pub(crate) const ENTRIES: usize = 2;

/// The table: zeros at first.
#[derive(Debug)]
#[cfg_attr(loom, derive(Default))]
#[repr(transparent)]
pub(crate) struct Directory([AtomicU32; ENTRIES]);

/// One entry of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirectoryEntry(&'static AtomicU32);

impl Directory {
    /// The entries where an object of this hash may be, in order.
    pub(crate) fn chain(&'static self, hash: u64) -> impl Iterator<Item = DirectoryEntry> {
        let start = (hash >> 40) as usize;
        (0..ENTRIES)
            .filter_map(move |step| self.0.get((start + step) % ENTRIES))
            .map(DirectoryEntry)
    }
}

impl DirectoryEntry {
    /// The object it names, whose record is filled.
    pub(crate) fn number(self) -> Option<u32> {
        let number = self.0.load(or_relaxed("object_load", Ordering::Acquire)); // SYNC object with DirectoryEntry::name
        (number != 0).then_some(number)
    }

    /// Makes it name an object whose record is filled.
    pub(crate) fn name(self, number: u32) {
        self.0.store(number, or_relaxed("object_store", Ordering::Release)); // SYNC object with DirectoryEntry::number
    }
}
