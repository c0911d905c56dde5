//! Joins the samples of a numerator and a denominator into observations.
//!
//! ```text
//!   numerator      |──a──|──b──|──c──|
//!   denominator          |──B──|──C──|──D──|
//!   observations         |─b/B─|─c/C─|
//! ```
//!
//! Two samples belong together when they end at the same moment. One that has no partner is dropped once the other side is
//! past it. Where their starts differ, as just after a start, both count by their rates. Observations shorter than the
//! grain are put together: short ones say little and depend on each other.

use std::collections::VecDeque;

use whyperf_model::{Interval, Nanos, Sample};

/// Numerator and denominator over one interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Observation {
    pub(crate) interval: Interval,
    pub(crate) numerator: f64,
    pub(crate) denominator: f64,
    /// How many processes the denominator is of.
    pub(crate) processes: u32,
}

/// Which of the two a sample is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamSide {
    Numerator,
    Denominator,
}

/// Samples that wait for their partner, and partners that wait to be as long as the grain.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    grain: Nanos,
    numerators: VecDeque<Sample>,
    denominators: VecDeque<Sample>,
    pooled: Option<Observation>,
}

/// An observation rests on at least so much covered time.
const LEAST_COVERED: Nanos = Nanos::from_millis(2);
/// More samples than this never wait: the oldest is dropped.
const WAITING: usize = 20;

impl Stream {
    /// Nothing yet.
    pub(crate) fn new(grain: Nanos) -> Self {
        let (numerators, denominators) = (VecDeque::new(), VecDeque::new());
        Self { grain, numerators, denominators, pooled: None }
    }

    /// From now on only this share of the time is measured. Observations become longer, so that each still rests on enough of it.
    pub(crate) fn thin(&mut self, coverage: f64) {
        self.grain = self.grain.max(Nanos((LEAST_COVERED.0 as f64 / coverage) as u64));
    }

    /// Takes in one sample; one in which no process reported says nothing.
    pub(crate) fn push(&mut self, side: StreamSide, sample: &Sample) {
        if sample.reported == 0 && sample.expected > 0 {
            return;
        }
        let waiting = match side {
            StreamSide::Numerator => &mut self.numerators,
            StreamSide::Denominator => &mut self.denominators,
        };
        if waiting.len() == WAITING {
            waiting.pop_front();
        }
        waiting.push_back(*sample);
    }

    /// The next observation that is complete and long enough, and says anything: a denominator of nothing does not.
    pub(crate) fn poll(&mut self) -> Option<Observation> {
        while let Some(partners) = self.partners() {
            let pooled = match self.pooled {
                None => partners,
                Some(before) => before.followed_by(partners),
            };
            if pooled.interval.length() >= self.grain && pooled.denominator > 0.0 {
                self.pooled = None;
                return Some(pooled);
            }
            self.pooled = Some(pooled);
        }
        None
    }

    fn partners(&mut self) -> Option<Observation> {
        loop {
            let (above, below) = (*self.numerators.front()?, *self.denominators.front()?);
            let (ours, theirs) = (above.interval.end, below.interval.end);
            if ours <= theirs {
                self.numerators.pop_front();
            }
            if theirs <= ours {
                self.denominators.pop_front();
            }
            if ours == theirs && !above.interval.is_empty() && !below.interval.is_empty() {
                return Some(side_by_side(&above, &below));
            }
        }
    }
}

impl Observation {
    /// Both together, of which the other one comes after this.
    pub(crate) fn followed_by(self, next: Self) -> Self {
        Self {
            interval: Interval::new(self.interval.start, next.interval.end),
            numerator: self.numerator + next.numerator,
            denominator: self.denominator + next.denominator,
            processes: self.processes.max(next.processes),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a value is a ratio, not a count")]
fn side_by_side(above: &Sample, below: &Sample) -> Observation {
    let longer = above.interval.length().0 as f64 / below.interval.length().0 as f64;
    Observation {
        interval: above.interval,
        numerator: above.amount as f64,
        denominator: below.amount as f64 * longer,
        processes: below.reported,
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::Time;

    use super::*;

    fn sample(start: u64, end: u64, amount: i64) -> Sample {
        Sample::complete(Interval::new(Time::from_millis(start), Time::from_millis(end)), amount, 1)
    }

    fn values(stream: &mut Stream) -> Vec<(f64, f64)> {
        let each = |seen: Observation| (seen.numerator, seen.denominator);
        std::iter::from_fn(|| stream.poll()).map(each).collect()
    }

    #[test]
    fn partners_end_together_and_the_lonely_are_dropped() {
        let mut stream = Stream::new(Nanos::ZERO);
        for (at, amount) in [(0, 1), (50, 2), (100, 3)] {
            stream.push(StreamSide::Numerator, &sample(at, at + 50, amount));
        }
        assert_eq!(values(&mut stream), []);
        for (at, amount) in [(50, 20), (100, 30), (150, 40)] {
            stream.push(StreamSide::Denominator, &sample(at, at + 50, amount));
        }
        assert_eq!(values(&mut stream), [(2.0, 20.0), (3.0, 30.0)]);
    }

    #[test]
    fn unequal_lengths_compare_by_rate() {
        let mut stream = Stream::new(Nanos::ZERO);
        stream.push(StreamSide::Numerator, &sample(40, 50, 1));
        stream.push(StreamSide::Denominator, &sample(0, 50, 50));
        assert_eq!(values(&mut stream), [(1.0, 10.0)]);
    }

    #[test]
    fn short_and_empty_ones_are_put_together() {
        let mut stream = Stream::new(Nanos::from_millis(40));
        for (at, below) in [(0, 5), (20, 5), (40, 0), (80, 7)] {
            let length = if at < 40 { 20 } else { 40 };
            stream.push(StreamSide::Numerator, &sample(at, at + length, 1));
            stream.push(StreamSide::Denominator, &sample(at, at + length, below));
        }
        assert_eq!(values(&mut stream), [(2.0, 10.0), (2.0, 7.0)]);
    }
}
