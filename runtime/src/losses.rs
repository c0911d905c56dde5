//! Counts, for the whole process, what had to be skipped.

use crate::measurement;
use core::sync::atomic::{AtomicU64, Ordering};
use whyperf_layout::Losses;

/// Counts one loss: `losses::count(|l| &l.requests)`.
#[cold]
pub fn count(which: impl FnOnce(&Losses) -> &AtomicU64) {
    if let Some(tables) = measurement::tables() {
        which(&tables.header().losses).fetch_add(1, Ordering::Relaxed);
    }
}
