//! The totals of the counters so far, by process and by function.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_inject::CounterRefusal;
use whyperf_model::matching::{ResourceId, Totals};
use whyperf_model::{Counter, Hierarchy, Nanos, Pair, Resource};

use crate::daemon::Daemon;
use crate::run_amount::Amount;
use crate::shared_state::SharedState;

/// What a counter counted in all of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct CounterTotals {
    /// Which.
    pub counter: Counter,
    /// In all processes.
    pub amount: u64,
    /// Of that, what was counted where no function is known.
    pub unplaced: u64,
    /// By process, in the order of their names.
    pub processes: Vec<CountedProcess>,
    /// By function, those with most first.
    pub functions: Vec<CountedFunction>,
    /// Counters had to take turns, so that this is an estimate.
    pub is_scaled: bool,
    /// For how long threads ran before it counted them: that is in none of the numbers.
    pub uncounted: Nanos,
    /// Threads that it could not be opened for: they are in none of the numbers.
    pub missed: usize,
}

/// What was counted in a process.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedProcess {
    /// Which.
    pub process: Resource,
    /// In all of it.
    pub amount: u64,
    /// By thread.
    pub threads: Vec<(Resource, u64)>,
}

/// What was counted in a function, by samples.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedFunction {
    /// Which.
    pub code: Resource,
    /// In it and in all that it calls.
    pub inclusive: Amount,
    /// In its own code, and in what came with the system and it called.
    pub own: Amount,
}

impl Daemon {
    /// Whether the kernel or the processor counts something of each thread.
    pub(crate) const fn counts_events(&self) -> bool {
        !self.state.counted.counters.is_empty()
    }

    /// What was asked to be counted and is not on this machine, and why.
    #[must_use]
    pub fn refused_counters(&self) -> &[(Counter, CounterRefusal)] {
        &self.state.counted.refused
    }

    /// Samples of where threads were at events that are counted, as far as they were lost.
    #[must_use]
    pub const fn lost_counter_samples(&self) -> u64 {
        self.state.counted.lost
    }

    /// What each counter counted so far.
    #[must_use]
    pub fn counted(&self) -> Vec<CounterTotals> {
        let counters = self.state.counted.counters.iter();
        counters.map(|counter| totals(*counter, &self.state)).collect()
    }

    /// What a pair of a counter came to; `None` where that is not known of all its processes.
    pub(crate) fn counted_over_run(&mut self, counter: Counter, pair: &Pair) -> Option<Amount> {
        self.state.coverage_for(counter, pair)?;
        let is_missed = self.state.counted.missed.contains_key(&counter);
        let SharedState { classes, resources, run_totals, counted, .. } = &mut self.state;
        let found = run_totals.totals(pair, classes, resources);
        let code = Resource::root(Hierarchy::Code);
        let around = Pair::new(pair.metric, pair.focus.with(Hierarchy::Code, code));
        let all = run_totals.totals(&around, classes, resources);
        let named = run_totals.of_category(counter.category(), classes);
        let is_unplaced = |class| classes.get(class).traits.code.is_empty();
        let unplaced = named.filter(|(_, class, _)| is_unplaced(*class));
        let unplaced = unplaced.map(|(_, _, sum)| sum.sent).sum::<u64>();
        let hidden = unplaced + counted.cut.get(&counter).copied().unwrap_or(0);
        let is_whole = pair.focus.is_root(Hierarchy::Code);
        let hidden = if is_whole { 0 } else { hidden.min(all.sent) };
        let hides_much = hidden.saturating_mul(MUCH) > all.sent;
        (!is_missed && !hides_much).then(|| amount(&found, all.sent, hidden))
    }
}

