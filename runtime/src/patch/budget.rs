//! How often a thread may call a function that is switched on, before the runtime switches it off.
//!
//! A node is looked at after a burst of visits. When they came faster than the budget allows, the
//! function is too hot. A burst is at least 256 visits and takes at least 5 ms at the allowed rate,
//! so a function far above it is off again within a few milliseconds.

use super::window;
use crate::clock;
use crate::view::Tables;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Visits of a burst.
static BURST: AtomicU32 = AtomicU32::new(UNLIMITED);
/// Ticks that they must take at least, 0 for no limit.
static SPAN: AtomicU64 = AtomicU64::new(0);

/// Visits between two looks while there is no budget: it may come.
const UNLIMITED: u32 = 1 << 16;
const SHORTEST: u64 = 256;
const LONGEST: u64 = 1 << 20;
const BURSTS_A_SECOND: u64 = 200;
const SECOND: u64 = 1_000_000_000;

/// Sets the budget: so many visits a second, 0 for no limit.
pub(super) fn set(tables: Tables, rate: u64) {
    if rate == 0 {
        SPAN.store(0, Ordering::Relaxed);
        BURST.store(UNLIMITED, Ordering::Relaxed);
        return;
    }
    let burst = (rate / BURSTS_A_SECOND).clamp(SHORTEST, LONGEST);
    let nanos = u128::from(burst) * u128::from(SECOND) / u128::from(rate);
    BURST.store(burst as u32, Ordering::Relaxed);
    SPAN.store(ticks(tables, nanos), Ordering::Relaxed);
}

/// Ticks of so many nanoseconds, by what passed since the region was made.
fn ticks(tables: Tables, nanos: u128) -> u64 {
    if !clock::is_counter() {
        return nanos as u64;
    }
    let header = tables.header();
    let ticks = clock::now().wrapping_sub(header.start_ticks.load(Ordering::Relaxed));
    let passed = clock::nanos().wrapping_sub(header.start_nanos.load(Ordering::Relaxed)).max(1);
    (nanos * u128::from(ticks) / u128::from(passed)) as u64
}

/// Visits after which a function's node is looked at again.
pub(crate) fn burst() -> u32 {
    BURST.load(Ordering::Relaxed)
}

/// Whether a burst of this function's visits that took so many ticks was too fast. A function that
/// is measured in windows is not switched off for it: its windows are what limits its cost.
pub(crate) fn is_exceeded(id: u16, elapsed: u64) -> bool {
    elapsed < SPAN.load(Ordering::Relaxed) && !window::is_set(id)
}
