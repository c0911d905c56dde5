//! A batch of sites whose bytes change together.

use crate::functions::site::{self, JUMP, PatchedFunction, SiteState};
use core::sync::atomic::Ordering;
use whyperf_layout::geometry::STAGING_CAPACITY;

/// Slots whose sites change.
#[derive(Debug)]
pub(super) struct Batch {
    slots: [u16; STAGING_CAPACITY],
    /// Where each stood when it was added.
    before: [SiteState; STAGING_CAPACITY],
    pub(super) used: usize,
    /// From the first site to the last, or island: no thread stands inside elsewhere.
    span: (u64, u64),
    pub(super) way: PatchDirection,
}

/// Which way bytes change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatchDirection {
    /// From the compiler's to ours.
    In,
    /// Back.
    Out,
}

impl Batch {
    /// An empty one.
    pub(super) const fn new(way: PatchDirection) -> Self {
        let before = [SiteState::Free; STAGING_CAPACITY];
        Self { slots: [0; STAGING_CAPACITY], before, used: 0, span: (u64::MAX, 0), way }
    }

    /// Adds a slot; nothing when there is no room.
    pub(super) fn add(&mut self, slot: usize) {
        let Some(site) = site::of_slot(slot) else { return };
        let places = (self.slots.get_mut(self.used), self.before.get_mut(self.used));
        if let (Some(place), Some(before)) = places {
            (*place, *before) = (slot as u16, site.state());
            self.used += 1;
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
        let on_island = |site: &PatchedFunction| {
            let is_there =
                self.way == PatchDirection::Out && site.island.load(Ordering::Relaxed) == place;
            is_there.then(|| site.stub.load(Ordering::Relaxed))
        };
        self.sites().find_map(|site| match self.way {
            PatchDirection::In => site.moved(place),
            PatchDirection::Out => on_island(site),
        })
    }

    /// Whether a slot is in it.
    pub(super) fn has(&self, slot: usize) -> bool {
        self.slots.iter().take(self.used).any(|known| usize::from(*known) == slot)
    }

    /// The sites.
    pub(super) fn sites(&self) -> impl Iterator<Item = &'static PatchedFunction> {
        self.slots.iter().take(self.used).filter_map(|slot| site::of_slot(usize::from(*slot)))
    }

    /// The sites, each with where it stood when it was added.
    pub(super) fn with_before(
        &self,
    ) -> impl Iterator<Item = (&'static PatchedFunction, SiteState)> {
        self.sites().zip(self.before)
    }
}

fn at(site: &PatchedFunction) -> u64 {
    site.at.load(Ordering::Relaxed)
}
