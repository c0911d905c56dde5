//! Windows: functions that are on for a short time of each period, by the agent's clock.
//!
//! ```text
//!   shut: its own bytes ──► armed, on ──► off, its own bytes
//!                            │ on nanoseconds, or so many visits ┘
//! ```
//! Between two windows such a function is byte for byte the compiler's: it is called so often that
//! being armed would cost the program more than the window does.

use super::{arm, site};
use crate::lock::Held;
use crate::switch::WIPED;
use crate::view::Tables;
use crate::{agent, clock};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use whyperf_layout::{Message, Outcome, Reply};

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
}

static ALL: [Window; WINDOWS] = [const {
    Window {
        region: AtomicU32::new(0),
        is_open: AtomicBool::new(false),
        on: AtomicU64::new(0),
        period: AtomicU64::new(0),
        due: AtomicU64::new(0),
        most: AtomicU32::new(0),
        had: AtomicU32::new(0),
    }
}; WINDOWS];

fn of(id: u16) -> Option<&'static Window> {
    taken().find(|window| window.id() == id)
}

/// Those in use. A forked child finds none: which regions have windows is wiped.
fn taken() -> impl Iterator<Item = &'static Window> {
    ALL.iter().filter(|window| WIPED.in_windows.has(window.id()))
}

impl Window {
    fn id(&self) -> u16 {
        self.region.load(Ordering::Relaxed) as u16
    }

    fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    fn wait(&self, nanos: u64) {
        self.due.store(clock::nanos().saturating_add(nanos), Ordering::Relaxed);
    }

    fn open(&self, tables: Tables, held: &Held) {
        let id = self.id();
        if arm::again(tables, id, held) != Outcome::Done {
            return self.wait(self.period.load(Ordering::Relaxed));
        }
        self.had.store(0, Ordering::Relaxed);
        self.is_open.store(true, Ordering::Relaxed);
        tables.region(id).switched.store(1, Ordering::Relaxed);
        site::switch(tables, id, true);
        self.wait(self.on.load(Ordering::Relaxed));
    }

    fn shut(&self, tables: Tables, held: &Held) {
        if arm::disarm(tables, self.id(), held) == Outcome::Busy {
            return self.wait(AGAIN);
        }
        self.is_open.store(false, Ordering::Relaxed);
        let [on, period] = [&self.on, &self.period].map(|time| time.load(Ordering::Relaxed));
        self.wait(period.saturating_sub(on));
    }
}

/// Gives the function windows of `on` nanoseconds in every `period`, each for so many visits at most;
/// zeros take them away and give it its bytes back. False when that cannot be.
pub(super) fn set(tables: Tables, id: u16, on: u64, period: u64, held: &Held) -> bool {
    let (on, most) = (on & u64::from(u32::MAX), (on >> 32) as u32);
    if on == 0 && period == 0 {
        end(id);
        let outcome = arm::disarm(tables, id, held);
        let arguments = [u64::from(id), outcome as u64, 0];
        agent::reply(tables, Message { what: Reply::Disarmed as u64, arguments }, held);
        return true;
    }
    if on < SHORTEST || period > LONGEST || period.saturating_sub(on) < SHORTEST {
        return false;
    }
    let is_free = |window: &&Window| !WIPED.in_windows.has(window.id());
    let Some(window) = of(id).or_else(|| ALL.iter().find(is_free)) else { return false };
    if !WIPED.in_windows.has(id) {
        window.region.store(u32::from(id), Ordering::Relaxed);
        window.is_open.store(false, Ordering::Relaxed);
        window.wait(0);
    }
    window.on.store(on, Ordering::Relaxed);
    window.period.store(period, Ordering::Relaxed);
    window.most.store(if most == 0 { u32::MAX } else { most }, Ordering::Relaxed);
    WIPED.in_windows.add(id);
    true
}

/// The function has windows no longer; 0 for all.
pub(super) fn end(id: u16) {
    if id == 0 {
        _ = WIPED.in_windows.drain().count();
    }
    WIPED.in_windows.remove(id);
}

/// Counts visits of a function in its window; whether those were too many.
pub(super) fn is_spent(id: u16, visits: u32) -> bool {
    of(id).is_some_and(|window| {
        let had = window.had.fetch_add(visits, Ordering::Relaxed).saturating_add(visits);
        had >= window.most.load(Ordering::Relaxed)
    })
}

/// Ends the window of a function that spent what it may.
pub(super) fn shut(tables: Tables, id: u16, held: &Held) {
    if let Some(window) = of(id).filter(|window| window.is_open()) {
        window.shut(tables, held);
    }
}

/// When the next turn is due; `u64::MAX` without windows.
pub(crate) fn due() -> u64 {
    taken().map(|window| window.due.load(Ordering::Relaxed)).min().unwrap_or(u64::MAX)
}

/// Opens and closes what is due at `now`.
pub(crate) fn turn(tables: Tables, now: u64, held: &Held) {
    for window in taken().filter(|window| now >= window.due.load(Ordering::Relaxed)) {
        if window.is_open() {
            window.shut(tables, held);
        } else {
            window.open(tables, held);
        }
    }
}
