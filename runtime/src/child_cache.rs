//! The direct-mapped cache in which the hot path finds children.

use crate::node_index::Key;
use crate::thread::CACHE;
use crate::thread_local::{Block, thread};
use core::sync::atomic::Ordering;

/// Puts the child where the hot path looks for it.
pub(crate) fn remember(key: Key, parent: u32, child: u32) {
    let cache = thread().cache.load(Ordering::Relaxed);
    // SAFETY: null, or the calling thread's cache of `CACHE` entries; the shift leaves an index below
    // that.
    let place = unsafe { cache.wrapping_add(index(key.hash(parent))).as_ref() };
    if let Some(place) = place.filter(|_| !cache.is_null()) {
        place.store(child, Ordering::Relaxed);
    }
}

/// What is there, which may be another one; 0 where nothing is.
#[inline(always)]
pub(crate) fn find(block: &Block, key: Key, parent: u32) -> u32 {
    let cache = block.cache.load(Ordering::Relaxed);
    // SAFETY: as above.
    let place = unsafe { cache.wrapping_add(index(key.hash(parent))).as_ref() };
    place.filter(|_| !cache.is_null()).map_or(0, |place| place.load(Ordering::Relaxed))
}

/// Index into the cache of children.
#[inline(always)]
pub(crate) const fn index(hash: u64) -> usize {
    (hash >> (64 - CACHE.trailing_zeros())) as usize
}
