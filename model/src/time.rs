//! Durations, points in time and intervals, in whole nanoseconds since the run began.
//!
//! Integers, because a search that compares times must give the same answer on every machine; unsigned, because nothing
//! is measured before the run. All arithmetic saturates: a length is never negative and never wraps.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A length of time in nanoseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Nanos {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// So many milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// So many seconds.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1_000_000_000))
    }

    /// For people and for ratios: the length in seconds.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a length to be shown needs no more than 53 bits"
    )]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// This part of it.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a part of a length is none more exact than its share"
    )]
    pub fn scaled(self, share: f64) -> Self {
        Self((self.0 as f64 * share) as u64)
    }

    /// Whether this is no time at all.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl From<Duration> for Nanos {
    fn from(length: Duration) -> Self {
        Self(u64::try_from(length.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Nanos {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.3} s", self.as_secs_f64())
    }
}

/// A point in time: so many nanoseconds after the run's time zero.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Time(pub Nanos);

impl Time {
    /// When the run began.
    pub const ZERO: Self = Self(Nanos::ZERO);

    /// So many milliseconds into the run.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(Nanos::from_millis(millis))
    }

    /// So many seconds into the run.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Self(Nanos::from_secs(seconds))
    }

    /// How long after `earlier` this is; zero when it is not after.
    #[must_use]
    pub fn since(self, earlier: Self) -> Nanos {
        self.0 - earlier.0
    }

    /// For people: seconds since the run began.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0.as_secs_f64()
    }
}

impl Add<Nanos> for Time {
    type Output = Self;
    fn add(self, length: Nanos) -> Self {
        Self(self.0 + length)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// A stretch of time, from `start` up to but not including `end`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Interval {
    /// The first instant of it.
    pub start: Time,
    /// The first instant after it.
    pub end: Time,
}

impl Interval {
    /// From `start` to `end`; an end before the start gives an empty interval at `start`.
    #[must_use]
    pub fn new(start: Time, end: Time) -> Self {
        Self { start, end: end.max(start) }
    }

    /// How long it is.
    #[must_use]
    pub fn length(self) -> Nanos {
        self.end.since(self.start)
    }

    /// Whether it holds no time.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.length().is_zero()
    }

    /// What both have in common; empty when they do not touch.
    #[must_use]
    pub fn intersect(self, other: Self) -> Self {
        Self::new(self.start.max(other.start), self.end.min(other.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_saturate_instead_of_wrapping() {
        assert_eq!(Nanos(3) - Nanos(5), Nanos::ZERO);
        assert_eq!(Nanos(u64::MAX) + Nanos(1), Nanos(u64::MAX));
        assert_eq!(Time::from_secs(1).since(Time::from_secs(2)), Nanos::ZERO);
    }

    #[test]
    fn an_interval_never_ends_before_it_starts() {
        let backwards = Interval::new(Time::from_secs(2), Time::from_secs(1));
        assert!(backwards.is_empty());
        assert_eq!(backwards.start, Time::from_secs(2));
    }

    #[test]
    fn intervals_intersect() {
        let early = Interval::new(Time::from_secs(0), Time::from_secs(3));
        let late = Interval::new(Time::from_secs(2), Time::from_secs(5));
        assert_eq!(early.intersect(late), Interval::new(Time::from_secs(2), Time::from_secs(3)));
        let far = Interval::new(Time::from_secs(4), Time::from_secs(5));
        assert!(early.intersect(far).is_empty());
    }
}
