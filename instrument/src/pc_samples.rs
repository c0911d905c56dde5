//! Samples the program counters of a process's threads: they tell how much of its running time is spent in functions that
//! are too hot to be timed.
//!
//! Such a function has its original bytes nearly all of the time, so the samples show what it takes unmeasured. Sampling
//! begins when a function is too hot, and ends when none is.

use std::ops::Range;
use std::time::{Duration, Instant};

use whyperf_inject::{SampleContent, Sampler, Sampling};
use whyperf_model::Nanos;

use crate::sample_price::{self, PLACE};
use crate::switch_meter::SwitchMeter;

/// Samples the program counters of the threads of a process.
#[derive(Debug, Default)]
pub(crate) struct PcSampler {
    sampler: Sampler,
    /// While it samples.
    switch_meter: Option<SwitchMeter>,
    /// Until when it must not, because the threads are switched too often.
    rest_until: Option<Instant>,
    /// What samples cost the process since that was told last.
    cost: Nanos,
}

/// What the PC samples of an interval said of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PcSamples {
    /// Running time in it.
    pub(crate) inside: Nanos,
    /// Running time of all threads.
    pub(crate) ran: Nanos,
}

/// What PC samples said of a function so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PcSampleHistory {
    /// In the interval that just ended, if there were any.
    pub(crate) newest: Option<PcSamples>,
    /// Since amounts were told last: running time in it, and how long the process lived.
    inside: Nanos,
    lived: Nanos,
}

impl PcSampleHistory {
    /// Running time in the function in each nanosecond that the process lived, since amounts were told last.
    pub(crate) fn density(&mut self, lived: Nanos) -> Option<f64> {
        let newest = self.newest?;
        self.inside += newest.inside;
        self.lived += lived;
        (!self.lived.is_zero()).then(|| self.inside.as_secs_f64() / self.lived.as_secs_f64())
    }

    /// Amounts of the interval are told.
    pub(crate) fn told(&mut self) {
        (self.inside, self.lived) = (Nanos::ZERO, Nanos::ZERO);
    }
}

/// A function that is too hot, for which PC samples are taken.
#[derive(Debug)]
pub(crate) struct HotFunction<'site> {
    /// Where its code lies; empty where that is not known.
    pub(crate) pieces: &'site [Range<u64>],
    pub(crate) history: &'site mut PcSampleHistory,
}

impl PcSampler {
    /// Takes in what was sampled of these functions since the pass before, and sees to it that more is.
    pub(crate) fn take(&mut self, pid: u32, limit: f64, mut hot: Vec<HotFunction<'_>>) {
        hot.iter_mut().for_each(|function| function.history.newest = None);
        let now = Instant::now();
        if let Some(sampling) = self.sampler.sampling() {
            self.cost += count(sampling, &mut hot);
            self.ask_for_turns(now, limit, hot.is_empty());
        }
        if hot.is_empty() || self.rest_until.is_some_and(|until| now < until) {
            self.switch_meter = None;
            return self.sampler.rest();
        }
        self.switch_meter.get_or_insert_with(|| SwitchMeter::begin(now));
        self.sampler.follow(pid, sample_price::period(PLACE, limit), SampleContent::Place);
    }

    fn ask_for_turns(&mut self, now: Instant, limit: f64, is_last: bool) {
        if let (Some(sampling), Some(meter)) = (self.sampler.sampling(), &mut self.switch_meter)
            && (is_last || meter.is_due(now))
        {
            let switching = meter.take(now, sampling.take_turns(), limit);
            self.cost += switching.cost;
            self.rest_until = switching.rest.map(|rest| now + Duration::from_nanos(rest.0));
        }
    }

    /// What samples cost the process since this was asked last.
    pub(crate) fn take_cost(&mut self) -> Nanos {
        std::mem::take(&mut self.cost)
    }
}

/// Counts the samples that lie in each function; answers what they cost the process.
fn count(sampling: &mut Sampling, hot: &mut [HotFunction<'_>]) -> Nanos {
    let (mut all, mut inside) = (0, vec![0; hot.len()]);
    let lost = sampling.drain_places(|address| {
        all += 1;
        for (count, function) in inside.iter_mut().zip(&*hot) {
            let is_inside = function.pieces.iter().any(|piece| piece.contains(&address));
            *count += u64::from(is_inside);
        }
    });
    let period = Nanos::from(sampling.period());
    let each = |count: u64| Nanos(period.0.saturating_mul(count));
    for (function, inside) in hot.iter_mut().zip(inside) {
        // Samples that found no room are taken to be spread like those that did.
        let missing = (lost * inside).checked_div(all).unwrap_or(0);
        let pc_samples = PcSamples { inside: each(inside + missing), ran: each(all + lost) };
        function.history.newest = (!function.pieces.is_empty()).then_some(pc_samples);
    }
    Nanos(PLACE.0.saturating_mul(all + lost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sampled_is_spread_over_the_time_since_it_was_told() {
        let mut pc_history = PcSampleHistory::default();
        assert_eq!(pc_history.density(Nanos(100)), None);
        let pc_samples = |inside| Some(PcSamples { inside: Nanos(inside), ran: Nanos(100) });
        pc_history.newest = pc_samples(20);
        assert_eq!(pc_history.density(Nanos(100)), Some(0.2));
        pc_history.newest = pc_samples(40);
        assert_eq!(pc_history.density(Nanos(100)), Some(0.3));
        pc_history.told();
        pc_history.newest = pc_samples(50);
        assert_eq!(pc_history.density(Nanos(100)), Some(0.5));
    }
}
