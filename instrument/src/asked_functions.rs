//! The functions that pairs asked about, and how far each came; they are kept when their processes have ended.

use std::collections::BTreeMap;

use whyperf_model::Resource;

use crate::patch_table::PatchTable;
use crate::stage::Stage;

/// How far a function came in any process during the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum AskedFunction {
    /// It was never on.
    NeverOn,
    /// It was switched on somewhere.
    On,
    /// A call of it was seen.
    Entered,
}

/// All functions that were ever asked about.
#[derive(Debug, Default)]
pub(crate) struct AskedFunctions(BTreeMap<Resource, AskedFunction>);

impl AskedFunctions {
    /// Records how far a process's functions are.
    pub(crate) fn take(&mut self, patch_table: &PatchTable) {
        for site in patch_table.sites.values() {
            let is_on = site.stage.on_since().is_some() || site.is_hot();
            let now = match (site.meter.entered, is_on) {
                (true, _) => AskedFunction::Entered,
                (false, true) => AskedFunction::On,
                (false, false) => AskedFunction::NeverOn,
            };
            let known = self.0.entry(site.code.clone()).or_insert(now);
            *known = now.max(*known);
            if matches!(site.stage, Stage::Absent { .. }) && *known == AskedFunction::NeverOn {
                self.0.remove(&site.code);
            }
        }
    }

    /// What a reader should know of a pair that needs these functions, when they showed nothing.
    pub(crate) fn silence(&self, needs: &[Resource]) -> Option<&'static str> {
        let furthest = needs.iter().filter_map(|code| self.0.get(code)).max()?;
        match furthest {
            AskedFunction::NeverOn => Some(LATE),
            AskedFunction::On => Some(UNSEEN),
            AskedFunction::Entered => None,
        }
    }
}

/// What is said of a function that no thread enters.
pub(crate) const UNSEEN: &str =
    "nothing entered it while it was watched; a call that began before is not seen";
/// What is said of a function that was never on.
const LATE: &str = "the program ended before it was switched on";
