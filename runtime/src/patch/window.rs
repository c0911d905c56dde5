//! Windows: functions that are on for a short time of each period, by the agent's clock.

use super::site;
use crate::lock::Held;
use crate::view::Tables;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Functions that can have windows at a time.
const WINDOWS: usize = 256;
/// Shortest time between two turns, so that the agent does not spin.
const SHORTEST: u64 = 50_000;
/// Longest period, an hour.
const LONGEST: u64 = 3_600_000_000_000;

/// One function's windows; written under the lock.
struct Window {
    /// The region, 0 while the place is free.
    region: AtomicU32,
    is_on: AtomicBool,
    /// Nanoseconds on and off, in turn.
    on: AtomicU64,
    off: AtomicU64,
    /// When the next turn is due.
    due: AtomicU64,
}

static ALL: [Window; WINDOWS] = [const {
    Window {
        region: AtomicU32::new(0),
        is_on: AtomicBool::new(false),
        on: AtomicU64::new(0),
        off: AtomicU64::new(0),
        due: AtomicU64::new(0),
    }
}; WINDOWS];

fn of(region: u32) -> Option<&'static Window> {
    ALL.iter().find(|window| window.region.load(Ordering::Relaxed) == region)
}

/// Whether the function is measured in windows.
pub(super) fn is_set(id: u16) -> bool {
    of(u32::from(id)).is_some()
}

/// Gives the function windows of `on` nanoseconds in every `period`; zeros take them away and leave
/// it off. False when that cannot be.
pub(super) fn set(tables: Tables, id: u16, on: u64, period: u64, now: u64) -> bool {
    let region = u32::from(id);
    if on == 0 && period == 0 {
        if let Some(window) = of(region) {
            window.region.store(0, Ordering::Relaxed);
            site::switch(tables, id, false);
        }
        return true;
    }
    if on < SHORTEST || period > LONGEST || period.saturating_sub(on) < SHORTEST {
        return false;
    }
    let Some(window) = of(region).or_else(|| of(0)) else { return false };
    window.on.store(on, Ordering::Relaxed);
    window.off.store(period - on, Ordering::Relaxed);
    window.is_on.store(false, Ordering::Relaxed);
    window.due.store(now, Ordering::Relaxed);
    window.region.store(region, Ordering::Relaxed);
    true
}

/// When the next turn is due; `u64::MAX` without windows.
pub(crate) fn due() -> u64 {
    let set = ALL.iter().filter(|window| window.region.load(Ordering::Relaxed) != 0);
    set.map(|window| window.due.load(Ordering::Relaxed)).min().unwrap_or(u64::MAX)
}

/// Opens and closes what is due at `now`.
pub(crate) fn turn(tables: Tables, now: u64, _: &Held) {
    for window in &ALL {
        let region = window.region.load(Ordering::Relaxed);
        if region == 0 || now < window.due.load(Ordering::Relaxed) {
            continue;
        }
        let is_on = !window.is_on.load(Ordering::Relaxed);
        let lasts = if is_on { &window.on } else { &window.off };
        site::switch(tables, region as u16, is_on);
        tables.region(region as u16).switched.store(u32::from(is_on), Ordering::Relaxed);
        window.is_on.store(is_on, Ordering::Relaxed);
        window.due.store(now + lasts.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}
