//! Measures what it costs the threads of a process to be put on and off their processors while they are sampled.
//!
//! ```text
//!   sampled ├─ 40 ms ─┤─ 0.1 s ─┤─ ...            at each mark: turns of the busiest thread × price
//!                      │
//!                      └─ more than its part of the limit: ├─ rest ─┤ sampled ├─ ...
//! ```
//! A sample has a price of its own, and so has each turn in which none is taken: the kernel sets and clears the event's
//! timer. A thread that yields while it waits has tens of thousands of turns a second, and may begin to yield at any time:
//! with one look a second, such a thread has cost three times the limit before it is known.

use std::time::{Duration, Instant};

use whyperf_inject::Turns;
use whyperf_model::Nanos;

use crate::sample_price;

/// When the turns of a sampled process are asked for.
#[derive(Debug)]
pub(crate) struct SwitchMeter {
    asked: Instant,
    wait: Duration,
}

/// What turns cost a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SwitchCost {
    pub(crate) cost: Nanos,
    /// For how long the process must not be sampled, because they cost more than they may.
    pub(crate) rest: Option<Nanos>,
}

impl SwitchMeter {
    /// Of a process that is sampled from now on.
    pub(crate) const fn begin(now: Instant) -> Self {
        Self { asked: now, wait: FIRST }
    }

    /// Whether it is time to ask.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        now.duration_since(self.asked) >= self.wait
    }

    /// Takes in the turns since it was asked last.
    pub(crate) fn take(&mut self, now: Instant, turns: Turns, limit: f64) -> SwitchCost {
        let time = now.duration_since(self.asked);
        *self = Self { asked: now, wait: LATER };
        let most = sample_price::switches(turns.most).as_secs_f64();
        // In this time the threads may be switched so often.
        let allowed = most / sample_price::switch_part(limit);
        let rest = Duration::from_secs_f64(allowed.min(LONGEST)).saturating_sub(time);
        let rest = Some(Nanos::from(rest)).filter(|rest| !rest.is_zero());
        SwitchCost { cost: sample_price::switches(turns.all), rest }
    }
}

/// How long a process is sampled before its turns are asked for, and from then on.
const FIRST: Duration = Duration::from_millis(40);
const LATER: Duration = Duration::from_millis(100);
/// Seconds.
const LONGEST: f64 = 10.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn after(time: Duration, most: u64, limit: f64) -> SwitchCost {
        let begin = Instant::now();
        let turns = Turns { all: 2 * most, most };
        SwitchMeter::begin(begin).take(begin + time, turns, limit)
    }

    #[test]
    fn a_thread_that_seldom_gives_up_its_processor_is_sampled_on() {
        let some = after(Duration::from_secs(1), 1000, 0.05);
        assert_eq!(some, SwitchCost { cost: sample_price::switches(2000), rest: None });
    }

    #[test]
    fn over_time_turns_keep_to_their_part_of_the_limit() {
        let time = Duration::from_millis(100);
        let often = after(time, 4000, 0.05);
        let rest = often.rest.expect("it must");
        let time = Nanos::from(time) + rest;
        let share = sample_price::switches(4000).as_secs_f64() / time.as_secs_f64();
        assert!((share - 0.01).abs() < 1e-6, "{share}");
    }

    #[test]
    fn without_a_limit_to_keep_to_it_rests_for_long() {
        let rest = after(Duration::from_secs(1), 1, 0.0).rest;
        assert_eq!(rest, Some(Nanos::from_secs(9)));
    }

    #[test]
    fn turns_are_asked_for_soon_and_then_seldom() {
        let begin = Instant::now();
        let mut meter = SwitchMeter::begin(begin);
        assert!(!meter.is_due(begin) && meter.is_due(begin + FIRST));
        meter.take(begin + FIRST, Turns::default(), 0.05);
        assert!(!meter.is_due(begin + 2 * FIRST) && meter.is_due(begin + FIRST + LATER));
    }
}
