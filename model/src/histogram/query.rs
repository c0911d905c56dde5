//! Reading a histogram: how much over an interval, at which rate, and how much of it was measured.

use super::{Bin, Extremes, Histogram};
use crate::time::{Interval, Nanos, Time};

/// What a histogram knows about an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HistogramReading {
    /// How much was measured in it.
    pub amount: i128,
    /// How much of the interval was measured.
    pub covered: Nanos,
    /// Between which rates the samples of the bins it touches lay.
    pub extremes: Option<Extremes>,
}

impl HistogramReading {
    /// Amount per covered nanosecond; `None` where nothing was measured.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        Bin { amount: self.amount, covered: self.covered, extremes: self.extremes }.rate()
    }
}

impl Histogram {
    /// What is known about an interval. Of a bin it touches in part, that part of amount and covered time counts, rounded
    /// down; so adjoining readings may miss single units, never count them twice.
    #[must_use]
    pub fn reading(&self, interval: Interval) -> HistogramReading {
        let mut reading = HistogramReading::default();
        if interval.is_empty() {
            return reading;
        }
        let first = self.position(interval.start);
        let last = self.position(Time(Nanos(interval.end.0.0 - 1)));
        for position in first..=last {
            let bin = &self.bins[position];
            let within = self.span(position).intersect(interval).length();
            if within.is_zero() {
                continue;
            }
            reading.amount += part(bin.amount, within, self.width);
            reading.covered += covered_part(bin.covered, within, self.width);
            reading.extremes = Extremes::merged(reading.extremes, bin.extremes);
        }
        reading
    }

    /// What is known about the whole run.
    #[must_use]
    pub fn whole(&self) -> HistogramReading {
        self.bins.iter().fold(HistogramReading::default(), |sum, bin| HistogramReading {
            amount: sum.amount + bin.amount,
            covered: sum.covered + bin.covered,
            extremes: Extremes::merged(sum.extremes, bin.extremes),
        })
    }

    /// How far the run is known: the end of the last bin that was measured.
    #[must_use]
    pub fn known_until(&self) -> Time {
        let last = self.bins.iter().rposition(|bin| !bin.covered.is_zero());
        last.map_or(Time::ZERO, |position| self.span(position).end)
    }
}

fn part(amount: i128, within: Nanos, width: Nanos) -> i128 {
    (amount * i128::from(within.0)).div_euclid(i128::from(width.0))
}

fn covered_part(covered: Nanos, within: Nanos, width: Nanos) -> Nanos {
    let product = u128::from(covered.0) * u128::from(within.0);
    Nanos(u64::try_from(product / u128::from(width.0)).unwrap_or(u64::MAX))
}
