//! A spin lock in one word; its owner says what a waiting thread does between two tries.

use whyperf_layout::sync::{AtomicU32, Ordering, or_relaxed};

/// 0 while it is free.
#[derive(Debug)]
#[cfg_attr(loom, derive(Default))]
#[repr(transparent)]
pub(crate) struct SpinLock(AtomicU32);

impl SpinLock {
    /// Free.
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Takes it, calling `wait` as long as another thread holds it.
    pub(crate) fn take(&self, wait: impl Fn()) {
        let acquire = or_relaxed("cold_take", Ordering::Acquire); // SYNC cold with SpinLock::give
        while self.0.compare_exchange_weak(0, 1, acquire, Ordering::Relaxed).is_err() {
            wait();
        }
    }

    /// Gives it back.
    pub(crate) fn give(&self) {
        self.0.store(0, or_relaxed("cold_give", Ordering::Release)); // SYNC cold with SpinLock::take
    }

    /// In a forked child, whose only thread this is: it is free.
    #[cfg(not(loom))]
    pub(crate) fn wipe(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}
