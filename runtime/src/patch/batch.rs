//! A batch of sites whose bytes change together.
//!
//! ```text
//!   1  a trap in the first byte of each site      ── all processors read code anew ──
//!   2  the other bytes of each                    ── all processors read code anew ──
//!   3  the first byte of each                     ── all processors read code anew ──
//! ```
//! At no moment can a thread execute a mixture: before 3 the first byte is a trap, whose handler
//! leads to the copy. Most sites are one instruction, so nobody stands inside; where they are several,
//! all threads are looked at between 1 and 2.

use super::inspection;
use super::site::{self, JUMP, Site, State};
use super::text::{Text, synchronize};
use super::trap;
use core::sync::atomic::{AtomicU64, Ordering};
use whyperf_layout::Outcome;
use whyperf_layout::geometry::STAGING_CAPACITY;

/// Slots whose sites change.
#[derive(Debug)]
pub(super) struct Batch {
    slots: [u16; STAGING_CAPACITY],
    used: usize,
    /// From the first site to the last, or island: nobody stands inside elsewhere.
    span: (u64, u64),
    way: Way,
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
    pub(super) const fn new(way: Way) -> Self {
        Self { slots: [0; STAGING_CAPACITY], used: 0, span: (u64::MAX, 0), way }
    }

    /// Adds a slot; nothing when there is no room.
    pub(super) fn add(&mut self, slot: usize) {
        if let Some(place) = self.slots.get_mut(self.used) {
            *place = slot as u16;
            self.used += 1;
        }
        if let Some(site) = site::of_slot(slot) {
            let island = site.island.load(Ordering::Relaxed);
            for place in [at(site), island].into_iter().filter(|place| *place != 0) {
                let (low, high) = self.span;
                self.span = (low.min(place), high.max(place + JUMP as u64));
            }
        }
    }

    /// Where a thread that stands at `place` goes on, if it stands where bytes are to change: between
    /// instructions of a site, or, when islands go, on one.
    pub(super) fn moved(&self, place: u64) -> Option<u64> {
        if place < self.span.0 || place > self.span.1 {
            return None;
        }
        let on_island = |site: &Site| {
            let is_there = self.way == Way::Out && site.island.load(Ordering::Relaxed) == place;
            is_there.then(|| site.stub.load(Ordering::Relaxed))
        };
        self.sites().find_map(|site| match self.way {
            Way::In => site.moved(place),
            Way::Out => on_island(site),
        })
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
    pub(super) fn flip(&self, text: &Text) -> Result<(), Outcome> {
        let way = self.way;
        if self.used == 0 {
            return Ok(());
        }
        if way == Way::In && !self.sites().all(|site| write_island(text, site)) {
            return Err(Outcome::NoTextWrite);
        }
        let trapped = self.sites().all(|site| text.write(at(site), &[trap::byte()]));
        if !trapped || !synchronize() {
            self.sites().for_each(|site| take_back_all(text, site, way));
            synchronize();
            return Err(if trapped { Outcome::NoCoreSync } else { Outcome::NoTextWrite });
        }
        if way == Way::In
            && self.sites().any(Site::is_divided)
            && let Err(outcome) = inspection::clear(self, text)
        {
            self.sites().for_each(|site| take_back_all(text, site, way));
            synchronize();
            return Err(outcome);
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

    /// Takes the islands of disarmed sites away, when nobody stands on one any more.
    pub(super) fn clear_islands(&self, text: &Text) -> Result<(), Outcome> {
        let has_island = |site: &&Site| site.island.load(Ordering::Relaxed) != 0;
        if self.sites().find(has_island).is_none() {
            return Ok(());
        }
        inspection::clear(self, text)?;
        for site in self.sites().filter(has_island) {
            let bytes = site.bytes(&site.island_original);
            let at = site.island.load(Ordering::Relaxed);
            text.write(at, bytes.get(..JUMP).unwrap_or(&[]));
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
    let bytes = if way == Way::In { site.ours() } else { site.bytes(&site.original) };
    (bytes, length(site))
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

/// The change failed: the site gets its first byte back, and the island, to which nothing led yet, its
/// own. One from which the site was taken earlier waits until nobody stands there.
fn take_back_all(text: &Text, site: &Site, way: Way) {
    take_back(text, site, way);
    let at = site.island.load(Ordering::Relaxed);
    if way == Way::In && at != 0 && !site.is(State::Retiring) {
        text.write(at, site.bytes(&site.island_original).get(..JUMP).unwrap_or(&[]));
    }
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
