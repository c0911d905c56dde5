//! A moment on both clocks of the machine, and how long a tick is.

use std::sync::atomic::Ordering;

use rustix::time::{ClockId, clock_gettime};
use whyperf_layout::Header;
use whyperf_model::Scale;

/// One moment: on the monotonic clock and on the time stamp counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    pub nanos: u64,
    /// Time stamp counter; the nanoseconds again on machines without one.
    pub ticks: u64,
}

impl Moment {
    /// Now. Of a few tries the one in which both clocks were read closest together.
    #[must_use]
    pub fn now() -> Self {
        let mut best: Option<(u64, Self)> = None;
        for _ in 0..4 {
            let before = ticks();
            let nanos = monotonic();
            let width = ticks().wrapping_sub(before);
            if best.is_none_or(|(narrowest, _)| width < narrowest) {
                best = Some((width, Self { nanos, ticks: before.wrapping_add(width / 2) }));
            }
        }
        best.map_or_else(Self::default, |(_, moment)| moment)
    }

    /// The same distance later on both clocks, for clocks that run alike.
    #[must_use]
    pub const fn later(self, nanos: u64) -> Self {
        Self { nanos: self.nanos + nanos, ticks: self.ticks + nanos }
    }
}

/// The clock by which a process stamps its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegionClock {
    /// The time stamp counter.
    Tsc,
    /// `CLOCK_MONOTONIC`, where the counter is not to be relied on.
    Monotonic,
}

impl RegionClock {
    pub(crate) fn of(header: &Header) -> Self {
        let is_tsc = header.clock_is_tsc.load(Ordering::Relaxed) != 0;
        if is_tsc { Self::Tsc } else { Self::Monotonic }
    }

    /// How long its ticks are, when those of the machine are `machine` long.
    pub(crate) const fn scale(self, machine: Scale) -> Scale {
        match self {
            Self::Tsc => machine,
            Self::Monotonic => Scale::NANOSECONDS,
        }
    }

    /// A moment in its ticks.
    pub(crate) const fn ticks(self, moment: Moment) -> u64 {
        match self {
            Self::Tsc => moment.ticks,
            Self::Monotonic => moment.nanos,
        }
    }
}

/// Keeps the length of a tick up to date, from the moments that pass by.
///
/// The far end moves up once in a while, so that a machine that changed its rate (a virtual one
/// that moved) is believed again soon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calibration {
    anchor: Moment,
    middle: Moment,
    scale: Scale,
}

impl Calibration {
    pub(crate) const fn new(start: Moment) -> Self {
        Self { anchor: start, middle: start, scale: Scale::HALF_NANOSECONDS }
    }

    pub(crate) fn see(&mut self, now: Moment) {
        if let Some(scale) = between(self.anchor, now) {
            self.scale = scale;
        }
        if now.nanos.saturating_sub(self.middle.nanos) > RENEWED {
            self.anchor = self.middle;
            self.middle = now;
        }
    }

    pub(crate) const fn scale(&self) -> Scale {
        self.scale
    }
}

/// What two moments say; `None` when they are too close together to say anything.
fn between(first: Moment, last: Moment) -> Option<Scale> {
    let nanos = last.nanos.checked_sub(first.nanos)?;
    let ticks = last.ticks.checked_sub(first.ticks)?;
    if nanos < SHORTEST { None } else { Scale::of(nanos, ticks) }
}

/// Two moments closer than this (1 ms) say too little about the rate.
const SHORTEST: u64 = 1_000_000;
/// The rate is taken over the last 30 to 60 seconds.
const RENEWED: u64 = 30_000_000_000;

fn monotonic() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000
        + u64::try_from(time.tv_nsec).unwrap_or(0)
}

#[cfg(target_arch = "x86_64")]
fn ticks() -> u64 {
    // SAFETY: reading the counter has no effect and no precondition on x86-64.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn ticks() -> u64 {
    monotonic()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_follows_the_moments() {
        let mut calibration = Calibration::new(Moment { nanos: 5, ticks: 100 });
        calibration.see(Moment { nanos: 6, ticks: 101 });
        assert_eq!(calibration.scale().nanos(1000), 500, "one nanosecond apart says nothing");
        calibration.see(Moment { nanos: 10_000_005, ticks: 25_000_100 });
        assert_eq!(calibration.scale().nanos(2_500_000), 999_999);
    }

    #[test]
    fn a_changed_rate_is_believed_again() {
        let mut calibration = Calibration::new(Moment::default());
        let mut now = Moment::default();
        for step in 0..200u64 {
            now.nanos += 1_000_000_000;
            now.ticks += if step < 100 { 1_000_000_000 } else { 2_000_000_000 };
            calibration.see(now);
        }
        assert_eq!(calibration.scale().nanos(2_000_000), 1_000_000);
    }

    #[test]
    fn moments_advance() {
        let first = Moment::now();
        let second = Moment::now();
        assert!(second.nanos >= first.nanos && second.ticks >= first.ticks);
    }
}
