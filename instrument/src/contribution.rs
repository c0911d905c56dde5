//! The contribution of one function of a process to a pair that a user named: counted where the function is on, estimated
//! between the windows of a function that is too hot.
//!
//! ```text
//!   on ──────────┐ too hot    window      window        end
//!   counted, all └─────┤▒▒▒▒▒├──┤▒▒▒▒▒▒▒▒▒├──┤▒▒▒▒▒▒▒▒▒▒│
//!                        each gap with the mean of the rates at its two ends
//! ```
//! Each gap is estimated by itself: a quiet hour of a function says nothing about the busy minute after it.
//!
//! Times come from PC samples where there are some, because a call of a few nanoseconds cannot be timed. PC samples see
//! only the function's own code: windows may see more of a function that calls others, and then the windows count.

use whyperf_model::Nanos;

use crate::gap_error::{EstimateError, GapError};
use crate::interval::{AmountKind, FunctionInterval, IntervalState, nanos};

/// The part of a contribution that PC samples make.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sampled {
    amount: f64,
    /// How long the process ran while nothing was sampled.
    gap: Nanos,
    /// Running time that was sampled.
    ran: Nanos,
}

/// What one function of one process adds to a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Contribution {
    kind: AmountKind,
    sampled: Sampled,
    /// What was counted in windows alone, or while samples were not there yet.
    in_part: f64,
    calls_others: bool,
    /// Calls in each nanosecond that it ran, at most.
    most: f64,
    counted: f64,
    estimated: f64,
    /// How long the process ran since the last window: nothing is known of that yet.
    gap: Nanos,
    /// Amount a nanosecond, at the beginning of that time.
    rate: Option<f64>,
    /// Whether a rate was seen beside a gap.
    has_rate: bool,
    /// By how much `estimated` may be off.
    error: GapError,
    /// What a call brings.
    each: Option<f64>,
    pub(crate) covered: Nanos,
    /// Time that was covered, and all, while it was too hot.
    pub(crate) in_windows: Nanos,
    pub(crate) hot: Nanos,
    /// The first part of the process's life, in which it was not on.
    pub(crate) late: Nanos,
}

impl Contribution {
    /// From this interval on, which is the first that is asked about.
    pub(crate) fn since(kind: AmountKind, interval: &FunctionInterval) -> Self {
        let is_to_come = interval.state == IntervalState::Waiting || interval.late.is_some();
        // It was on already, for other pairs: what it did before is not recorded.
        let late = if is_to_come { Nanos::ZERO } else { interval.age - interval.lived };
        Self { kind, late, ..Self::default() }
    }

    /// Takes an interval in.
    pub(crate) fn add(&mut self, amount: f64, interval: &FunctionInterval) {
        self.counted += amount;
        self.calls_others |= interval.calls_others;
        self.most = self.most.max(interval.pace.unwrap_or(0.0));
        self.sample(amount, interval);
        self.covered += interval.covered;
        if interval.visits > 0 {
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            let visits = interval.visits as f64;
            self.each = Some(amount / visits);
        }
        self.late = self.late.max(interval.late.unwrap_or_default());
        let missed = interval.missed;
        match interval.state {
            IntervalState::Waiting | IntervalState::Beginning => {}
            IntervalState::On if missed.is_zero() => {
                self.settle(Nanos::ZERO, interval);
                self.rate = None;
            }
            IntervalState::Ending => {
                self.settle(Nanos::ZERO, interval);
                // How often it was called before says little of what it is called now.
                self.rate = None;
                self.gap += missed;
            }
            IntervalState::On | IntervalState::Window => {
                self.hot += interval.lived;
                self.in_windows += interval.covered;
                self.settle(missed, interval);
            }
        }
    }

