//! When sampling passes are due: once in each interval, at moments that no period of the program keeps step with.
//!
//! ```text
//!   |───────·──|·─────────|─────·────|─────────·|    · pass: one in each interval, each at another place of it
//!   |─────|─────|─────|─────|─────|─────|─────|      a loop of the program, of any length
//! ```
//! What is seen at a pass stands for the time around it, as who holds a lock. At even distances each pass would see the same moment of a loop that takes
//! an interval, or a part of one. The places are multiples of the golden ratio: they fill the interval evenly, no period fits them, and two passes are
//! never closer than half an interval and, unless one is late, never farther apart than 1.6.

use std::time::{Duration, Instant};

/// When the next pass is due.
#[derive(Debug)]
pub(super) struct PassTimes {
    next: Instant,
    /// Where the interval after the one of the next pass begins.
    mark: Instant,
    passes: u32,
}

impl PassTimes {
    /// The first one is at this moment.
    pub(super) const fn from(first: Instant) -> Self {
        Self { next: first, mark: first, passes: 0 }
    }

    /// When the next pass is due.
    pub(super) const fn next(&self) -> Instant {
        self.next
    }

    /// A pass was made. Late by more than an interval: what was missed is not made up for, the next pass covers it.
    pub(super) fn passed(&mut self, now: Instant, interval: Duration) {
        self.passes = self.passes.wrapping_add(1);
        if self.mark + interval < now {
            self.mark = now;
        }
        self.next = (self.mark + interval.mul_f64(place(self.passes))).max(now + interval / 2);
        self.mark += interval;
    }

    /// The next pass is at this moment, and the intervals begin with it.
    pub(super) const fn hurry(&mut self, at: Instant) {
        self.next = at;
        self.mark = at;
    }
}

/// The place of a pass in its interval, from 0 to 1.
fn place(pass: u32) -> f64 {
    (f64::from(pass) * GOLDEN).fract()
}

const GOLDEN: f64 = 0.618_033_988_749_895;

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Duration = Duration::from_millis(50);

    /// Moments of passes that are all in time, since the first.
    fn moments(passes: u32) -> Vec<Duration> {
        let first = Instant::now();
        let mut times = PassTimes::from(first);
        let mut moment = || {
            let now = times.next();
            times.passed(now, INTERVAL);
            now - first
        };
        (0..passes).map(|_| moment()).collect()
    }

    #[test]
    fn there_is_one_pass_in_each_interval() {
        let moments = moments(1000);
        assert!(moments.is_sorted(), "{moments:?}");
        let (last, even) = (moments[999], INTERVAL * 999);
        assert!(last.abs_diff(even) <= INTERVAL, "{last:?}");
        let distances = moments.windows(2).map(|two| two[1] - two[0]);
        let (least, most) = (INTERVAL.mul_f64(0.61), INTERVAL.mul_f64(1.62));
        assert!(distances.skip(1).all(|distance| distance > least && distance < most));
    }

    #[test]
    fn no_loop_of_the_program_is_seen_at_one_of_its_moments_alone() {
        for period in [5, 10, 20, 25, 50, 75, 100] {
            let period = Duration::from_millis(period);
            let mut seen = [0; 5];
            for moment in moments(1000) {
                let at = moment.as_nanos() % period.as_nanos() * 5 / period.as_nanos();
                seen[usize::try_from(at).expect("one of five")] += 1;
            }
            assert!(seen.iter().all(|times| (180..220).contains(times)), "{period:?}: {seen:?}");
        }
    }

    #[test]
    fn what_was_missed_is_not_made_up_for() {
        let mut times = PassTimes::from(Instant::now());
        let late = times.next() + INTERVAL * 10;
        times.passed(late, INTERVAL);
        assert!(times.next() > late && times.next() <= late + INTERVAL, "{times:?}");
    }

    #[test]
    fn passes_in_a_hurry_do_not_put_off_the_ones_after_them() {
        let mut times = PassTimes::from(Instant::now());
        for _ in 0..100 {
            let now = times.next();
            times.passed(now, INTERVAL);
            times.hurry(now + INTERVAL / 20);
        }
        let last = times.next();
        times.passed(last, INTERVAL);
        assert!(times.next() <= last + INTERVAL, "{times:?}");
    }
}
