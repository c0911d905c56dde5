//! The amount by which a pair grew in an interval of a process, divided among the functions that the pair needs.

use whyperf_model::{Aggregation, Category, Focus, Hierarchy, Metric, Pair, Unit};

use crate::function_key::FunctionKey;
use crate::interval::{AmountKind, FunctionInterval};

/// An amount, and what each function brought of it.
#[derive(Debug)]
pub(crate) struct BroughtAmount {
    pub(crate) amount: i64,
    pub(crate) kind: AmountKind,
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
        Self { amount, kind: kind(pair.metric, &pair.focus), intervals, parts }
    }

    /// What it comes to when what windows showed of it stands for all of the interval; `None` when no function is known.
    pub(crate) fn scaled(&self) -> Option<i64> {
        if self.intervals.is_empty() {
            return None;
        }
        let parts = self.parts.iter().zip(&self.intervals);
        let scaled: f64 =
            parts.map(|(part, (_, interval))| interval.scaled(*part, self.kind)).sum();
        #[expect(clippy::cast_possible_truncation, reason = "an estimate")]
        let scaled = scaled.round() as i64;
        Some(scaled)
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