    /// While it is too hot, samples stand for all of the time.
    fn sample(&mut self, amount: f64, interval: &FunctionInterval) {
        let Sampled { amount: sum, gap, ran } = &mut self.sampled;
        match (interval.state, interval.pc_samples) {
            (IntervalState::Window, Some(pc_samples)) => {
                self.in_part += amount;
                *sum += nanos(pc_samples.inside);
                *ran += pc_samples.ran;
                if !pc_samples.ran.is_zero() {
                    *sum += nanos(pc_samples.inside) / nanos(pc_samples.ran) * nanos(*gap);
                    *gap = Nanos::ZERO;
                }
            }
            (IntervalState::Window, None) => {
                self.in_part += amount;
                *gap += interval.missed + interval.covered;
            }
            (IntervalState::Ending, _) => *gap += interval.missed,
            _ => {}
        }
    }

    /// What samples make of it, where they speak of this.
    fn sampled(&self) -> Option<f64> {
        let Sampled { amount, ran, .. } = self.sampled;
        let is_told = self.kind == AmountKind::Time && !ran.is_zero() && self.sampled.gap < ran;
        is_told.then_some(self.counted - self.in_part + amount)
    }

    /// Calls took so few nanoseconds that counting may be what took them.
    pub(crate) fn has_short_calls(&self) -> bool {
        self.most > 1.0 / SHORT
    }

    /// Whether samples could tell of it.
    pub(crate) fn is_time(&self) -> bool {
        self.kind == AmountKind::Time
    }

    /// How many nanoseconds of running were sampled for what is told.
    pub(crate) fn sampled_time(&self) -> Option<Nanos> {
        self.sampled().map(|_| self.sampled.ran)
    }

    /// The gap ends where something was seen.
    fn settle(&mut self, missed: Nanos, interval: &FunctionInterval) {
        self.gap += missed;
        let Some(pace) = interval.pace.filter(|_| !self.gap.is_zero()) else { return };
        let Some(each) = self.each.or_else(|| (pace == 0.0).then_some(0.0)) else { return };
        let rate = pace * each;
        let gap = nanos(self.gap);
        let mean = match self.rate {
            Some(before) => {
                self.error.between(before, rate, gap);
                f64::midpoint(before, rate)
            }
            None => {
                self.error.beside(gap);
                rate
            }
        };
        self.estimated += mean * gap;
        self.gap = Nanos::ZERO;
        self.rate = Some(rate);
        self.has_rate = true;
    }

    /// By how much what is told may be off, with 95 of 100, for what windows missed; `None` where that is not known.
    pub(crate) fn error(&self) -> Option<EstimateError> {
        if self.hot.is_zero() && self.estimated == 0.0 && self.gap.is_zero() {
            return Some(EstimateError::default());
        }
        let mut error = self.error;
        error.beside(nanos(self.gap));
        // Of times that no samples tell the windows' clock is the smaller part.
        let is_by_windows = self.kind == AmountKind::Events && !self.is_lower_bound();
        let squared = error.squared().filter(|_| is_by_windows)?;
        let counting = COUNTING * self.most;
        let share = CLOCK + counting / (1.0 - counting);
        (counting < 1.0)
            .then_some(EstimateError { squared, common: share * (self.total() - self.counted) })
    }

    /// What was counted, and what is estimated for the time between.
    pub(crate) fn total(&self) -> f64 {
        let since = self.rate.unwrap_or(0.0) * nanos(self.gap);
        let seen = self.counted + if self.is_estimable() { self.estimated + since } else { 0.0 };
        match self.sampled() {
            Some(sampled) if self.calls_others => sampled.max(seen),
            Some(sampled) => sampled,
            None => seen,
        }
    }

    /// One rate does not tell whether the function was called as often at other times, and nor do several that no gap lies between.
    fn is_estimable(&self) -> bool {
        self.error.is_known()
    }

    /// Whether there is a time of which nothing is known.
    pub(crate) fn is_lower_bound(&self) -> bool {
        let has_gap = !self.gap.is_zero() && self.rate.is_none();
        let is_told_by_samples = self.sampled().is_some() && !self.calls_others;
        (has_gap || self.has_rate && !self.is_estimable()) && !is_told_by_samples
    }
}

