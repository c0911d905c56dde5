//! Appending to the strings of the process.

use crate::lock::Held;
use crate::map;
use crate::view::Tables;
use core::sync::atomic::Ordering;
use whyperf_layout::geometry::STRINGS_SIZE;
use whyperf_layout::strings::{LONGEST, size};

/// Keeps the text; answers its offset, 0 (the empty string) when there is no room.
pub(crate) fn append(tables: Tables, text: &[u8], held: &Held) -> u32 {
    let text = text.get(..LONGEST).unwrap_or(text);
    let header = tables.header();
    let at = header.strings_used.load(Ordering::Relaxed) as usize;
    let end = at + size(text.len());
    if text.is_empty() {
        return 0;
    }
    if end > STRINGS_SIZE || !at.is_multiple_of(4) || !map::reach_string(tables, end, held) {
        header.losses.strings.fetch_add(1, Ordering::Relaxed);
        return 0;
    }
    // SAFETY: `end` is inside the populated part of the strings, and nobody else appends while
    // the lock is held; readers look only at what a published record names.
    unsafe {
        let to = tables.strings().add(at);
        to.cast::<u32>().write((text.len() as u32).to_le());
        to.add(4).copy_from_nonoverlapping(text.as_ptr(), text.len());
    }
    header.publish_strings(end as u32);
    at as u32
}
