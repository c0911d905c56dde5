//! The slots of a region in memory, mapped when they are first looked at.
//!
//! ```text
//!   slot      0 │ 1 2 │ 3 4 5 6 │ 7 … 14 │ …
//!   mapping   0 │ 1   │ 2       │ 3      │ …     each twice as long as the one before
//! ```
//! A region has room for 4,096 threads of 4.4 MiB each. Mapped as a whole that is 17.7 GiB of address space a process, which a
//! limit of address space has not for two ranks.

use std::fs::File;
use std::sync::OnceLock;

use whyperf_inject::{Mapping, Protection};
use whyperf_layout::geometry;

use crate::address_room;

/// As many mappings as the most slots need.
const MAPPINGS: usize = geometry::SLOT_CAPACITY.ilog2() as usize + 1;

/// The mappings of one region's slots.
#[derive(Debug, Default)]
pub(crate) struct SlotMappings([OnceLock<Mapping>; MAPPINGS]);

impl SlotMappings {
    /// The memory with a slot of a file that has so many, and where in it the slot begins; `None` where there is no room
    /// for it, which may change.
    pub(crate) fn of(&self, file: &File, slot: usize, slots: usize) -> Option<(&Mapping, usize)> {
        let number = (slot + 1).ilog2() as usize;
        let first = (1 << number) - 1;
        let place = self.0.get(number)?;
        let mapping = match place.get() {
            Some(mapping) => mapping,
            None => {
                let count = (first + 1).min(slots.checked_sub(first)?);
                let (at, length) = (geometry::slot_offset(first), count * geometry::SLOT_SIZE);
                address_room::is_there_for(length).then_some(())?;
                let mapping = Mapping::of(file, at, length, Protection::Read).ok()?;
                place.get_or_init(|| mapping)
            }
        };
        Some((mapping, (slot - first) * geometry::SLOT_SIZE))
    }

    /// Whether a part of one was missing when it was touched.
    pub(crate) fn are_damaged(&self) -> bool {
        self.0.iter().filter_map(OnceLock::get).any(Mapping::is_damaged)
    }
}
