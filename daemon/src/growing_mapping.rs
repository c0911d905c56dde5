//! A table of a region in memory, as far as it is in use: a file has room for the largest process, and address space may be limited.
//!
//! ```text
//!   in use        ├───┤
//!   mapping 0     ├─────┤
//!   mapping 1     ├─────────────────┤     eight times as long, made when more is in use; the one before stays for who reads it
//! ```

use std::fs::File;
use std::ops::Range;
use std::sync::OnceLock;

use whyperf_inject::{Mapping, Protection};

use crate::address_room;

/// The mappings of one table, each from its beginning on.
#[derive(Debug)]
pub(crate) struct GrowingMapping {
    table: Range<usize>,
    mappings: [OnceLock<Mapping>; MAPPINGS],
}

impl GrowingMapping {
    /// Of a table that lies there in its file; nothing is mapped yet.
    pub(crate) const fn of(table: Range<usize>) -> Self {
        Self { table, mappings: [const { OnceLock::new() }; MAPPINGS] }
    }

    /// The memory with so many bytes of it, or with fewer where there is no room for all; `None` where there is none for any.
    pub(crate) fn holding(&self, file: &File, bytes: usize) -> Option<&Mapping> {
        let is_enough = |number: &usize| self.length(*number) >= bytes;
        let enough = (0..MAPPINGS).find(is_enough).unwrap_or(MAPPINGS - 1);
        self.mapped(file, enough)
            .or_else(|| self.mappings[..enough].iter().rev().find_map(OnceLock::get))
    }

    fn mapped(&self, file: &File, number: usize) -> Option<&Mapping> {
        let place = &self.mappings[number];
        if let Some(mapping) = place.get() {
            return Some(mapping);
        }
        let length = self.length(number);
        address_room::is_there_for(length).then_some(())?;
        let mapping = Mapping::of(file, self.table.start, length, Protection::Read).ok()?;
        Some(place.get_or_init(|| mapping))
    }

    fn length(&self, number: usize) -> usize {
        self.table.len().min(FIRST << (3 * number))
    }

    /// Whether a part of one was missing when it was touched.
    pub(crate) fn is_damaged(&self) -> bool {
        self.mappings.iter().filter_map(OnceLock::get).any(Mapping::is_damaged)
    }
}

/// The first mapping; most tables never need another.
const FIRST: usize = 128 << 10;
/// Enough for the largest table, of 16 MiB.
const MAPPINGS: usize = 4;

#[cfg(test)]
mod tests {
    use std::env;

    use super::*;

    #[test]
    fn what_is_mapped_grows_with_what_is_in_use() {
        let path = env::temp_dir().join(format!("whyperf-growing-{}", std::process::id()));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.expect("the temporary folder can be written");
        std::fs::remove_file(&path).expect("it was just made");
        file.set_len(32 << 20).expect("the file is ours");
        let table = GrowingMapping::of(8 << 20..24 << 20);
        let lengths = [1, FIRST, FIRST + 1, 16 << 20, 64 << 20]
            .map(|bytes| table.holding(&file, bytes).expect("there is room").bytes().len());
        assert_eq!(lengths, [FIRST, FIRST, FIRST << 3, 16 << 20, 16 << 20]);
    }
}
