//! What became of the functions that pairs asked about, kept also when their processes have ended.

use std::collections::BTreeMap;

use whyperf_model::Resource;
use whyperf_model::matching::PairId;

use crate::instrumenter::Instrumenter;
use crate::patch_table::PatchTable;
use crate::stage::Stage;

/// What is known of a function over all processes and the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct AskedFunction {
    /// It was switched on somewhere.
    was_on: bool,
    /// A call of it was seen.
    was_entered: bool,
}

/// All functions that were ever asked about.
#[derive(Debug, Default)]
pub(crate) struct AskedFunctions(BTreeMap<Resource, AskedFunction>);

impl AskedFunctions {
    /// Records how far a process's functions are.
    pub(crate) fn take(&mut self, patch_table: &PatchTable) {
        for site in patch_table.sites.values() {
            let entry = self.0.entry(site.code.clone()).or_default();
            entry.was_on |= site.stage.on_since().is_some() || site.window.is_some();
            entry.was_entered |= site.entered;
            if matches!(site.stage, Stage::Absent { .. }) && *entry == AskedFunction::default() {
                self.0.remove(&site.code);
            }
        }
    }
}

impl Instrumenter {
    /// What a reader should know of a pair whose functions showed nothing.
    pub fn silence(&self, pair: PairId) -> Option<&'static str> {
        let entries: Vec<&AskedFunction> = self.entries(pair).collect();
        if entries.is_empty() || entries.iter().any(|entry| entry.was_entered) {
            return None;
        }
        let was_on = entries.iter().any(|entry| entry.was_on);
        Some(if was_on { UNSEEN } else { LATE })
    }

    fn entries(&self, pair: PairId) -> impl Iterator<Item = &AskedFunction> {
        let needs = self.needs.get(&pair).into_iter().flatten();
        needs.filter_map(|code| self.asked_functions.0.get(code))
    }
}

/// What is said of a function that no thread enters.
pub(crate) const UNSEEN: &str =
    "nothing entered it while it was watched; a call that began before is not seen";
/// What is said of a function that was never on.
const LATE: &str = "the program ended before it was switched on";
