//! A stretch of memory that a signal handler looks for, also while its thread is changing it.

use core::sync::atomic::{AtomicUsize, Ordering, compiler_fence};

/// Where it begins, 0 while there is none, and its size.
#[derive(Debug)]
pub(crate) struct Range {
    start: AtomicUsize,
    size: AtomicUsize,
}

impl Range {
    /// Nothing.
    pub(crate) const fn none() -> Self {
        Self { start: AtomicUsize::new(0), size: AtomicUsize::new(0) }
    }

    /// It lies here from now on. In between it is empty: no moment says that other memory is in it.
    pub(crate) fn set(&self, start: usize, size: usize) {
        self.size.store(0, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst); // SYNC range with Range::around
        self.start.store(start, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst); // SYNC range with Range::around
        self.size.store(size, Ordering::Relaxed);
    }

    /// Where it begins.
    pub(crate) fn start(&self) -> usize {
        self.start.load(Ordering::Relaxed)
    }

    /// Handler: start and size if the address lies in it. The thread that was interrupted does
    /// nothing meanwhile.
    pub(crate) fn around(&self, address: usize) -> Option<(usize, usize)> {
        // SYNC range with Range::set
        let (start, size) = (self.start(), self.size.load(Ordering::Relaxed));
        (start != 0 && address.wrapping_sub(start) < size).then_some((start, size))
    }
}
