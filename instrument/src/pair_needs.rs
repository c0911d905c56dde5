//! The needs of pairs: which functions each pair needs to be on, and which functions some pair needs.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::matching::PairId;
use whyperf_model::{Focus, Hierarchy, Metric, Quantity, Resource};

/// What asks for a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairOrigin {
    /// A search.
    Search,
    /// A user, by name: what the pair needs is switched on whatever the metric.
    User,
}

/// The needs of all pairs that need functions.
#[derive(Debug, Default)]
pub(crate) struct PairNeeds {
    needs: BTreeMap<PairId, Vec<Resource>>,
    /// Pairs that a user named.
    by_name: BTreeSet<PairId>,
    /// Pairs that ask what of a function's time a thread ran.
    running: BTreeSet<PairId>,
    /// Those of them that a search asks, and that stack samples tell of, too.
    sampled: BTreeSet<PairId>,
    /// How many pairs need a function.
    wanted: BTreeMap<Resource, usize>,
}

impl PairNeeds {
    /// A pair is measured from now on, and needs the functions that its focus names; answers these. Waits are seen
    /// at their calls; only a pair that a user named counts those below a function, too.
    pub(crate) fn start(
        &mut self,
        pair: PairId,
        metric: Metric,
        focus: &Focus,
        origin: PairOrigin,
    ) -> &[Resource] {
        let is_named = origin == PairOrigin::User;
        let is_code = metric.definition().asks_about_functions();
        if focus.is_root(Hierarchy::Code) || !(is_code || is_named) {
            return &[];
        }
        let code = focus.part(Hierarchy::Code).to_vec();
        for one in &code {
            *self.wanted.entry(one.clone()).or_default() += 1;
        }
        self.needs.insert(pair, code);
        if is_named {
            self.by_name.insert(pair);
        }
        if metric.definition().quantity == Quantity::RunningTime {
            self.running.insert(pair);
        }
        if !is_named && may_be_sampled(metric, focus) {
            self.sampled.insert(pair);
        }
        self.of(pair)
    }

    /// A pair is measured no longer.
    pub(crate) fn stop(&mut self, pair: PairId) {
        self.running.remove(&pair);
        self.sampled.remove(&pair);
        for code in self.needs.remove(&pair).into_iter().flatten() {
            if let Some(users) = self.wanted.get_mut(&code) {
                *users -= 1;
                if *users == 0 {
                    self.wanted.remove(&code);
                }
            }
        }
    }

    /// Whether any pair asks what of a function's time a thread ran.
    pub(crate) fn want_running(&self) -> bool {
        !self.running.is_empty()
    }

    /// The pairs that stack samples tell of, too.
    pub(crate) fn sampled(&self) -> &BTreeSet<PairId> {
        &self.sampled
    }

    /// What a pair needs; nothing for one that needs no function.
    pub(crate) fn of(&self, pair: PairId) -> &[Resource] {
        self.needs.get(&pair).map_or(&[], Vec::as_slice)
    }

    /// Whether a pair needs functions to be on.
    pub(crate) fn has(&self, pair: PairId) -> bool {
        self.needs.contains_key(&pair)
    }

    /// Whether a user named it.
    pub(crate) fn is_named(&self, pair: PairId) -> bool {
        self.by_name.contains(&pair)
    }

    /// Whether a user ever named a pair that needs functions.
    pub(crate) fn had_named(&self) -> bool {
        !self.by_name.is_empty()
    }

    /// The pairs that need functions.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = PairId> {
        self.needs.keys().copied()
    }

    /// Those of them that a user named.
    pub(crate) fn named(&self) -> impl Iterator<Item = PairId> {
        self.pairs().filter(|pair| self.is_named(*pair))
    }

    /// What some pair needs.
    pub(crate) fn wanted(&self) -> impl Iterator<Item = &Resource> {
        self.wanted.keys()
    }

    /// Whether no pair needs a function.
    pub(crate) fn wants_nothing(&self) -> bool {
        self.wanted.is_empty()
    }
}

/// Whether stack samples may tell of a pair: of the running time of whole processes in single functions. A module has so many that one
/// stack has several of them.
#[must_use]
pub fn may_be_sampled(metric: Metric, focus: &Focus) -> bool {
    let code = focus.part(Hierarchy::Code);
    let metric = metric.definition();
    metric.quantity == Quantity::RunningTime
        && metric.asks_about_functions()
        && code.iter().all(|code| code.depth() > 1)
        && focus.part(Hierarchy::Process).iter().all(|process| process.depth() <= 1)
        && Hierarchy::OBJECTS.into_iter().all(|hierarchy| focus.is_root(hierarchy))
}
