//! What the instrumenter tells of functions and pairs, each once.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::Resource;
use whyperf_model::matching::PairId;

use crate::patch_table::PatchTable;
use crate::stage::Stage;

/// What was told, and what is to be told in the next pass.
#[derive(Debug, Default)]
pub(crate) struct Announcements {
    /// Functions that a function calls.
    callees: Vec<(Resource, Vec<Resource>)>,
    /// Functions that are left alone, and why.
    refusals: BTreeMap<Resource, String>,
    /// Pairs that were said to be refused, and those that were said to be too hot.
    refused: BTreeSet<PairId>,
    hot: BTreeSet<PairId>,
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

    /// All functions that were left alone so far, and why.
    pub(crate) const fn refusals(&self) -> &BTreeMap<Resource, String> {
        &self.refusals
    }

    /// Those of these refused pairs that were not told yet.
    pub(crate) fn new_refused(&mut self, refused: Vec<(PairId, String)>) -> Vec<(PairId, String)> {
        refused.into_iter().filter(|(pair, _)| self.refused.insert(*pair)).collect()
    }

    /// Those of these hot pairs that were not told yet.
    pub(crate) fn new_hot(&mut self, hot: Vec<PairId>) -> Vec<PairId> {
        hot.into_iter().filter(|pair| self.hot.insert(*pair)).collect()
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
