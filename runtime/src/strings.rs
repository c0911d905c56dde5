//! Appends to the strings of the process.

use crate::lock::Held;
use crate::map;
use crate::view::Tables;
use core::sync::atomic::Ordering;
use whyperf_layout::geometry::STRINGS_SIZE;
use whyperf_layout::strings::{LONGEST, size, words};

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
    // No other thread appends while the lock is held; readers look only at what a published record names.
    let places = tables.strings().iter().skip(at / 4);
    places.zip(words(text)).for_each(|(place, word)| place.store(word, Ordering::Relaxed));
    header.publish_strings(end as u32);
    at as u32
}

/// Whether exactly this text is stored at an offset. The offset may have any value.
pub(crate) fn holds(tables: Tables, at: u32, text: &[u8], _held: &Held) -> bool {
    let text = text.get(..LONGEST).unwrap_or(text);
    let used = tables.header().strings_used.load(Ordering::Relaxed) as usize;
    let at = at as usize;
    let end = at + size(text.len());
    if at == 0 || !at.is_multiple_of(4) || end > used.min(STRINGS_SIZE) {
        return false;
    }
    let kept = tables.strings().get(at / 4..end / 4).unwrap_or(&[]);
    kept.iter().map(|word| word.load(Ordering::Relaxed)).eq(words(text))
}
