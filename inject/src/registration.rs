//! The registration of a mapping for the SIGBUS handler: where the mapping is, and whether it was damaged.
//!
//! ```text
//!   start 0   free           claim ──► 1     taken, but nowhere yet
//!                            publish ► where it begins; the end is stored before
//! ```
//! A place is used again by other mappings, and the handler may look meanwhile: it must never
//! put the beginning of one together with the end of another.

use whyperf_layout::sync::{AtomicBool, AtomicUsize, Ordering, fence, or_relaxed};

/// One place for a mapping.
#[derive(Debug)]
#[cfg_attr(loom, derive(Default))]
pub(crate) struct Registration {
    start: AtomicUsize,
    end: AtomicUsize,
    damaged: AtomicBool,
}

const FREE: usize = 0;
const TAKEN: usize = 1;

impl Registration {
    /// A free place.
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Self {
        Self {
            start: AtomicUsize::new(FREE),
            end: AtomicUsize::new(0),
            damaged: AtomicBool::new(false),
        }
    }

    /// Takes the place if it is free.
    pub(crate) fn claim(&self) -> bool {
        let (from, to) = (Ordering::Relaxed, Ordering::Relaxed);
        let is_ours = self.start.compare_exchange(FREE, TAKEN, from, to).is_ok();
        // SYNC reused with Registration::covers
        fence("reused_claim", Ordering::Release);
        is_ours
    }

    /// The mapping is here.
    pub(crate) fn publish(&self, start: usize, length: usize) {
        self.damaged.store(false, Ordering::Relaxed);
        self.end.store(start + length, Ordering::Relaxed);
        // SYNC registered with Registration::covers
        self.start.store(start, or_relaxed("registered_store", Ordering::Release));
    }

    /// Gives the place back.
    pub(crate) fn free(&self) {
        self.start.store(FREE, Ordering::Relaxed);
    }

    /// Whether the address lies in the mapping.
    pub(crate) fn covers(&self, address: usize) -> bool {
        // SYNC registered with Registration::publish
        let start = self.start.load(or_relaxed("registered_load", Ordering::Acquire));
        if start <= TAKEN || address < start || address >= self.end.load(Ordering::Relaxed) {
            return false;
        }
        fence("reused_look", Ordering::Acquire); // SYNC reused with Registration::claim
        self.start.load(Ordering::Relaxed) == start
    }

    /// A part of the mapping was missing.
    pub(crate) fn damage(&self) {
        self.damaged.store(true, Ordering::Relaxed);
    }

    /// Whether a part of the mapping was missing when it was touched.
    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }
}
