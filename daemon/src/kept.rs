//! Descriptors that stay open from pass to pass, up to a number of them.

use std::sync::atomic::{AtomicUsize, Ordering};

/// A descriptor that stays open: opening it again in each pass costs more, but a job with a thousand threads would use up all
/// descriptors.
#[derive(Debug)]
pub(crate) struct KeptDescriptor<T>(T);

static KEPT: AtomicUsize = AtomicUsize::new(0);
/// Descriptors used at most, a quarter of the usual limit.
const MOST_KEPT: usize = 256;

impl<T> KeptDescriptor<T> {
    /// Closes it at once where too many are open.
    pub(crate) fn new(descriptor: T) -> Option<Self> {
        let before = KEPT.fetch_add(1, Ordering::Relaxed);
        let kept = Self(descriptor);
        // Dropping it counts it out again.
        (before < MOST_KEPT).then_some(kept)
    }

    pub(crate) const fn get(&self) -> &T {
        &self.0
    }
}

impl<T> Drop for KeptDescriptor<T> {
    fn drop(&mut self) {
        KEPT.fetch_sub(1, Ordering::Relaxed);
    }
}