/// Nanoseconds of a call, while it is counted, below which counting may be what takes them: its three jumps take seven cycles at least, of
/// a processor that may have to share its core.
const SHORT: f64 = 5.0;

/// By what share of itself a rate may be off in all windows alike: when a thread ran is known to some microseconds of the hundreds of a window, and what
/// takes a processor away for longer than a window is in few of them. On a busy machine a call took up to 8 % longer in a whole run than in its windows.
const CLOCK: f64 = 0.05;
/// Nanoseconds by which counting makes a call longer, which nothing tells from the call's own.
const COUNTING: f64 = 1.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pc_samples::PcSamples;

    /// One call counts one, a nanosecond, while it is on.
    fn interval(state: IntervalState, covered: u64, missed: u64) -> FunctionInterval {
        let (visits, pace) = (covered, (covered > 0).then_some(1.0));
        let [covered, missed] = [covered, missed].map(Nanos);
        FunctionInterval {
            lived: covered + missed,
            covered,
            missed,
            visits,
            pace,
            state,
            ..FunctionInterval::default()
        }
    }

    /// One in which the function came into place, so late.
    fn begun(state: IntervalState, late: u64, times: (u64, u64)) -> FunctionInterval {
        FunctionInterval { late: Some(Nanos(late)), ..interval(state, times.0, times.1) }
    }

    fn quiet(state: IntervalState, covered: u64) -> FunctionInterval {
        FunctionInterval { visits: 0, pace: Some(0.0), ..interval(state, covered, 0) }
    }

    #[test]
    fn what_is_on_all_the_time_is_counted() {
        let mut contribution = Contribution::default();
        contribution.add(3.0, &begun(IntervalState::Beginning, 7, (90, 0)));
        contribution.add(4.0, &interval(IntervalState::On, 100, 0));
        assert_eq!((contribution.total(), contribution.late), (7.0, Nanos(7)));
        assert_eq!(contribution.covered, Nanos(190));
    }

    #[test]
    fn what_was_on_before_it_was_asked_about_is_late() {
        let first = FunctionInterval { age: Nanos(500), ..interval(IntervalState::On, 100, 0) };
        let mut contribution = Contribution::since(AmountKind::Events, &first);
        contribution.add(4.0, &first);
        assert_eq!((contribution.total(), contribution.late), (4.0, Nanos(400)));
        let first =
            FunctionInterval { age: Nanos(500), ..interval(IntervalState::Waiting, 0, 100) };
        let mut contribution = Contribution::since(AmountKind::Events, &first);
        contribution.add(0.0, &first);
        contribution.add(4.0, &begun(IntervalState::Beginning, 560, (40, 60)));
        assert_eq!(contribution.late, Nanos(560));
    }

    #[test]
    fn what_was_too_hot_at_once_is_late_all_the_same() {
        let first = begun(IntervalState::Ending, 300, (40, 60));
        let mut contribution = Contribution::since(AmountKind::Events, &first);
        contribution.add(40.0, &first);
        assert_eq!(contribution.late, Nanos(300));
    }

    #[test]
    fn a_quiet_time_does_not_thin_out_the_busy_one_after_it() {
        let mut contribution = Contribution::default();
        for _ in 0..1000 {
            contribution.add(0.0, &quiet(IntervalState::On, 100));
        }
        contribution.add(50.0, &interval(IntervalState::Ending, 50, 50));
        for _ in 0..10 {
            contribution.add(0.0, &interval(IntervalState::Window, 0, 100));
            contribution.add(10.0, &interval(IntervalState::Window, 10, 90));
        }
        // 150 were counted, 1950 were not.
        let told = contribution.total();
        assert!((told - 2100.0).abs() < 1e-6, "{told}");
        assert!(!contribution.is_lower_bound());
    }

    #[test]
    fn between_busy_and_quiet_lies_half_the_gap() {
        let mut contribution = Contribution::default();
        contribution.add(10.0, &interval(IntervalState::Window, 10, 0));
        contribution.add(10.0, &interval(IntervalState::Window, 10, 20));
        contribution.add(0.0, &interval(IntervalState::Window, 0, 100));
        contribution.add(0.0, &quiet(IntervalState::Window, 10));
        assert!((contribution.total() - 90.0).abs() < 1e-6, "{contribution:?}");
    }

    #[test]
    fn a_burst_at_the_end_is_a_lower_bound() {
        let mut contribution = Contribution::default();
        contribution.add(50.0, &interval(IntervalState::Ending, 50, 0));
        contribution.add(0.0, &interval(IntervalState::Window, 0, 20));
        assert!(contribution.is_lower_bound());
        assert!((contribution.total() - 50.0).abs() < 1e-6, "{contribution:?}");
        contribution.add(10.0, &interval(IntervalState::Window, 10, 30));
        assert!(contribution.is_lower_bound(), "one rate says nothing of other times");
        assert!((contribution.total() - 60.0).abs() < 1e-6, "{contribution:?}");
        contribution.add(10.0, &interval(IntervalState::Window, 10, 30));
        assert!(!contribution.is_lower_bound());
        assert!((contribution.total() - 150.0).abs() < 1e-6, "{contribution:?}");
    }

    #[test]
    fn rates_of_two_bursts_say_nothing_of_each_other() {
        let mut contribution = Contribution { kind: AmountKind::Events, ..Contribution::default() };
        for _ in 0..2 {
            contribution.add(50.0, &interval(IntervalState::Ending, 50, 50));
            contribution.add(10.0, &interval(IntervalState::Window, 10, 30));
            contribution.add(0.0, &interval(IntervalState::On, 100, 0));
        }
        assert!(contribution.is_lower_bound());
        assert_eq!((contribution.total(), contribution.error()), (120.0, None));
    }

    fn pc_samples(inside: u64, ran: u64, state: IntervalState) -> FunctionInterval {
        let [inside, ran] = [inside, ran].map(Nanos);
        FunctionInterval {
            pc_samples: Some(PcSamples { inside, ran }),
            ..interval(state, 1, ran.0)
        }
    }

    #[test]
    fn samples_tell_the_time_of_what_is_too_hot_and_fill_the_gap_before_them() {
        let mut time = Contribution { kind: AmountKind::Time, ..Contribution::default() };
        time.add(50.0, &interval(IntervalState::Ending, 50, 60));
        time.add(7.0, &interval(IntervalState::Window, 10, 30));
        time.add(9.0, &pc_samples(20, 100, IntervalState::Window));
        time.add(9.0, &pc_samples(40, 100, IntervalState::Window));
        // A fifth of 100 was not sampled, as in the next interval.
        assert!((time.total() - (50.0 + 20.0 + 20.0 + 40.0)).abs() < 1e-6, "{time:?}");
        assert_eq!(time.sampled_time(), Some(Nanos(200)));
        let mut calls = Contribution::default();
        calls.add(9.0, &pc_samples(20, 100, IntervalState::Window));
        assert_eq!(calls.sampled_time(), None);
    }

    #[test]
    fn what_a_function_calls_is_only_in_its_windows() {
        let mut time = Contribution { kind: AmountKind::Time, ..Contribution::default() };
        for _ in 0..2 {
            let interval = pc_samples(20, 100, IntervalState::Window);
            time.add(1.0, &FunctionInterval { calls_others: true, ..interval });
        }
        assert!(time.total() > 150.0, "timed: {time:?}");
        time.calls_others = false;
        assert!((time.total() - 40.0).abs() < 1e-6, "sampled: {time:?}");
    }

    #[test]
    fn what_rests_now_and_then_is_estimated_for_that_time() {
        let mut contribution = Contribution::default();
        contribution.add(60.0, &interval(IntervalState::On, 60, 40));
        assert!((contribution.total() - 60.0).abs() < 1e-6, "{contribution:?}");
        contribution.add(60.0, &interval(IntervalState::On, 60, 40));
        assert!((contribution.total() - 200.0).abs() < 1e-6, "{contribution:?}");
        assert_eq!(contribution.hot, Nanos(200));
    }
}
