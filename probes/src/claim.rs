//! A flag that tells whether a piece of memory is claimed.

use whyperf_layout::sync::{AtomicBool, Ordering, or_relaxed};

/// Set while it is held.
#[cfg_attr(loom, derive(Default))]
pub(crate) struct Claim(AtomicBool);

impl Claim {
    /// Free.
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Takes it if it is free.
    pub(crate) fn take(&self) -> bool {
        !self.0.swap(true, or_relaxed("pool_take", Ordering::Acquire)) // SYNC pool with Claim::give
    }

    /// Gives it back.
    pub(crate) fn give(&self) {
        self.0.store(false, or_relaxed("pool_give", Ordering::Release)); // SYNC pool with Claim::take
    }
}
