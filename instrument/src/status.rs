//! The status of a pair in a process: how far the functions that it needs are.

use whyperf_model::Resource;
use whyperf_model::matching::PairId;

use crate::instrumenter::Instrumenter;
use crate::patch_table::PatchSite;
use crate::stage::Stage;

/// How far the functions of a pair are in a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairStatus {
    /// They are measured, since before the interval that just ended.
    On,
    /// They are not yet.
    Pending,
    /// They are left alone.
    Refused,
}

impl Instrumenter {
    /// Whether the functions that a pair needs are measured in a process.
    pub fn status(&self, pair: PairId, process: u32) -> PairStatus {
        let Some(needs) = self.needs.get(&pair) else { return PairStatus::On };
        let mut worst = PairStatus::On;
        for code in needs {
            match self.status_of(code, process) {
                PairStatus::On => {}
                PairStatus::Pending => return PairStatus::Pending,
                PairStatus::Refused => worst = PairStatus::Refused,
            }
        }
        worst
    }

    fn status_of(&self, code: &Resource, process: u32) -> PairStatus {
        // A region of the program's own, or something that is only called: nothing to be switched on.
        if self.exists(code) == Some(false) {
            return PairStatus::On;
        }
        let (Some(found), Some(patch_table)) =
            (self.found.get(code), self.patch_tables.get(&process))
        else {
            return PairStatus::Pending;
        };
        if found.asked && found.functions.is_empty() {
            return PairStatus::Pending;
        }
        let mut status = None;
        for key in &found.functions {
            let this = match patch_table.sites.get(key) {
                Some(site) if site.is_measured(self.pass) => PairStatus::On,
                // What a process does not have takes none of its time.
                Some(PatchSite { stage: Stage::Absent { .. }, .. }) => continue,
                Some(PatchSite { stage: Stage::Refused { .. }, .. }) => PairStatus::Refused,
                _ => PairStatus::Pending,
            };
            status = Some(match (status, this) {
                (Some(PairStatus::Pending), _) | (_, PairStatus::Pending) => PairStatus::Pending,
                (Some(PairStatus::On), _) | (_, PairStatus::On) => PairStatus::On,
                _ => PairStatus::Refused,
            });
        }
        status.unwrap_or(PairStatus::On)
    }
}
