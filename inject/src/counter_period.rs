//! Chooses the number of events after which a thread's stack is sampled again, so that there are no more samples than are
//! wanted.
//!
//! ```text
//!   events a second   10     10     1 000 000        1 000 000   10      10      10
//!   period             1      1          1  ──────────► 10 007    5003    2503    ...  1
//!   samples a second  10     10   a ring full a tick       100     0       0           10
//! ```
//! The kernel could let the period follow the rate by itself, but it looks at the time between two samples: after a burst it waits for
//! millions of events that never come. It grows at once, because samples cost; it shrinks slowly, because bursts come again.
//!
//! Periods are primes. A loop that causes the same events in each round would be met in few places by a period that divides them.

/// The period of one counter.
#[derive(Clone, Debug)]
pub(crate) struct CounterPeriod {
    period: u64,
    least: u64,
    /// Samples a second that are wanted.
    frequency: u64,
    /// What was counted when it was looked at last, and when that was.
    seen: Option<(u64, u64)>,
}

impl CounterPeriod {
    /// Begins with a period.
    pub(crate) fn new(period: u64, least: u64, frequency: u64) -> Self {
        let least = prime(least);
        Self { period: prime(period).max(least), least, frequency: frequency.max(1), seen: None }
    }

    /// Events from sample to sample.
    pub(crate) const fn get(&self) -> u64 {
        self.period
    }

    /// At this nanosecond so much was counted: the period from now on, if that is another one.
    pub(crate) fn follow(&mut self, counted: u64, now: u64) -> Option<u64> {
        let (before, then) = *self.seen.get_or_insert((counted, now));
        let (events, passed) = (counted.saturating_sub(before), now.saturating_sub(then));
        let rate = u128::from(events) * 1_000_000_000 / u128::from(passed.max(1));
        let wanted = u64::try_from(rate / u128::from(self.frequency)).unwrap_or(u64::MAX);
        let grows = passed >= SOON && wanted > self.period.saturating_mul(2);
        let shrinks = passed >= LATE && wanted < self.period / 2;
        if passed >= LATE || grows {
            self.seen = Some((counted, now));
        }
        let next = match (grows, shrinks) {
            (true, _) => wanted,
            (_, true) => wanted.max(self.period / 2),
            _ => return None,
        };
        let next = prime(next).max(self.least);
        (std::mem::replace(&mut self.period, next) != next).then_some(next)
    }
}

/// The first prime from a number on; one, where there is nothing to choose.
fn prime(from: u64) -> u64 {
    match from {
        0..=1 => 1,
        // Beyond this size the search would take longer, and what is odd is enough.
        HUGE.. => from | 1,
        _ => (from..).find(|number| is_prime(*number)).unwrap_or(from),
    }
}

fn is_prime(number: u64) -> bool {
    number > 1 && (2..).take_while(|by| by * by <= number).all(|by| !number.is_multiple_of(by))
}

const HUGE: u64 = 1 << 40;
/// Nanoseconds after which it is known that a rate is high, and that it is low.
const SOON: u64 = 10_000_000;
const LATE: u64 = 200_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: u64 = 1_000_000;

    #[test]
    fn a_burst_raises_it_at_once_and_it_falls_slowly() {
        let mut period = CounterPeriod::new(1, 1, 100);
        let (mut counted, mut now) = (0, 0);
        let mut pass = |events, milliseconds| {
            (counted, now) = (counted + events, now + milliseconds * MILLISECOND);
            period.follow(counted, now);
            period.get()
        };
        assert_eq!([pass(0, 20), pass(1, 20), pass(0, 20)], [1; 3], "each rare event is a sample");
        let high = pass(20_000, 20);
        assert!((2500..11_000).contains(&high), "{high}");
        assert!(pass(20_000, 20).abs_diff(10_007) < 8000);
        let falling: Vec<u64> = (0..160).map(|_| pass(0, 20)).collect();
        assert!(falling.windows(2).all(|two| two[1] >= two[0] / 2), "{falling:?}");
        assert_eq!(falling.last(), Some(&1));
    }

    #[test]
    fn periods_are_primes_and_none_is_below_the_least() {
        assert_eq!([0, 1, 2, 4, 400, 10_000].map(prime), [1, 1, 2, 5, 401, 10_007]);
        assert_eq!(CounterPeriod::new(1, 1000, 50).get(), 1009);
    }
}
