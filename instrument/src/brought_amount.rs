//! The amount by which a pair grew in an interval of a process, divided among the functions that the pair needs.

use whyperf_model::{Aggregation, Category, Focus, Hierarchy, Metric, Pair, Quantity, Unit};

use crate::function_key::FunctionKey;
use crate::interval::{AmountKind, FunctionInterval};
use crate::process_interval::ProcessInterval;

/// An amount, and what each function brought of it.
#[derive(Debug)]
pub(crate) struct BroughtAmount {
    pub(crate) amount: i64,
    pub(crate) kind: AmountKind,
    quantity: Quantity,
    /// What the interval showed of each function.
    pub(crate) intervals: Vec<(FunctionKey, FunctionInterval)>,
    /// What each of them brought.
    pub(crate) parts: Vec<f64>,
}

impl BroughtAmount {
    /// What a pair grew by, in which these functions showed that.
    pub(crate) fn of(
        pair: &Pair,
        amount: i64,
        intervals: Vec<(FunctionKey, FunctionInterval)>,
    ) -> Self {
        let parts = split(amount, &intervals, pair.metric);
        let quantity = pair.metric.definition().quantity;
        Self { amount, kind: kind(pair.metric, &pair.focus), quantity, intervals, parts }
    }

    /// What it comes to when what windows showed of it stands for all of the interval; `None` when no function is known. What was brought while a
    /// function was on for a moment stands for no more time than the process has.
    pub(crate) fn scaled(&self, process: ProcessInterval<'_>) -> Option<i64> {
        if self.intervals.is_empty() {
            return None;
        }
        let parts = self.parts.iter().zip(&self.intervals);
        let scaled: f64 =
            parts.map(|(part, (_, interval))| interval.scaled(*part, self.kind)).sum();
        #[expect(clippy::cast_possible_truncation, reason = "an estimate")]
        let scaled = scaled.round() as i64;
        let most = match (self.kind, self.quantity) {
            (AmountKind::Events, _) => return Some(scaled),
            (AmountKind::Time, Quantity::RunningTime) => process.ran,
            (AmountKind::Time, _) => process.lived,
        };
        let most = i64::try_from(most.0).unwrap_or(i64::MAX).max(self.amount);
        Some(scaled.min(most))
    }
}

/// Samples tell of running time, of all threads of a process together.
fn kind(metric: Metric, focus: &Focus) -> AmountKind {
    let definition = metric.definition();
    let is_time = definition.unit == Unit::Nanoseconds
        && definition.categories.contains(Category::Function)
        && definition.aggregation == Aggregation::Sum;
    let is_thread = focus.part(Hierarchy::Process).iter().any(|part| part.depth() > 1);
    let is_whole = !is_thread && focus.is_root(Hierarchy::SyncObject);
    if is_time && is_whole { AmountKind::Time } else { AmountKind::Events }
}

/// What each function brought of an amount: by calls where those are asked for, else by its own time.
fn split(amount: i64, intervals: &[(FunctionKey, FunctionInterval)], metric: Metric) -> Vec<f64> {
    let weight = |interval: &FunctionInterval| match metric {
        Metric::Calls => precise_unsigned(interval.visits),
        _ => precise_unsigned(interval.own),
    };
    let all: f64 = intervals.iter().map(|(_, interval)| weight(interval)).sum();
    let even = 1.0 / precise_unsigned(intervals.len().max(1) as u64);
    let share = |interval: &FunctionInterval| if all > 0.0 { weight(interval) / all } else { even };
    intervals.iter().map(|(_, interval)| precise(amount) * share(interval)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
pub(crate) fn precise(amount: i64) -> f64 {
    amount as f64
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
fn precise_unsigned(amount: u64) -> f64 {
    amount as f64
}

#[cfg(test)]
mod tests {
    use whyperf_code::FunctionId;
    use whyperf_model::Nanos;

    use super::*;
    use crate::interval::IntervalState;

    /// What 20 ms in a function come to that was on for 1 ms of 50, in a process whose two threads ran for 60 ms.
    fn scaled(metric: Metric) -> Option<i64> {
        let focus = Focus::parse("</Code/a.c/f>").expect("well formed");
        let key = FunctionKey { module: 0, function: FunctionId(0) };
        let [moment, length, ran, lived] = [1, 50, 60, 100].map(Nanos::from_millis);
        let interval = FunctionInterval {
            lived: length,
            covered: moment,
            needed: moment,
            visits: 20_000_000,
            own: 1,
            state: IntervalState::On,
            ..FunctionInterval::default()
        };
        let process =
            ProcessInterval { number: 0, groups: &[], length, ran, lived, is_held: false };
        let pair = Pair::new(metric, focus);
        BroughtAmount::of(&pair, 20_000_000, vec![(key, interval)]).scaled(process)
    }

    #[test]
    fn a_moment_stands_for_no_more_than_the_process_has() {
        let all = [Metric::Cpu, Metric::Wall, Metric::Calls].map(scaled);
        assert_eq!(all, [60_000_000, 100_000_000, 1_000_000_000].map(Some));
    }
}
