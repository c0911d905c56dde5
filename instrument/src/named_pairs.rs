//! The totals of all pairs that a user named: sums of one contribution for each function in each process.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::Nanos;
use whyperf_model::matching::PairId;

use crate::brought_amount::{BroughtAmount, precise};
use crate::contribution::Contribution;
use crate::function_key::FunctionKey;
use crate::gap_error::EstimateError;
use crate::interval::FunctionInterval;
use crate::pair_total::{Basis, PairTotal};

#[derive(Debug, Default)]
struct NamedPair {
    contributions: BTreeMap<(u32, FunctionKey), Contribution>,
    /// Processes that waited until the functions were in place.
    from_the_start: BTreeSet<u32>,
    /// What came in where no function of the pair was known.
    other: f64,
    /// Covered in the passes before, and in this one by the function that was covered longest.
    covered: Nanos,
    now: Nanos,
    lost: usize,
    has_nested: bool,
}

/// The pairs that a user named, with what they came to so far.
#[derive(Debug, Default)]
pub(crate) struct NamedPairs(BTreeMap<PairId, NamedPair>);

impl NamedPairs {
    /// A process waits at its start until the functions of a pair are in place.
    pub(crate) fn note_held(&mut self, pair: PairId, process: u32) {
        self.0.entry(pair).or_default().from_the_start.insert(process);
    }

    /// A process that ended had functions that a pair needs, and none of them was in place.
    pub(crate) fn note_lost(&mut self, pair: PairId) {
        self.0.entry(pair).or_default().lost += 1;
    }

    /// Takes in what a process's interval brought to a pair.
    pub(crate) fn take(
        &mut self,
        pair: PairId,
        brought: &BroughtAmount,
        process: u32,
        length: Nanos,
    ) {
        self.0.entry(pair).or_default().take(brought, process, length);
    }

    /// The pass is over.
    pub(crate) fn close_pass(&mut self) {
        for entry in self.0.values_mut() {
            entry.covered += std::mem::take(&mut entry.now);
        }
    }

    /// Part of a pair's time was in nested calls of functions that called it, which events do not count to it.
    pub(crate) fn note_nested(&mut self, pair: PairId) {
        self.0.entry(pair).or_default().has_nested = true;
    }

    /// What a pair came to.
    pub(crate) fn sum(&self, pair: PairId) -> PairTotal {
        let Some(entry) = self.0.get(&pair) else { return PairTotal::default() };
        let all = || entry.contributions.values();
        let hot: f64 = all().map(|contribution| contribution.hot.as_secs_f64()).sum();
        let windows: f64 = all().map(|contribution| contribution.in_windows.as_secs_f64()).sum();
        PairTotal {
            total: entry.other + all().map(Contribution::total).sum::<f64>(),
            covered: entry.covered,
            // What rested without being seen again is counted, and a lower bound.
            hot_coverage: (windows > 0.0).then(|| windows / hot),
            error: error(&entry.contributions),
            basis: basis(&entry.contributions),
            has_gap: all().any(Contribution::is_lower_bound),
            late: all().map(|contribution| contribution.late).max().unwrap_or_default(),
            lost: entry.lost,
            has_nested: entry.has_nested,
        }
    }
}

impl NamedPair {
    fn take(&mut self, brought: &BroughtAmount, process: u32, length: Nanos) {
        if brought.intervals.is_empty() {
            self.other += precise(brought.amount);
            self.now = self.now.max(length);
        }
        for ((key, interval), part) in brought.intervals.iter().zip(&brought.parts) {
            let contribution = self.contributions.entry((process, *key));
            self.now = self.now.max(interval.covered);
            let is_whole = self.from_the_start.contains(&process);
            let first = if is_whole { &FunctionInterval::default() } else { interval };
            contribution
                .or_insert_with(|| Contribution::since(brought.kind, first))
                .add(*part, interval);
        }
    }
}

fn error(contributions: &BTreeMap<(u32, FunctionKey), Contribution>) -> Option<f64> {
    let all = contributions.values().map(Contribution::error);
    let error = all.sum::<Option<EstimateError>>()?.whole();
    (error > 0.0).then_some(error)
}

fn basis(contributions: &BTreeMap<(u32, FunctionKey), Contribution>) -> Basis {
    let hot = || contributions.values().filter(|contribution| !contribution.hot.is_zero());
    let sampled =
        hot().try_fold(Nanos::ZERO, |sum, contribution| Some(sum + contribution.sampled_time()?));
    match sampled {
        Some(sampled) => Basis::Samples(sampled),
        None if hot().any(Contribution::is_time) => Basis::Times,
        None if hot().any(|contribution| contribution.has_short_calls()) => Basis::ShortCalls,
        None => Basis::Windows,
    }
}
