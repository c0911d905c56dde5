//! What the program says of itself: values under keys, both of them strings of the process.
//!
//! An entry is filled, then the count in the header is raised; later its value alone changes. Of a key the last value counts.

use crate::sync::{AtomicU32, Ordering};

/// Entries that a process has room for. A model makes each word anew each time it runs.
pub const METADATA_CAPACITY: usize = if cfg!(loom) { 2 } else { 128 };

/// A value under a key.
#[derive(Debug, Default)]
#[repr(C)]
pub struct MetadataEntry {
    /// String: the key.
    pub key: AtomicU32,
    /// String: the value.
    pub value: AtomicU32,
}

/// All that the program said of itself.
#[derive(Debug)]
#[repr(C)]
pub struct MetadataTable {
    /// Entries in use.
    pub count: AtomicU32,
    /// Keeps the entries where they are on all machines.
    reserved: AtomicU32,
    /// The entries, of which those in use come first.
    pub entries: [MetadataEntry; METADATA_CAPACITY],
}

impl Default for MetadataTable {
    fn default() -> Self {
        Self {
            count: AtomicU32::new(0),
            reserved: AtomicU32::new(0),
            entries: core::array::from_fn(|_| MetadataEntry::default()),
        }
    }
}

impl MetadataTable {
    /// Writer: the entries in use.
    #[must_use]
    pub fn used(&self) -> &[MetadataEntry] {
        self.first(self.count.load(Ordering::Relaxed))
    }

    /// Reader: the entries that are filled.
    #[must_use]
    pub fn published(&self) -> &[MetadataEntry] {
        self.first(self.published_count())
    }

    fn first(&self, count: u32) -> &[MetadataEntry] {
        let count = (count as usize).min(METADATA_CAPACITY);
        self.entries.get(..count).unwrap_or(&[])
    }
}
