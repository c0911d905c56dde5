//! A flat profile from stack samples: the functions in whose own code processes computed. It needs no event.
//!
//! ```text
//!   computed, by the system  ├──────────────────────────────────┤
//!   sampled                  ├── f ──┤├─── g ───┤ not sampled: in the kernel, and threads that were there for a moment
//! ```

use std::collections::BTreeMap;

use whyperf_model::{Nanos, Resource};

use crate::function_key::FunctionKey;
use crate::sampled_share::SampledShare;
use crate::sampled_time::SampledTime;

/// What stack samples tell of all computing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HotProfile {
    /// The functions, the hottest first.
    pub functions: Vec<HotCode>,
    /// The part of the computing of which they tell nothing.
    pub not_sampled: f64,
}

/// A function in whose own code threads computed.
#[derive(Clone, Debug, PartialEq)]
pub struct HotCode {
    /// The function.
    pub code: Resource,
    /// Its part of the computing of all processes.
    pub share: SampledShare,
}

/// What one process contributes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampledRun<'a> {
    pub(crate) time: &'a SampledTime,
    /// For how long it computed by the system, whether that was sampled or not.
    pub(crate) computed: Nanos,
    /// The part of its computing that samples find while they are taken.
    pub(crate) found: f64,
}

impl SampledRun<'_> {
    /// For how many seconds it computed in the own code of functions.
    pub(crate) fn seconds(
        &self,
        name: impl Fn(FunctionKey) -> Option<Resource>,
    ) -> BTreeMap<Resource, f64> {
        let Self { time, computed, found } = self;
        let weight = found * computed.as_secs_f64() / time.all().as_secs_f64();
        let mut functions = BTreeMap::new();
        for (key, own) in time.own() {
            if let Some(name) = name(key) {
                *functions.entry(name).or_default() += weight * own.as_secs_f64();
            }
        }
        functions
    }
}

/// The functions of these processes. A process counts for as much as it computed, however long it was sampled.
pub(crate) fn hot_code<'a>(
    runs: impl Iterator<Item = SampledRun<'a>>,
    name: impl Fn(FunctionKey) -> Option<Resource>,
    period: Nanos,
) -> HotProfile {
    let (mut all, mut found_of_all, mut sampled) = (0.0, 0.0, Nanos::ZERO);
    let mut functions: BTreeMap<Resource, f64> = BTreeMap::new();
    for run in runs.filter(|run| !run.time.all().is_zero()) {
        found_of_all += run.found * run.computed.as_secs_f64();
        all += run.computed.as_secs_f64();
        sampled += run.time.all();
        for (function, seconds) in run.seconds(&name) {
            *functions.entry(function).or_default() += seconds;
        }
    }
    let share = |inside: f64| SampledShare::of_part(inside / all, sampled, period);
    let told = functions.into_iter().filter(|_| all > 0.0);
    let mut told: Vec<HotCode> =
        told.map(|(code, inside)| HotCode { code, share: share(inside) }).collect();
    told.sort_by(|one, other| other.share.share.total_cmp(&one.share.share));
    let not_sampled = if all > 0.0 { 1.0 - found_of_all / all } else { 0.0 };
    HotProfile { functions: told, not_sampled }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use whyperf_code::FunctionId;

    use super::*;
    use crate::messages::SampledThread;

    const PERIOD: Nanos = Nanos::from_millis(10);

    fn key(number: u32) -> FunctionKey {
        FunctionKey { module: 0, function: FunctionId(number) }
    }

    /// So many samples in each function.
    fn time(samples: &[(u32, usize)]) -> SampledTime {
        let mut time = SampledTime::default();
        for (function, count) in samples {
            let own = Some(key(*function));
            let functions = BTreeSet::from([key(*function), key(0)]);
            let sample = SampledThread {
                tid: 1,
                inside: Vec::new(),
                functions,
                between: BTreeSet::new(),
                own,
                is_whole: true,
            };
            (0..*count).for_each(|_| time.add(&sample, PERIOD));
        }
        time
    }

    fn shares(runs: &[(SampledTime, u64)], found: f64) -> (Vec<(String, f64)>, f64) {
        let runs = runs.iter().map(|(time, seconds)| {
            let computed = Nanos::from_secs(*seconds);
            SampledRun { time, computed, found }
        });
        let name =
            |key: FunctionKey| Resource::parse(&format!("/Code/a.c/f{}", key.function.0)).ok();
        let told = hot_code(runs, name, PERIOD);
        let functions = told.functions.into_iter();
        let functions = functions.map(|one| (one.code.label(), one.share.share)).collect();
        (functions, told.not_sampled)
    }

    #[test]
    fn a_function_has_what_was_seen_in_its_own_code() {
        let (told, rest) = shares(&[(time(&[(1, 30), (2, 10)]), 4)], 1.0);
        assert!(rest.abs() < 1e-9, "{rest}");
        assert_eq!(told, [("f1".to_owned(), 0.75), ("f2".to_owned(), 0.25)]);
    }

    #[test]
    fn what_samples_do_not_find_is_in_no_function() {
        let told = shares(&[(time(&[(1, 30), (2, 10)]), 4)], 0.5);
        let functions = vec![("f1".to_owned(), 0.375), ("f2".to_owned(), 0.125)];
        assert_eq!(told, (functions, 0.5));
    }

    #[test]
    fn a_process_that_was_sampled_for_a_part_of_its_time_counts_for_all_of_it() {
        let (told, _) = shares(&[(time(&[(1, 10)]), 30), (time(&[(2, 100)]), 10)], 1.0);
        assert_eq!(told, [("f1".to_owned(), 0.75), ("f2".to_owned(), 0.25)]);
        assert_eq!(shares(&[(SampledTime::default(), 5)], 1.0), (Vec::new(), 0.0));
    }
}
