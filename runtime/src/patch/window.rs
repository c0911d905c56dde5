//! Windows: functions that are on for a short time of each period, by the agent's clock.
//!
//! ```text
//!   shut: its own bytes ──► armed, on ──► off, its own bytes
//!                            │ on nanoseconds, or so many visits ┘
//! ```
//! Between two windows such a function is byte for byte the compiler's: it is called so often that
//! being armed would cost the program more than the window does.

use super::site::{Ran, Site};
use super::text::Text;
use super::{arm, count, site};
use crate::clock;
use crate::lock::Held;
use crate::switch::WIPE_ON_FORK;
use crate::view::Tables;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use whyperf_layout::Outcome;

/// Functions that can have windows at a time.
const WINDOWS: usize = 256;
/// Shortest time between two turns, so that the agent does not spin.
const SHORTEST: u64 = 50_000;
/// Longest period, an hour.
const LONGEST: u64 = 3_600_000_000_000;
/// What could not be changed for the moment is tried again after this time.
const AGAIN: u64 = 5_000_000;

/// One function's windows; the place is free when the region is not said to be in windows.
#[derive(Debug)]
struct Window {
    region: AtomicU32,
    is_open: AtomicBool,
    /// Nanoseconds of a window, and from the beginning of one to that of the next.
    on: AtomicU64,
    period: AtomicU64,
    /// When the next turn is due.
    due: AtomicU64,
    /// Visits that a window may have, and those it had.
    most: AtomicU32,
    had: AtomicU32,
    /// Where it stands with counting.
    count: AtomicU32,
    /// Calls and work of the process when counting began.
    calls: AtomicU64,
    work: AtomicU64,
}

/// Of the time in nanoseconds, the bits that do not choose who counts.
const TURN: u32 = 24;
/// Its calls were not counted apart yet in this window, are, and were.
const TO_COME: u32 = 0;
const COUNTS: u32 = 1;
const COUNTED: u32 = 2;
/// Nanoseconds for which calls are counted.
const COUNTING: u64 = 400_000;

static ALL: [Window; WINDOWS] = [const {
    Window {
        region: AtomicU32::new(0),
        is_open: AtomicBool::new(false),
        on: AtomicU64::new(0),
        period: AtomicU64::new(0),
        due: AtomicU64::new(0),
        most: AtomicU32::new(0),
        had: AtomicU32::new(0),
        count: AtomicU32::new(TO_COME),
        calls: AtomicU64::new(0),
        work: AtomicU64::new(0),
    }
}; WINDOWS];

fn of(id: u16) -> Option<&'static Window> {
    taken().find(|window| window.id() == id)
}

/// Those in use. A forked child finds none: the set of regions with windows lies in the wipe-on-fork pages.
fn taken() -> impl Iterator<Item = &'static Window> {
    ALL.iter().filter(|window| WIPE_ON_FORK.in_windows.has(window.id()))
}

impl Window {
    fn id(&self) -> u16 {
        self.region.load(Ordering::Relaxed) as u16
    }

    fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    fn is_due(&self, now: u64) -> bool {
        now >= self.due.load(Ordering::Relaxed)
    }

    fn is_at(&self, count: u32) -> bool {
        self.count.load(Ordering::Relaxed) == count
    }

    /// The second part of a window: calls are counted, no more.
    fn begin_to_count(&self, tables: Tables, held: &Held) {
        self.count.store(COUNTED, Ordering::Relaxed);
        let Some((_, site)) = site::of_region(self.id()) else { return };
        let Some(text) = Text::open().filter(|text| count::prepare(text, site)) else { return };
        site::switch(tables, self.id(), false, &mut Ran::default());
        if !self.lead_to_count(tables, site, held) {
            return;
        }
        self.count.store(COUNTS, Ordering::Relaxed);
        // In the same order as at the end, for calls are counted between the two.
        self.work.store(count::work(), Ordering::Relaxed);
        self.calls.store(count::sum(&text), Ordering::Relaxed);
        self.due.store(clock::nanos().saturating_add(COUNTING), Ordering::Relaxed);
    }

    /// Calls are only counted from here on; false when they cannot be.
    fn lead_to_count(&self, tables: Tables, site: &Site, held: &Held) -> bool {
        let is_one = |id: u16| id == self.id();
        if arm::disarm_those(tables, &is_one, held) != Outcome::Done {
            return false;
        }
        let is_direct = site.will_count();
        arm::again(tables, &is_one, held);
        if !arm::is_armed(self.id()) {
            site.will_not_count();
            return false;
        }
        if !is_direct {
            site.lead_to_count();
        }
        true
    }