fn totals(counter: Counter, state: &SharedState) -> CounterTotals {
    let SharedState { classes, resources, run_totals, counted, .. } = state;
    let mut threads: BTreeMap<ResourceId, u64> = BTreeMap::new();
    let (mut inclusive, mut own) = (Sums::default(), Sums::default());
    let mut unplaced = 0;
    for ([thread, _], class, sum) in run_totals.of_category(counter.category(), classes) {
        *threads.entry(thread).or_default() += sum.sent;
        let traits = &classes.get(class).traits;
        traits.code.iter().for_each(|code| inclusive.add(*code, sum));
        traits.own.iter().for_each(|code| own.add(*code, sum));
        if traits.code.is_empty() {
            unplaced += sum.sent;
        }
    }
    let all: u64 = threads.values().sum();
    let hidden = unplaced + counted.cut.get(&counter).copied().unwrap_or(0);
    let mut functions: Vec<CountedFunction> = inclusive
        .0
        .iter()
        .map(|(code, sum)| CountedFunction {
            code: resources.resource(*code).clone(),
            inclusive: amount(sum, all, hidden),
            own: own.0.get(code).map_or_else(Amount::default, |own| amount(own, all, hidden)),
        })
        .collect();
    functions.sort_by(|one, other| {
        let rank = |one: &CountedFunction| (one.own.amount, one.inclusive.amount);
        rank(other).cmp(&rank(one)).then_with(|| one.code.cmp(&other.code))
    });
    CounterTotals {
        counter,
        amount: all,
        unplaced,
        processes: by_process(&threads, state),
        functions,
        is_scaled: counted.scaled.contains(&counter),
        uncounted: counted.uncounted.get(&counter).copied().unwrap_or_default(),
        missed: counted.missed.get(&counter).copied().unwrap_or(0),
    }
}

fn by_process(threads: &BTreeMap<ResourceId, u64>, state: &SharedState) -> Vec<CountedProcess> {
    let resources = &state.resources;
    let mut processes: BTreeMap<&Resource, Vec<(Resource, u64)>> = BTreeMap::new();
    let named: BTreeSet<_> = threads
        .iter()
        .map(|(thread, amount)| (resources.resource(*thread), thread, amount))
        .collect();
    for (name, thread, amount) in named {
        let process = resources.parent(*thread).unwrap_or(*thread);
        let process = processes.entry(resources.resource(process)).or_default();
        process.push((name.clone(), *amount));
    }
    let told = processes.into_iter().map(|(process, threads)| CountedProcess {
        process: process.clone(),
        amount: threads.iter().map(|(_, amount)| amount).sum(),
        threads,
    });
    told.collect()
}

/// What was counted, by code.
#[derive(Default)]
struct Sums(BTreeMap<ResourceId, Totals>);

impl Sums {
    fn add(&mut self, code: ResourceId, by: &Totals) {
        self.0.entry(code).or_default().add(by);
    }
}

/// A part of all that was counted, where so much more may belong to it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "an estimate"
)]
fn amount(part: &Totals, all: u64, hidden: u64) -> Amount {
    let rest = 1.0 - part.sent as f64 / all.max(1) as f64;
    // The whole is counted: what one place has too much another has too little.
    let variance = part.received as f64 * rest.max(0.0);
    let error = variance.sqrt().hypot(hidden as f64);
    Amount { amount: i64::try_from(part.sent).unwrap_or(i64::MAX), error: error as u64 }
}

/// One event in so many without a place is much.
const MUCH: u64 = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_is_exact_and_a_part_of_it_is_not() {
        let part = |amount, variance| Totals::counted(amount, variance);
        assert_eq!(amount(&part(1000, 100_000), 1000, 0), Amount { amount: 1000, error: 0 });
        // Five samples of a hundred each, of ten.
        let half = amount(&part(500, 5 * 100 * 99), 1000, 0);
        assert_eq!((half.amount, half.error), (500, 157));
        let rare = amount(&part(5, 0), 1000, 0);
        assert_eq!(rare.error, 0, "each event was a sample");
        assert_eq!(amount(&part(5, 0), 1000, 20).error, 20);
    }
}
