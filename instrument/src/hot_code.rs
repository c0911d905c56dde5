//! Where processes computed, by the functions in whose own code stack samples found their threads: a flat profile that needs no event.

use std::collections::BTreeMap;

use whyperf_model::{Nanos, Resource};

use crate::function_key::FunctionKey;
use crate::sampled_share::SampledShare;
use crate::sampled_time::SampledTime;

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
}

/// The functions of these processes, the hottest first. A process counts for as much as it computed, however much of that was sampled.
pub(crate) fn hot_code<'a>(
    runs: impl Iterator<Item = SampledRun<'a>>,
    name: impl Fn(FunctionKey) -> Option<Resource>,
    period: Nanos,
) -> Vec<HotCode> {
    let (mut all, mut sampled) = (0.0, Nanos::ZERO);
    let mut functions: BTreeMap<Resource, f64> = BTreeMap::new();
    for SampledRun { time, computed } in runs.filter(|run| !run.time.all().is_zero()) {
        let weight = computed.as_secs_f64() / time.all().as_secs_f64();
        all += computed.as_secs_f64();
        sampled += time.all();
        for (key, own) in time.own() {
            if let Some(name) = name(key) {
                *functions.entry(name).or_default() += weight * own.as_secs_f64();
            }
        }
    }
    let share = |inside: f64| SampledShare::of_part(inside / all, sampled, period);
    let told = functions.into_iter().filter(|_| all > 0.0);
    let mut told: Vec<HotCode> =
        told.map(|(code, inside)| HotCode { code, share: share(inside) }).collect();
    told.sort_by(|one, other| other.share.share.total_cmp(&one.share.share));
    told
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
            let sample =
                SampledThread { tid: 1, inside: Vec::new(), functions, own, is_whole: true };
            (0..*count).for_each(|_| time.add(&sample, PERIOD));
        }
        time
    }

    fn shares(runs: &[(SampledTime, u64)]) -> Vec<(String, f64)> {
        let runs = runs
            .iter()
            .map(|(time, seconds)| SampledRun { time, computed: Nanos::from_secs(*seconds) });
        let name =
            |key: FunctionKey| Resource::parse(&format!("/Code/a.c/f{}", key.function.0)).ok();
        let told = hot_code(runs, name, PERIOD);
        told.into_iter().map(|one| (one.code.label(), one.share.share)).collect()
    }

    #[test]
    fn a_function_has_what_was_seen_in_its_own_code() {
        let told = shares(&[(time(&[(1, 30), (2, 10)]), 4)]);
        assert_eq!(told, [("f1".to_owned(), 0.75), ("f2".to_owned(), 0.25)]);
    }

    #[test]
    fn a_process_that_was_sampled_for_a_part_of_its_time_counts_for_all_of_it() {
        let told = shares(&[(time(&[(1, 10)]), 30), (time(&[(2, 100)]), 10)]);
        assert_eq!(told, [("f1".to_owned(), 0.75), ("f2".to_owned(), 0.25)]);
        assert_eq!(shares(&[(SampledTime::default(), 5)]), []);
    }
}
