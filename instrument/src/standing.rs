//! How far the functions that a pair needs are in a process.

use whyperf_model::Resource;
use whyperf_model::matching::PairId;

use crate::armory::Site;
use crate::instrumenter::Instrumenter;
use crate::stage::Stage;

/// What became of a function in a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is measured, since before the interval that just ended.
    On,
    /// It is not yet.
    Pending,
    /// It is left alone.
    Refused,
}

impl Instrumenter {
    /// Whether the functions that a pair needs are measured in a process.
    pub fn standing(&self, pair: PairId, process: u32) -> Standing {
        let Some(needs) = self.needs.get(&pair) else { return Standing::On };
        let mut worst = Standing::On;
        for code in needs {
            match self.standing_of(code, process) {
                Standing::On => {}
                Standing::Pending => return Standing::Pending,
                Standing::Refused => worst = Standing::Refused,
            }
        }
        worst
    }

    fn standing_of(&self, code: &Resource, process: u32) -> Standing {
        // A region of the program's own, or something that is only called: nothing to be switched on.
        if self.exists(code) == Some(false) {
            return Standing::On;
        }
        let (Some(found), Some(armory)) = (self.found.get(code), self.armories.get(&process))
        else {
            return Standing::Pending;
        };
        if found.asked && found.functions.is_empty() {
            return Standing::Pending;
        }
        let mut standing = None;
        for key in &found.functions {
            let this = match armory.sites.get(key) {
                Some(site) if site.is_measured(self.round) => Standing::On,
                // What a process does not have takes none of its time.
                Some(Site { stage: Stage::Absent { .. }, .. }) => continue,
                Some(Site { stage: Stage::Refused { .. }, .. }) => Standing::Refused,
                _ => Standing::Pending,
            };
            standing = Some(match (standing, this) {
                (Some(Standing::Pending), _) | (_, Standing::Pending) => Standing::Pending,
                (Some(Standing::On), _) | (_, Standing::On) => Standing::On,
                _ => Standing::Refused,
            });
        }
        standing.unwrap_or(Standing::On)
    }
}
