//! Answers pairs from stack samples, beside events or in their place.
//!
//! ```text
//!   functions are on, and entered or judged ──► events count      stack samples are compared with them
//!   left alone, not in place, not judged ────► stack samples      where they see enough; else the amount is unknown
//!   too hot ─────────────────────────────────► stack samples      where they see enough; else events in windows
//! ```

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::matching::PairId;
use whyperf_model::{Hierarchy, Nanos, Pair, Resource};

use super::Instrumenter;
use crate::asked_functions::UNSEEN;
use crate::function_key::FunctionKey;
use crate::hot_code::{self, HotProfile};
use crate::pair_functions::{PairFunctions, SeenEvents};
use crate::sample_price::{self, STACK};
use crate::sampled_process::StackSight;
use crate::sampled_share::SampledShare;
use crate::status::PairStatus;

impl Instrumenter {
    /// Whether it is known what a pair asks of a process, for the interval that just ended.
    #[must_use]
    pub fn is_known(&self, pair: PairId, process: u32) -> bool {
        let functions = self.functions_of(pair);
        let is_open = self.has_stack_samples(pair) && functions.may_be_open(process);
        let is_counted = functions.status(process) == PairStatus::On && !is_open;
        is_counted || self.is_sampled(pair, process)
    }

    /// Whether stack samples tell what a pair asks of a process, and events do not.
    pub(super) fn is_sampled(&self, pair: PairId, process: u32) -> bool {
        let events =
            if self.silent.contains(&pair) { SeenEvents::Missing } else { SeenEvents::Complete };
        self.has_stack_samples(pair) && self.functions_of(pair).are_sampled(process, events)
    }

    /// Whether stack samples tell of a pair, too: what it brings is compared with them.
    #[must_use]
    pub fn has_stack_samples(&self, pair: PairId) -> bool {
        self.needs.sampled().contains(&pair)
    }

    /// What such a pair brought in the interval that ended, in these processes: it is compared with what stack samples told of that.
    pub fn compare(&mut self, id: PairId, pair: &Pair, amount: i64, processes: &[u32]) {
        let functions = self.functions_of(id);
        let is_comparable = |process: &u32| {
            functions.status(*process) == PairStatus::On
                && !functions.are_hot_in(*process)
                && self.processes.sight(*process, self.pass) == StackSight::Sampled
        };
        if !processes.iter().all(is_comparable) {
            return;
        }
        let sampled = processes.iter().map(|process| functions.sampled(*process));
        let sampled = sampled.fold(Nanos::ZERO, |sum, time| sum + time);
        let counted = Nanos(u64::try_from(amount).unwrap_or(0));
        self.agreements.entry(pair.clone()).or_default().add(counted, sampled);
    }

    /// The part of the running time of these processes, in all of their lives, in which stack samples found them inside of what a
    /// pair names, with the time that was sampled; `None` where events told something else and can be relied on.
    #[must_use]
    pub fn sampled_share(&self, pair: &Pair, processes: &[u32]) -> Option<SampledShare> {
        let agreement = self.agreements.get(pair).copied().unwrap_or_default();
        let needs = pair.focus.part(Hierarchy::Code);
        let Self { found, processes: known, pass, .. } = self;
        let functions = PairFunctions { needs, found, processes: known, pass: *pass };
        let period = self.period();
        let share = functions.sampled_share(processes, period);
        share.filter(|_| agreement.is_close(period) || functions.were_between(processes))
    }

    /// The running time that a stack sample stands for.
    fn period(&self) -> Nanos {
        Nanos::from(sample_price::period(STACK, self.limit))
    }

    /// The functions in whose own code processes computed, the hottest first.
    #[must_use]
    pub fn hot_code(&self) -> HotProfile {
        let runs = self.processes.sampled_runs().map(|(_, run)| run);
        hot_code::hot_code(runs, |key| self.own_name(key), self.period())
    }

    /// For how many seconds each process computed in the own code of functions, as far as stack samples tell.
    #[must_use]
    pub fn seconds_of_functions(&self) -> BTreeMap<u32, BTreeMap<Resource, f64>> {
        let runs = self.processes.sampled_runs().filter(|(_, run)| !run.time.all().is_zero());
        runs.map(|(number, run)| (number, run.seconds(|key| self.own_name(key)))).collect()
    }

    fn own_name(&self, key: FunctionKey) -> Option<Resource> {
        self.own_names.get(&key).cloned()
    }

    /// Pairs of which events cannot tell, and stack samples do from now on.
    pub(super) fn newly_sampled(&mut self, silent: &BTreeSet<PairId>) -> Vec<(PairId, Nanos)> {
        let is_untold = |pair: &PairId| {
            silent.contains(pair)
                || self.refusal(*pair).is_some()
                || self.functions_of(*pair).are_hot()
        };
        let is_sampled =
            |pair: &PairId| self.processes.numbers().any(|process| self.is_sampled(*pair, process));
        let all = self.needs.sampled().iter().copied();
        let sampled: Vec<PairId> = all.filter(|pair| is_untold(pair) && is_sampled(pair)).collect();
        let period = self.period();
        let news = self.announcements.new_sampled(sampled, &self.needs);
        news.into_iter().map(|pair| (pair, period)).collect()
    }

    /// Pairs whose functions are never entered though they are on, and of those whose functions are that or cannot be measured
    /// the ones that stack samples do not tell of either, with the reason.
    pub(super) fn untold(&self) -> (BTreeSet<PairId>, Vec<(PairId, String)>) {
        let is_silent = |pair: &PairId| {
            let functions = self.functions_of(*pair);
            !self.needs.is_named(*pair) && functions.are_quiet() && !functions.are_explained()
        };
        let silent: BTreeSet<PairId> = self.needs.pairs().filter(is_silent).collect();
        let reason = |pair: &PairId| {
            let unseen = silent.contains(pair).then_some(UNSEEN);
            Some((*pair, self.refusal(*pair).or(unseen)?.to_owned()))
        };
        let untold = self.needs.pairs().filter(|pair| !self.may_be_sampled(*pair));
        let refused = untold.filter_map(|pair| reason(&pair)).collect();
        (silent, refused)
    }

    /// Pairs whose functions are too hot, and of which stack samples do not tell.
    pub(super) fn hot(&self) -> Vec<PairId> {
        let is_hot =
            |pair: &PairId| self.functions_of(*pair).are_hot() && !self.may_be_sampled(*pair);
        self.needs.pairs().filter(is_hot).collect()
    }

    /// Whether stack samples tell of a pair in some process, or may yet.
    fn may_be_sampled(&self, pair: PairId) -> bool {
        self.has_stack_samples(pair) && self.functions_of(pair).may_be_sampled()
    }
}
