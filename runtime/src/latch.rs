//! The word of a lock that is waited for by whatever means its owner has.

use whyperf_layout::sync::{AtomicU32, Ordering, or_relaxed};

/// 0 while nobody holds it.
#[derive(Debug)]
#[cfg_attr(loom, derive(Default))]
#[repr(transparent)]
pub(crate) struct Latch(AtomicU32);

impl Latch {
    /// Held by nobody.
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Takes it, calling `wait` as long as somebody else holds it.
    pub(crate) fn take(&self, wait: impl Fn()) {
        let acquire = or_relaxed("cold_take", Ordering::Acquire); // SYNC cold with Latch::give
        while self.0.compare_exchange_weak(0, 1, acquire, Ordering::Relaxed).is_err() {
            wait();
        }
    }

    /// Gives it back.
    pub(crate) fn give(&self) {
        self.0.store(0, or_relaxed("cold_give", Ordering::Release)); // SYNC cold with Latch::take
    }

    /// In a forked child, whose only thread this is: nobody holds it.
    #[cfg(not(loom))]
    pub(crate) fn wipe(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}