    fn end_count(&self, tables: Tables) {
        if !self.is_at(COUNTS) {
            return;
        }
        self.count.store(COUNTED, Ordering::Relaxed);
        let Some(text) = Text::open() else { return };
        let work = count::work();
        let calls = count::sum(&text).wrapping_sub(self.calls.load(Ordering::Relaxed));
        let work = work.wrapping_sub(self.work.load(Ordering::Relaxed));
        let record = tables.region(self.id());
        record.counted.fetch_add(calls as u32, Ordering::Relaxed);
        record.counting.fetch_add(work as u32, Ordering::Relaxed);
    }

    /// The next one begins with the next period of the clock, as those of all functions do, in other
    /// processes, too.
    fn wait_shut(&self) {
        let period = self.period.load(Ordering::Relaxed).max(1);
        self.due.store((clock::nanos() / period + 1) * period, Ordering::Relaxed);
        self.is_open.store(false, Ordering::Relaxed);
    }

    fn wait_open(&self) {
        self.count.store(TO_COME, Ordering::Relaxed);
        self.had.store(0, Ordering::Relaxed);
        self.is_open.store(true, Ordering::Relaxed);
        let on = self.on.load(Ordering::Relaxed);
        self.due.store(clock::nanos().saturating_add(on), Ordering::Relaxed);
    }
}

/// Which windows a function is to have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Nanoseconds of a window.
    pub(super) on: u64,
    /// Visits that it may have, 0 for any number.
    pub(super) visits: u32,
    /// Nanoseconds from the beginning of one to that of the next.
    pub(super) period: u64,
}

/// Gives the function windows. False when that cannot be.
pub(super) fn set(id: u16, wanted: Wanted) -> bool {
    let Wanted { on, visits: most, period } = wanted;
    if on < SHORTEST || period > LONGEST || period.saturating_sub(on) < SHORTEST {
        return false;
    }
    let is_free = |window: &&Window| !WIPE_ON_FORK.in_windows.has(window.id());
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
pub(super) fn end(id: u16) {
    if id == 0 {
        _ = WIPE_ON_FORK.in_windows.drain().count();
    }
    WIPE_ON_FORK.in_windows.remove(id);
}

/// Counts visits of a function in its window; whether those were too many.
pub(super) fn is_spent(id: u16, visits: u32) -> bool {
    of(id).is_some_and(|window| {
        let had = window.had.fetch_add(visits, Ordering::Relaxed).saturating_add(visits);
        had >= window.most.load(Ordering::Relaxed)
    })
}

/// Ends the window of a function that spent what it may.
pub(super) fn end_early(id: u16) {
    if let Some(window) = of(id).filter(|window| window.is_open()) {
        window.due.store(0, Ordering::Relaxed);
    }
}

/// When the next turn is due; `u64::MAX` without windows.
pub(crate) fn due() -> u64 {
    taken().map(|window| window.due.load(Ordering::Relaxed)).min().unwrap_or(u64::MAX)
}

/// Opens and shuts what is due at `now`: all of it together, so that none waits for another.
pub(crate) fn turn(tables: Tables, now: u64, held: &Held) {
    let is_due = |window: &&Window| window.is_due(now);
    // One counts at a time, another one in each period.
    let others =
        || taken().filter(is_due).filter(|window| window.is_open() && window.is_at(TO_COME));
    if taken().all(|window| !window.is_at(COUNTS)) && others().next().is_some() {
        let number = (now >> TURN) as usize % others().count().max(1);
        if let Some(window) = others().nth(number) {
            window.begin_to_count(tables, held);
        }
    }
    if taken().any(|window| is_due(&window) && window.is_open()) {
        shut_all(tables, held, &is_due);
    }
    if taken().any(|window| is_due(&window) && !window.is_open()) {
        open_all(tables, held, &is_due);
    }
}

fn shut_all(tables: Tables, held: &Held, is_due: &impl Fn(&&Window) -> bool) {
    let all = || taken().filter(is_due).filter(|window| window.is_open());
    for window in all() {
        window.end_count(tables);
        site::switch(tables, window.id(), false, &mut Ran::default());
    }
    let is_one = |id: u16| all().any(|window| window.id() == id);
    if arm::disarm_those(tables, &is_one, held) == Outcome::Busy {
        // Off they are; the bytes come later.
        let again = clock::nanos().saturating_add(AGAIN);
        all().for_each(|window| window.due.store(again, Ordering::Relaxed));
        return;
    }
    all().for_each(Window::wait_shut);
}

fn open_all(tables: Tables, held: &Held, is_due: &impl Fn(&&Window) -> bool) {
    let all = || taken().filter(is_due).filter(|window| !window.is_open());
    let is_one = |id: u16| all().any(|window| window.id() == id);
    arm::again(tables, &is_one, held);
    for window in all() {
        if arm::is_armed(window.id()) {
            tables.region(window.id()).switched.store(1, Ordering::Relaxed);
            site::switch(tables, window.id(), true, &mut Ran::default());
            window.wait_open();
        } else {
            window.wait_shut();
        }
    }
}
