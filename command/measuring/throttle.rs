//! The throttle: regions of the program that cost too much to measure are found by their rate, and switched off.
//!
//! Library calls do something that takes time, so measuring them is cheap in comparison. A region of the program may be
//! anything, also the body of an inner loop. When measuring costs more than it may, the hottest of them are switched off
//! until what remains should fit; their time then counts for their callers.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_daemon::{Daemon, ObservedCost};

use crate::output::report::share;

/// What is known of hot regions.
#[derive(Debug, Default)]
pub(crate) struct HotRegions {
    /// Calls of each region of the program when it was last looked at.
    calls: BTreeMap<String, u64>,
    /// Intervals above the limit without a break.
    hot_for: u32,
    off: BTreeSet<String>,
    notes: Vec<String>,
}

impl HotRegions {
    /// Switches regions off while measuring costs more than the limit; says which and why.
    pub(crate) fn cool(&mut self, daemon: &mut Daemon, limit: f64) -> Vec<String> {
        let ObservedCost { now: cost, events_now, .. } = daemon.cost();
        // What else costs leaves the less to events, but some in any case: where it is too much alone, switching regions off helps nobody.
        let room = (limit - (cost - events_now)).max(limit * LEAST_ROOM);
        if events_now <= room || daemon.counts().running == 0 {
            self.hot_for = 0;
            self.calls.clear();
            return Vec::new();
        }
        self.hot_for += 1;
        match self.hot_for {
            START => self.calls = daemon.calls(),
            PATIENCE => {
                self.hot_for = 0;
                return self.switch_hottest(daemon, cost, limit);
            }
            _ => {}
        }
        Vec::new()
    }

    /// Everything that was switched off, for the report.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        self.notes.iter().cloned()
    }

    fn switch_hottest(&mut self, daemon: &mut Daemon, cost: f64, limit: f64) -> Vec<String> {
        let now = daemon.calls();
        let before = std::mem::take(&mut self.calls);
        let grown = |(name, calls): (&String, &u64)| {
            (calls.saturating_sub(before.get(name).copied().unwrap_or(0)), name.clone())
        };
        let mut rates: Vec<(u64, String)> = now.iter().map(grown).collect();
        rates.retain(|(calls, name)| *calls >= NOTABLE && !self.off.contains(name));
        rates.sort_by(|one, other| other.cmp(one));
        let said = rates.into_iter().take(AT_ONCE).filter_map(|(_, name)| {
            (daemon.switch(&name, None, false) > 0).then(|| {
                let (cost, limit) = (share(cost), share(limit));
                self.off.insert(name.clone());
                format!(
                    "Region {name} is switched off: measuring cost {cost} where {limit} is the limit. Its time counts to its \
                     caller from now on; raise --cost-limit to keep it."
                )
            })
        });
        let said: Vec<String> = said.collect();
        self.notes.extend(said.iter().cloned());
        said
    }
}

/// The part of the limit that events have in any case.
const LEAST_ROOM: f64 = 0.3;
/// Counting begins at the first interval above the limit,
const START: u32 = 1;
/// and regions are switched when all that follow are above it, too.
const PATIENCE: u32 = 6;
/// Regions switched off at once; then it is looked again.
const AT_ONCE: usize = 2;
/// Fewer calls than this over these intervals cost nothing that matters.
const NOTABLE: u64 = 1000;
