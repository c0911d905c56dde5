//! A batch of sites whose bytes change together.
//!
//! ```text
//!   1  a trap in the first byte of each site      ── all processors read code anew ──
//!   2  the other bytes of each                    ── all processors read code anew ──
//!   3  the first byte of each                     ── all processors read code anew ──
//! ```
//! At no moment can a thread execute a mixture: before 3 the first byte is a trap, whose handler
//! leads to the copy. A site is one instruction, so nobody stands inside it.

use super::site::{self, JUMP, Site};
use super::text::{Text, synchronize};
use core::sync::atomic::{AtomicU64, Ordering};
use whyperf_layout::Outcome;
use whyperf_layout::geometry::STAGING_CAPACITY;

const TRAP: u8 = 0xcc;

/// Slots whose sites change.
#[derive(Debug)]
pub(super) struct Batch {
    slots: [u16; STAGING_CAPACITY],
    used: usize,
}

/// Which way bytes change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// From the compiler's to ours.
    In,
    /// Back.
    Out,
}

impl Batch {
    /// An empty one.
    pub(super) const fn new() -> Self {
        Self { slots: [0; STAGING_CAPACITY], used: 0 }
    }

    /// Adds a slot; nothing when there is no room.
    pub(super) fn add(&mut self, slot: usize) {
        if let Some(place) = self.slots.get_mut(self.used) {
            *place = slot as u16;
            self.used += 1;
        }
    }

    /// Whether a slot is in it.
    pub(super) fn has(&self, slot: usize) -> bool {
        self.slots.iter().take(self.used).any(|known| usize::from(*known) == slot)
    }

    /// The sites.
    pub(super) fn sites(&self) -> impl Iterator<Item = &'static Site> {
        self.slots.iter().take(self.used).filter_map(|slot| site::of_slot(usize::from(*slot)))
    }

    /// Changes the bytes. When the kernel refuses in the middle, what was changed goes back.
    pub(super) fn flip(&self, text: &Text, way: Way) -> Result<(), Outcome> {
        if self.used == 0 {
            return Ok(());
        }
        if way == Way::In && !self.sites().all(|site| write_island(text, site)) {
            return Err(Outcome::NoTextWrite);
        }
        let trapped = self.sites().all(|site| text.write(at(site), &[TRAP]));
        if !trapped || !synchronize() {
            self.sites().for_each(|site| take_back(text, site, way));
            synchronize();
            return Err(if trapped { Outcome::NoCoreSync } else { Outcome::NoTextWrite });
        }
        for site in self.sites() {
            let (bytes, length) = new_bytes(site, way);
            text.write(at(site) + 1, bytes.get(1..length).unwrap_or(&[]));
        }
        synchronize();
        for site in self.sites() {
            let (bytes, _) = new_bytes(site, way);
            text.write(at(site), bytes.get(..1).unwrap_or(&[]));
        }
        synchronize();
        Ok(())
    }
}

fn at(site: &Site) -> u64 {
    site.at.load(Ordering::Relaxed)
}

fn length(site: &Site) -> usize {
    site.length.load(Ordering::Relaxed) as usize
}

fn new_bytes(site: &Site, way: Way) -> ([u8; 8], usize) {
    (site.bytes(if way == Way::In { &site.patched } else { &site.original }), length(site))
}

/// The island is dead code: nobody executes it before the site leads there.
fn write_island(text: &Text, site: &Site) -> bool {
    let at = site.island.load(Ordering::Relaxed);
    let bytes = site.bytes(&site.island_patched);
    at == 0 || bytes.get(..JUMP).is_some_and(|bytes| text.write(at, bytes))
}

fn take_back(text: &Text, site: &Site, way: Way) {
    let old = if way == Way::In { Way::Out } else { Way::In };
    text.write(at(site), new_bytes(site, old).0.get(..1).unwrap_or(&[]));
}

/// Whether site and island hold these bytes.
pub(super) fn holds(text: &Text, site: &Site, way: Way) -> bool {
    let (bytes, length) = new_bytes(site, way);
    bytes.get(..length).is_some_and(|bytes| text.holds(at(site), bytes))
        && island_holds(
            text,
            site,
            if way == Way::In { &site.island_patched } else { &site.island_original },
        )
}

fn island_holds(text: &Text, site: &Site, bytes: &AtomicU64) -> bool {
    let at = site.island.load(Ordering::Relaxed);
    at == 0 || site.bytes(bytes).get(..JUMP).is_some_and(|bytes| text.holds(at, bytes))
}
