//! The append-only tables of a process: regions and objects.
//!
//! A record is filled, then its number is published by raising the count in the header (release); a reader that saw the
//! count (acquire) may read every record below it. Of a region only `switched` and the fields about its times change later,
//! of an object only `name` and `retired`.

use crate::Outcome;
use crate::patch::CodeState;
use crate::sync::{AtomicU32, AtomicU64, Ordering, or_relaxed};

/// A region: something that begins and ends.
#[derive(Debug, Default)]
#[repr(C)]
pub struct RegionRecord {
    /// String: its name; 0 of a patched function, which its address names.
    pub name: AtomicU32,
    /// A [`Kind`](crate::Kind).
    pub kind: AtomicU32,
    /// 1 while it is switched on: the public mirror of the private switch byte.
    pub switched: AtomicU32,
    /// A [`ThunkForm`](crate::ThunkForm) of a patched function, else 0.
    pub form: AtomicU32,
    /// Address of the function it stands for, 0 when it has none.
    pub address: AtomicU64,
    /// Visits seen when it was last switched off for being too hot, 0 when it never was.
    pub hot_visits: AtomicU64,
    /// Ticks during which a patched function was on, without the time since `since`.
    pub covered: AtomicU64,
    /// Ticks when a patched function was last switched on, 0 while it is off.
    pub since: AtomicU64,
    /// Ticks when a patched function was switched on first, 0 before.
    pub first: AtomicU64,
    /// Calls that were counted without being timed; begins again at 2^32.
    pub counted: AtomicU32,
    /// Nanoseconds that the process ran meanwhile; begins again at 2^32.
    pub counting: AtomicU32,
    /// Nanoseconds that the process ran while the function was off, between two times in which it was
    /// on.
    pub missed: AtomicU64,
    /// Nanoseconds that the process ran while the function was on, until it was switched off last.
    pub worked: AtomicU64,
    /// Of a function: a [`CodeState`] and, in the high half, the
    /// [`Outcome`] of the last try to restore it.
    pub code: AtomicU64,
}

impl RegionRecord {
    /// Writer: the function is on from `now` on.
    pub fn uncover(&self, now: u64) {
        self.cover(now);
        if self.first.load(Ordering::Relaxed) == 0 {
            self.first.store(now, Ordering::Relaxed);
        }
        self.since.store(now, Ordering::Relaxed);
    }

    /// Writer: the function is off from `now` on. Whoever comes first adds the time.
    pub fn cover(&self, now: u64) {
        let since = self.since.swap(0, Ordering::Relaxed);
        if since != 0 {
            // Last: a reader that sees the sum does not see `since` any more.
            // SYNC covered with RegionRecord::on_time
            let release = or_relaxed("covered_add", Ordering::Release);
            self.covered.fetch_add(now.wrapping_sub(since), release);
        }
    }

    /// Writer: the function's code is in this state, after a try that ended so.
    pub fn set_code(&self, state: CodeState, outcome: Outcome) {
        self.code.store((outcome as u64) << 32 | state as u64, Ordering::Relaxed);
    }

    /// Reader: in which state the function's code is, and why it was not restored.
    #[must_use]
    pub fn code(&self) -> (CodeState, Outcome) {
        let word = self.code.load(Ordering::Relaxed);
        let outcome = Outcome::from_number((word >> 32) as u32).unwrap_or(Outcome::Nonsense);
        (CodeState::from_number(word as u32), outcome)
    }

    /// Reader: ticks during which the function was on; a window just closing counts late, not twice.
    #[must_use]
    pub fn coverage(&self, clock: u64) -> u64 {
        self.on_time().until(clock)
    }

    /// When it was on.
    #[must_use]
    pub fn on_time(&self) -> OnTime {
        // SYNC covered with RegionRecord::cover
        let covered = self.covered.load(or_relaxed("covered_load", Ordering::Acquire));
        OnTime { covered, since: self.since.load(Ordering::Relaxed) }
    }

    /// Reader: ticks when a patched function was switched on first; `None` before, and of other regions.
    #[must_use]
    pub fn first_on(&self) -> Option<u64> {
        Some(self.first.load(Ordering::Relaxed)).filter(|first| *first != 0)
    }
}

/// When a region was on, as last read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnTime {
    /// Ticks until it was switched off last.
    covered: u64,
    /// Since when it is on now, 0 while it is off.
    since: u64,
}

impl OnTime {
    /// Ticks until it was switched off last.
    #[must_use]
    pub const fn closed(self) -> u64 {
        self.covered
    }

    /// Ticks that it was on until then, if nothing changed since.
    #[must_use]
    pub const fn until(self, clock: u64) -> u64 {
        let open = if self.since == 0 { 0 } else { clock.saturating_sub(self.since) };
        self.covered.wrapping_add(open)
    }
}

/// An object: something that regions wait for or work on.
#[derive(Debug, Default)]
#[repr(C)]
pub struct ObjectRecord {
    /// An [`ObjectKind`](crate::ObjectKind).
    pub kind: AtomicU32,
    /// Number of the object it belongs to, 0 when it stands for itself.
    pub parent: AtomicU32,
    /// String: its name, 0 when the key says all.
    pub name: AtomicU32,
    /// 1 when it does not exist any more.
    pub retired: AtomicU32,
    /// Tag, address or descriptor, as the kind says.
    pub key: AtomicU64,
    /// Where it was made (return address), 0 when unknown.
    pub site: AtomicU64,
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_code_comes_with_its_reason() {
        let record = RegionRecord::default();
        assert_eq!(record.code(), (CodeState::Own, Outcome::Done));
        record.set_code(CodeState::Trapped, Outcome::NoTextWrite);
        assert_eq!(record.code(), (CodeState::Trapped, Outcome::NoTextWrite));
    }

    #[test]
    fn coverage_adds_up_and_closes_once() {
        let record = RegionRecord::default();
        record.uncover(100);
        assert_eq!(record.coverage(150), 50);
        record.cover(200);
        record.cover(300);
        assert_eq!(record.coverage(1000), 100);
        record.uncover(1000);
        record.uncover(1010);
        assert_eq!(record.coverage(1030), 130);
        assert_eq!(record.first_on(), Some(100));
        assert_eq!(size_of::<RegionRecord>(), 88);
    }
}
