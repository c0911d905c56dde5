//! What the program says of itself: a value under a key, once or again with another value.
//!
//! It is a cold path, under the lock. Strings are never given back, so the bytes that one process may take for this are bounded: one that
//! tells its iteration each time must not use up the room for names.

use crate::lock::Held;
use crate::view::Tables;
use crate::{creation, strings};
use core::sync::atomic::{AtomicU32, Ordering};
use whyperf_layout::strings::{LONGEST, size};
use whyperf_layout::{METADATA_CAPACITY, MetadataEntry};

/// Bytes of keys and values that a process may still give; a forked child goes on with what its parent left.
static LEFT: AtomicU32 = AtomicU32::new(256 << 10);

/// Keeps it; what finds no room is counted.
pub fn set(key: &[u8], value: &[u8]) {
    let Some(tables) = creation::make() else { return };
    let held = Held::take();
    if key.is_empty() || is_said(tables, key, value, &held) {
        return;
    }
    if !keep(tables, key, value, &held) {
        tables.header().losses.metadata.fetch_add(1, Ordering::Relaxed);
    }
}

/// Most programs that say something again say the same.
fn is_said(tables: Tables, key: &[u8], value: &[u8], held: &Held) -> bool {
    let is_value = |entry: &MetadataEntry| {
        let at = entry.value.load(Ordering::Relaxed);
        if value.is_empty() { at == 0 } else { strings::holds(tables, at, value, held) }
    };
    find(tables, key, held).is_some_and(is_value)
}

fn find(tables: Tables, key: &[u8], held: &Held) -> Option<&'static MetadataEntry> {
    let mut used = tables.header().metadata.used().iter();
    used.find(|entry| strings::holds(tables, entry.key.load(Ordering::Relaxed), key, held))
}

fn keep(tables: Tables, key: &[u8], value: &[u8], held: &Held) -> bool {
    let table = &tables.header().metadata;
    let known = find(tables, key, held);
    let count = table.used().len();
    if known.is_none() && count == METADATA_CAPACITY {
        return false;
    }
    let key_size = if known.is_none() { size(key.len().min(LONGEST)) } else { 0 };
    if !spend(key_size + size(value.len().min(LONGEST))) {
        return false;
    }
    if let Some(entry) = known {
        let at = strings::append(tables, value, held);
        let has_room = at != 0 || value.is_empty();
        if has_room {
            entry.set_value(at);
        }
        return has_room;
    }
    let key_at = strings::append(tables, key, held);
    let Some(entry) = table.entries.get(count).filter(|_| key_at != 0) else { return false };
    entry.key.store(key_at, Ordering::Relaxed);
    entry.set_value(strings::append(tables, value, held));
    table.publish(count as u32 + 1);
    true
}

/// Whether there were so many bytes left; the lock is held.
fn spend(bytes: usize) -> bool {
    let left = LEFT.load(Ordering::Relaxed) as usize;
    let rest = left.checked_sub(bytes);
    LEFT.store(rest.unwrap_or(left) as u32, Ordering::Relaxed);
    rest.is_some()
}
