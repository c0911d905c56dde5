//! Finding a slot by an address: a small hash table that only grows.

use super::pool::SLOTS;
use core::sync::atomic::{AtomicU16, Ordering};

/// Places, twice as many as there are slots.
const PLACES: usize = 2 * SLOTS;

/// Slots by an address, each plus one.
#[derive(Debug)]
pub(crate) struct Index {
    places: [AtomicU16; PLACES],
}

impl Index {
    pub(crate) const fn new() -> Self {
        Self { places: [const { AtomicU16::new(0) }; PLACES] }
    }

    /// The slot for which `is_wanted` holds, among those put under this address.
    pub(crate) fn find(&self, address: u64, is_wanted: impl Fn(usize) -> bool) -> Option<usize> {
        for place in self.from(address) {
            let slot = usize::from(place.load(Ordering::Relaxed)).checked_sub(1)?;
            if is_wanted(slot) {
                return Some(slot);
            }
        }
        None
    }

    /// Puts a slot under an address.
    pub(crate) fn put(&self, address: u64, slot: usize) {
        let mine = slot as u16 + 1;
        let free = self.from(address).find(|place| {
            let found = place.load(Ordering::Relaxed);
            found == 0 || found == mine
        });
        if let Some(place) = free {
            place.store(mine, Ordering::Relaxed);
        }
    }

    fn from(&self, address: u64) -> impl Iterator<Item = &AtomicU16> {
        let hash = address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let start = hash as usize % PLACES;
        let (before, after) = self.places.split_at(start);
        after.iter().chain(before)
    }
}
