//! What each function of a run came to, over all threads: what the rules ask of.

use std::collections::BTreeMap;

use super::function_sum::FunctionSum;
use super::rules::ReductionRules;
use crate::foreign_profile::{ForeignMetric, ForeignProfile, ForeignThread, Timer, TimerValue};

/// The functions of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionSums {
    functions: Vec<FunctionSum>,
    threads: usize,
}

impl FunctionSums {
    /// Of a profile. Calls of MPI are no functions of the program, and neither is what stands above all.
    #[must_use]
    pub fn of(profile: &ForeignProfile) -> Self {
        let time = profile.metrics.iter().position(ForeignMetric::is_time);
        let counter = profile.metrics.iter().position(|metric| !metric.is_time());
        let mut sums: BTreeMap<String, FunctionSum> = BTreeMap::new();
        let mut whole = 0.0;
        for thread in &profile.threads {
            let all = thread.timers.iter().filter_map(|timer| timer.values.get(time?));
            whole += all.map(|value| value.inclusive).fold(0.0, f64::max);
            let flat = flat(thread);
            for timer in flat.iter().filter(|timer| is_of_program(timer)) {
                let sum = sums.entry(timer.name.clone()).or_default();
                sum.take(timer, time, counter);
            }
        }
        let functions = sums.into_iter().map(|(name, sum)| FunctionSum {
            name,
            percent: sum.all.filter(|_| whole > 0.0).map(|all| 100.0 * all / whole),
            ..sum
        });
        Self { functions: functions.collect(), threads: profile.threads.len() }
    }

    /// The names of those that rules leave out, in their order.
    #[must_use]
    pub fn left_out(&self, rules: &ReductionRules) -> Vec<&str> {
        let out = self.functions.iter().filter(|one| rules.leave_out(one, self.threads));
        out.map(|one| one.name.as_str()).collect()
    }

    /// How many functions there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.functions.len()
    }
}

/// A timer for each function. Of what has callpaths alone they are the sums of those that end so; of a recursion the outermost counts.
fn flat(thread: &ForeignThread) -> Vec<Timer> {
    let is_of_paths = |timer: &Timer| timer.groups.iter().any(|group| group == Timer::CALLPATH);
    let alone = thread.timers.iter().filter(|timer| !timer.is_callpath());
    if !alone.clone().any(is_of_paths) {
        return alone.cloned().collect();
    }
    let mut flat: BTreeMap<&str, Timer> = BTreeMap::new();
    for timer in &thread.timers {
        let names: Vec<&str> = timer.path().collect();
        let Some((name, around)) = names.split_last() else { continue };
        let sum = flat.entry(name).or_insert_with(|| Timer {
            name: (*name).to_owned(),
            values: vec![TimerValue::default(); timer.values.len()],
            ..Timer::default()
        });
        sum.calls += timer.calls;
        sum.subcalls += timer.subcalls;
        let is_inner = around.contains(name);
        for (sum, value) in sum.values.iter_mut().zip(&timer.values) {
            sum.exclusive += value.exclusive;
            sum.inclusive += if is_inner { 0.0 } else { value.inclusive };
        }
    }
    flat.into_values().collect()
}

fn is_of_program(timer: &Timer) -> bool {
    !timer.name.starts_with("MPI_") && !timer.name.starts_with(".TAU") && !timer.name.is_empty()
}
