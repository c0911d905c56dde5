//! The announcements of the instrumenter about functions and pairs, each made once.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::matching::PairId;
use whyperf_model::{Nanos, Resource};

use crate::pair_needs::PairNeeds;
use crate::patch_table::PatchTable;
use crate::stage::Stage;

/// What was told, and what is to be told in the next pass.
#[derive(Debug, Default)]
pub(crate) struct Announcements {
    /// Functions that a function calls.
    callees: Vec<(Resource, Vec<Resource>)>,
    /// Functions that are left alone, and why.
    refusals: BTreeMap<Resource, String>,
    /// Pairs that were said to be refused, to be too hot, and to be told by stack samples.
    refused: BTreeSet<PairId>,
    hot: BTreeSet<PairId>,
    sampled: BTreeSet<PairId>,
    /// The functions that those are about.
    sampled_code: BTreeSet<Resource>,
    /// How often functions were called per second at most.
    rates: BTreeMap<Resource, f64>,
}

/// What is new of functions since the last time.
#[derive(Debug, Default)]
pub struct FunctionNews {
    /// Modules and functions that were found.
    pub listed: Vec<Resource>,
    /// Which functions are called by which.
    pub callees: Vec<(Resource, Vec<Resource>)>,
    /// Pairs whose functions cannot be measured, with the reason.
    pub refused: Vec<(PairId, String)>,
    /// Pairs whose functions turned out too hot, with the share of the time that windows will cover.
    pub too_hot: Vec<(PairId, f64)>,
    /// Pairs that stack samples tell of, with the running time that each stands for.
    pub sampled: Vec<(PairId, Nanos)>,
    /// How often functions are called per second, now and then.
    pub prices: Vec<(Resource, f64)>,
}

impl Announcements {
    /// These functions are called by that one.
    pub(crate) fn tell_callees(&mut self, of: Resource, callees: Vec<Resource>) {
        self.callees.push((of, callees));
    }

    pub(crate) fn take_callees(&mut self) -> Vec<(Resource, Vec<Resource>)> {
        std::mem::take(&mut self.callees)
    }

    /// Why a function is left alone, if it is in every process that has it.
    pub(crate) fn refusal(&self, needs: &[Resource]) -> Option<&str> {
        needs.iter().find_map(|code| self.refusals.get(code)).map(String::as_str)
    }

    /// All functions of which nothing was told so far, and why.
    pub(crate) fn refusals(&self) -> impl Iterator<Item = (&Resource, &str)> {
        let untold = self.refusals.iter().filter(|(code, _)| !self.sampled_code.contains(*code));
        untold.map(|(code, reason)| (code, reason.as_str()))
    }

    /// Those of these refused pairs that were not told yet. What stack samples told of stays told.
    pub(crate) fn new_refused(&mut self, refused: Vec<(PairId, String)>) -> Vec<(PairId, String)> {
        let Self { refused: told, sampled, .. } = self;
        let untold = refused.into_iter().filter(|(pair, _)| !sampled.contains(pair));
        untold.filter(|(pair, _)| told.insert(*pair)).collect()
    }

    /// Those of these hot pairs that were not told yet.
    pub(crate) fn new_hot(&mut self, hot: Vec<PairId>) -> Vec<PairId> {
        hot.into_iter().filter(|pair| self.hot.insert(*pair)).collect()
    }

    /// Those of these sampled pairs that were not told yet.
    pub(crate) fn new_sampled(&mut self, sampled: Vec<PairId>, needs: &PairNeeds) -> Vec<PairId> {
        let news = sampled.into_iter().filter(|pair| self.sampled.insert(*pair));
        let news: Vec<PairId> = news.collect();
        self.sampled_code.extend(news.iter().flat_map(|pair| needs.of(*pair)).cloned());
        news
    }

    /// How often functions are called per second, if it is time to tell.
    pub(crate) fn take_rates(&mut self, pass: u64) -> Vec<(Resource, f64)> {
        if !pass.is_multiple_of(RATES) {
            return Vec::new();
        }
        std::mem::take(&mut self.rates).into_iter().collect()
    }

    /// Takes note of how often functions are called, and of those that no process can measure.
    pub(crate) fn close_pass<'table>(
        &mut self,
        patch_tables: impl Iterator<Item = &'table PatchTable>,
        pass: u64,
    ) {
        let mut open = BTreeSet::new();
        let mut refused = BTreeMap::new();
        for site in patch_tables.flat_map(|patch_table| patch_table.sites.values()) {
            if pass.is_multiple_of(RATES) && site.stage.on_since().is_some() {
                let rate = self.rates.entry(site.code.clone()).or_default();
                *rate = rate.max(site.meter.rate);
            }
            match &site.stage {
                Stage::Refused { reason } => {
                    refused.entry(site.code.clone()).or_insert_with(|| reason.clone());
                }
                Stage::Absent { .. } => {}
                _ => {
                    open.insert(&site.code);
                }
            }
        }
        refused.retain(|code, _| !open.contains(code));
        self.refusals.extend(refused);
    }
}

/// Passes from telling how often functions are called to telling it again.
const RATES: u64 = 10;
