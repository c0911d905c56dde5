//! The table of functions that have measurement windows, and the state of each window.

use crate::clock;
use crate::switch::WIPE_ON_FORK;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Functions that can have windows at a time.
const WINDOWS: usize = 256;
/// Shortest time between two turns, so that the agent does not spin.
const SHORTEST: u64 = 50_000;
/// Longest period, an hour.
const LONGEST: u64 = 3_600_000_000_000;
/// Nanoseconds for which a function counts at most: others wait for their turn meanwhile.
const MOST_COUNTING: u64 = 50_000_000;
/// One function's windows; the place is free when the region is not said to be in windows.
#[derive(Debug)]
pub(crate) struct FunctionWindow {
    region: AtomicU32,
    is_open: AtomicBool,
    /// Nanoseconds of a window, and from the beginning of one to that of the next.
    on: AtomicU64,
    period: AtomicU64,
    /// When the next turn is due.
    pub(crate) due: AtomicU64,
    /// Visits that a window may have, and those it had.
    most: AtomicU32,
    had: AtomicU32,
    /// Where it stands with counting.
    pub(crate) count: AtomicU32,
    /// When counting began, the calls so far, and the work of the process just before and just after these were read.
    pub(crate) began: AtomicU64,
    pub(crate) calls: AtomicU64,
    pub(crate) work: [AtomicU64; 2],
}

/// Its calls were not counted apart yet in this window, are, and were.
pub(crate) const TO_COME: u32 = 0;
pub(crate) const COUNTS: u32 = 1;
pub(crate) const COUNTED: u32 = 2;
static ALL: [FunctionWindow; WINDOWS] = [const {
    FunctionWindow {
        region: AtomicU32::new(0),
        is_open: AtomicBool::new(false),
        on: AtomicU64::new(0),
        period: AtomicU64::new(0),
        due: AtomicU64::new(0),
        most: AtomicU32::new(0),
        had: AtomicU32::new(0),
        count: AtomicU32::new(TO_COME),
        began: AtomicU64::new(0),
        calls: AtomicU64::new(0),
        work: [const { AtomicU64::new(0) }; 2],
    }
}; WINDOWS];

fn of(id: u16) -> Option<&'static FunctionWindow> {
    taken().find(|window| window.id() == id)
}

/// Those in use. A forked child finds none: the set of regions with windows lies in the wipe-on-fork pages.
pub(crate) fn taken() -> impl Iterator<Item = &'static FunctionWindow> {
    ALL.iter().filter(|window| WIPE_ON_FORK.in_windows.has(window.id()))
}

impl FunctionWindow {
    pub(crate) fn id(&self) -> u16 {
        self.region.load(Ordering::Relaxed) as u16
    }

    pub(crate) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    pub(crate) fn is_due(&self, now: u64) -> bool {
        now >= self.due.load(Ordering::Relaxed)
    }

    pub(crate) fn is_at(&self, count: u32) -> bool {
        self.count.load(Ordering::Relaxed) == count
    }

    /// Nanoseconds for which it may count, while the process hardly runs.
    pub(crate) fn patience(&self) -> u64 {
        (self.period.load(Ordering::Relaxed) / 4).min(MOST_COUNTING)
    }

    /// The next one begins with the next period of the clock, as those of all functions do, in other
    /// processes, too.
    pub(crate) fn wait_shut(&self) {
        let period = self.period.load(Ordering::Relaxed).max(1);
        self.due.store((clock::nanos() / period + 1) * period, Ordering::Relaxed);
        self.is_open.store(false, Ordering::Relaxed);
    }

    pub(crate) fn wait_open(&self) {
        self.count.store(TO_COME, Ordering::Relaxed);
        self.had.store(0, Ordering::Relaxed);
        self.is_open.store(true, Ordering::Relaxed);
        let on = self.on.load(Ordering::Relaxed);
        self.due.store(clock::nanos().saturating_add(on), Ordering::Relaxed);
    }
}

/// Which windows a function is to have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedWindows {
    /// Nanoseconds of a window.
    pub(crate) on: u64,
    /// Visits that it may have, 0 for any number.
    pub(crate) visits: u32,
    /// Nanoseconds from the beginning of one to that of the next.
    pub(crate) period: u64,
}

/// Gives the function windows. False when that cannot be.
pub(crate) fn set(id: u16, wanted: WantedWindows) -> bool {
    let WantedWindows { on, visits: most, period } = wanted;
    if on < SHORTEST || period > LONGEST || period.saturating_sub(on) < SHORTEST {
        return false;
    }
    let is_free = |window: &&FunctionWindow| !WIPE_ON_FORK.in_windows.has(window.id());
    let Some(window) = of(id).or_else(|| ALL.iter().find(is_free)) else { return false };
    if !WIPE_ON_FORK.in_windows.has(id) {
        window.region.store(u32::from(id), Ordering::Relaxed);
        window.is_open.store(false, Ordering::Relaxed);
        window.due.store(0, Ordering::Relaxed);
    }
    window.on.store(on, Ordering::Relaxed);
    window.period.store(period, Ordering::Relaxed);
    window.most.store(if most == 0 { u32::MAX } else { most }, Ordering::Relaxed);
    WIPE_ON_FORK.in_windows.add(id);
    true
}

/// The function has windows no longer; 0 for all.
pub(crate) fn end(id: u16) {
    if id == 0 {
        _ = WIPE_ON_FORK.in_windows.drain().count();
    }
    WIPE_ON_FORK.in_windows.remove(id);
}

/// Counts visits of a function in its window; whether those were too many.
pub(crate) fn is_spent(id: u16, visits: u32) -> bool {
    of(id).is_some_and(|window| {
        let had = window.had.fetch_add(visits, Ordering::Relaxed).saturating_add(visits);
        had >= window.most.load(Ordering::Relaxed)
    })
}

/// Ends the window of a function that spent what it may.
pub(crate) fn end_early(id: u16) {
    if let Some(window) = of(id).filter(|window| window.is_open()) {
        window.due.store(0, Ordering::Relaxed);
    }
}

/// When the next window is to be shut, where none is to be opened; `u64::MAX` without an open one.
pub(crate) fn due_to_shut() -> u64 {
    let open = taken().filter(|window| window.is_open());
    open.map(|window| window.due.load(Ordering::Relaxed)).min().unwrap_or(u64::MAX)
}

/// When the next turn is due; `u64::MAX` without windows.
pub(crate) fn due() -> u64 {
    taken().map(|window| window.due.load(Ordering::Relaxed)).min().unwrap_or(u64::MAX)
}
