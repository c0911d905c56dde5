//! The time of a simulation, in nanoseconds and parts of them.
//!
//! Latencies are fractions of a nanosecond a byte, and a closed form is met to a part in 10^9 only without rounding each message:
//! so it is a floating-point number, unlike the time of a measured run. Its operations are the same on every machine.

use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

/// A length of simulated time, or an instant as the length since the start. Never negative, never infinite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SimTime(f64);

impl SimTime {
    /// The start, and no time at all.
    pub const ZERO: Self = Self(0.0);

    /// So many nanoseconds; what is no number or less than nothing is zero, and 30 years are the most.
    #[must_use]
    pub fn nanos(nanos: f64) -> Self {
        if nanos > 0.0 { Self(nanos.min(LONGEST)) } else { Self::ZERO }
    }

    /// So many microseconds.
    #[must_use]
    pub fn micros(micros: f64) -> Self {
        Self::nanos(micros * 1e3)
    }

    /// The length in nanoseconds.
    #[must_use]
    pub const fn as_nanos(self) -> f64 {
        self.0
    }

    /// The length in seconds.
    #[must_use]
    pub fn as_secs(self) -> f64 {
        self.0 / 1e9
    }

    /// Whether this is no time at all.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.0 == 0.0
    }

    /// A number that orders as the time does.
    pub(crate) const fn key(self) -> u64 {
        // The bits of numbers that are not negative order as the numbers do.
        self.0.to_bits()
    }

    /// The time of such a number.
    pub(crate) const fn of_key(key: u64) -> Self {
        Self(f64::from_bits(key))
    }
}

/// 30 years, so that a sum of two stays a number.
const LONGEST: f64 = 1e18;

impl Eq for SimTime {}

impl PartialOrd for SimTime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SimTime {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Add for SimTime {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for SimTime {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for SimTime {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::nanos(self.0 - other.0)
    }
}

impl Mul<f64> for SimTime {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self::nanos(self.0 * factor)
    }
}

impl Sum for SimTime {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for SimTime {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.6} s", self.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::SimTime;

    #[test]
    fn what_is_no_length_is_none() {
        for nanos in [-1.0, f64::NAN, f64::NEG_INFINITY, -0.0] {
            assert_eq!(SimTime::nanos(nanos).key(), 0, "{nanos}");
        }
        assert!(SimTime::nanos(f64::INFINITY).as_nanos().is_finite());
        assert_eq!(SimTime::nanos(1.0) - SimTime::nanos(2.0), SimTime::ZERO);
    }

    #[test]
    fn keys_order_as_times_do() {
        let times = [0.0, 0.25, 1.0, 1e3, 1e18].map(SimTime::nanos);
        assert!(times.windows(2).all(|pair| pair[0].key() < pair[1].key()));
        assert!(times.iter().all(|time| SimTime::of_key(time.key()) == *time));
    }
}
