//! Open calls that began before their functions were watched: they have no event, but the stack shows them.
//!
//! ```text
//!   on ──────────── looked at ──────────── looked at
//!   f ─ f ─ f ─ f ─ f ─ f ─ f ─ f ─ f ─ f ┐          in f without an entry: since before it was on
//!                   └─ counts for f ──────┴──┤       until it was looked at again
//! ```
//! A thread that is in a function that is on, and had no event at its entry, entered it before it was on. All that the
//! thread does counts for that function, until a later look finds that it has left; the excess is at most the time between
//! two looks, which are far apart only when the call has lasted for much longer.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_inject::LookManner;
use whyperf_model::{Nanos, Resource};

use crate::function_key::FunctionKey;
use crate::messages::StackFindings;
use crate::patch_table::PatchTable;

/// The open calls of one process.
#[derive(Debug, Default)]
pub(crate) struct OpenCalls {
    /// The pass in which the look that is under way was asked for.
    asked: Option<u64>,
    /// The pass in which the last look was asked for, the one in which it was over, and passes until the next.
    last_asked: u64,
    last: u64,
    period: u64,
    /// How running threads were seen by it.
    manner: LookManner,
    /// The pass before which there is no other look, because the last one cost so much.
    rest_until: u64,
    /// The pass since which samples go on without a rest.
    steady_since: Option<u64>,
    has_rested: bool,
    /// By thread: functions of which calls are open that no event told of.
    threads: BTreeMap<u32, BTreeSet<FunctionKey>>,
    /// The threads that were there when the last look began: those are sampled.
    met: Vec<u32>,
    /// Functions that the last look told of, and since when they were on.
    judged: BTreeMap<FunctionKey, u64>,
    /// Changes since the last time.
    is_changed: bool,
    cost: Nanos,
    pass_length: Nanos,
}

/// A sampling pass of a process, in which its threads may be looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookOccasion<'process> {
    pub(crate) threads: &'process [u32],
    pub(crate) pass: u64,
    pub(crate) pass_length: Nanos,
    pub(crate) curiosity: Curiosity,
}

/// Whether samples show all that threads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SampleFlow {
    /// No look was over lately.
    Unknown,
    /// They go on and on.
    Steady,
    /// Threads are stopped, or sampled only now and then.
    Broken,
}

/// Whether much may be learned from looks, also where no function waits for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Curiosity {
    /// A search asked a short time ago which functions a function calls.
    Curious,
    /// It asked longer ago: a call that is made seldom, or by a thread that seldom has a processor, may be seen now. Or stack samples
    /// are wanted.
    Patient,
    /// Nothing was asked.
    Idle,
}

impl Curiosity {
    /// In a pass, when a search asked last in that one. Where a thread ran, stack samples tell.
    pub(crate) fn at(pass: u64, asked_callees: Option<u64>, wants_samples: bool) -> Self {
        match asked_callees {
            Some(asked) if pass < asked + CURIOUS => Self::Curious,
            Some(_) => Self::Patient,
            None if wants_samples => Self::Patient,
            None => Self::Idle,
        }
    }
}

impl OpenCalls {
    /// Has threads looked at when it is time to; answers which.
    pub(crate) fn look(
        &mut self,
        occasion: &LookOccasion<'_>,
        patch_table: &mut PatchTable,
    ) -> Option<Vec<u32>> {
        let LookOccasion { threads, pass, pass_length, .. } = *occasion;
        if threads.is_empty() || !self.is_due(patch_table, occasion) {
            return None;
        }
        self.asked = Some(pass);
        self.met = threads.to_vec();
        self.pass_length = pass_length;
        if self.manner == LookManner::Stops {
            patch_table.begin_look();
        }
        Some(threads.to_vec())
    }

    /// By thread the functions that it is in by calls that no event told of, when that changed.
    pub(crate) fn take_changes(
        &mut self,
        patch_table: &PatchTable,
    ) -> Option<BTreeMap<u32, Vec<Resource>>> {
        self.drop_entered(patch_table);
        if !std::mem::take(&mut self.is_changed) {
            return None;
        }
        let name = |key: &FunctionKey| Some(patch_table.sites.get(key)?.code.clone());
        let named = self.threads.iter();
        Some(named.map(|(tid, keys)| (*tid, keys.iter().filter_map(name).collect())).collect())
    }

    /// Forgets calls of functions that were entered since they are on: the event of a call that a look found may have been read only after the look.
    fn drop_entered(&mut self, patch_table: &PatchTable) {
        let was_entered =
            |key: &FunctionKey| patch_table.sites.get(key).is_none_or(|site| site.meter.entered);
        for keys in self.threads.values_mut() {
            let found = keys.len();
            keys.retain(|key| !was_entered(key));
            self.is_changed |= keys.len() != found;
        }
    }

    /// Whether samples showed all that threads did in the interval that ended.
    pub(crate) fn flow(&self, pass: u64) -> SampleFlow {
        let is_fresh = self.last > 0 && pass <= self.last_asked + FRESH;
        let settled = if self.has_rested { SETTLED } else { 0 };
        let is_steady = self.steady_since.is_some_and(|since| pass >= since + settled);
        match self.manner {
            LookManner::Samples if is_fresh && is_steady => SampleFlow::Steady,
            _ if is_fresh || self.has_rested => SampleFlow::Broken,
            _ => SampleFlow::Unknown,
        }
    }

    /// Its threads are sampled no longer, and must not be looked at for so long.
    pub(crate) fn end_samples(&mut self, pass: u64, rest: Nanos) {
        (self.steady_since, self.has_rested) = (None, true);
        self.rest(pass, rest);
    }

    fn rest(&mut self, pass: u64, rest: Nanos) {
        self.rest_until = self.rest_until.max(pass + rest.0 / self.pass_length.0.max(1));
    }

    /// What looks cost the process since the last time.
    pub(crate) fn take_cost(&mut self) -> Nanos {
        std::mem::take(&mut self.cost)
    }

    /// Whether it is time for a look.
    fn is_due(&self, patch_table: &PatchTable, occasion: &LookOccasion<'_>) -> bool {
        let LookOccasion { threads, pass, curiosity, .. } = *occasion;
        let may_begin = self.manner == LookManner::Samples || patch_table.is_at_rest();
        if self.asked.is_some() || !may_begin {
            return false;
        }
        let unjudged =
            patch_table.dormant(pass).any(|(key, since)| self.judged.get(&key) != Some(&since));
        // One that came since is not sampled.
        let is_unmet = |thread: &u32| !self.met.contains(thread);
        let has_new = self.manner == LookManner::Samples && threads.iter().any(is_unmet);
        let wait = match (unjudged || has_new, curiosity) {
            (true, _) => SOON,
            (false, Curiosity::Curious) => OFTEN,
            (false, Curiosity::Patient | Curiosity::Idle) => self.period.clamp(OFTEN, SELDOM),
        };
        let is_wanted = curiosity != Curiosity::Idle || patch_table.dormant(pass).next().is_some();
        is_wanted && pass >= self.rest_until && (self.last == 0 || pass >= self.last + wait)
    }

    /// A look was taken.
    pub(crate) fn take(&mut self, seen: StackFindings, patch_table: &mut PatchTable, pass: u64) {
        patch_table.end_look();
        let Some(asked) = self.asked.take() else { return };
        (self.last_asked, self.last, self.manner) = (asked, pass, seen.manner);
        self.cost += seen.stopped;
        self.rest(pass, Nanos(seen.stopped.0.saturating_mul(SHARE)));
        self.steady_since.get_or_insert(pass);
        let dormant: BTreeMap<FunctionKey, u64> = patch_table.dormant(asked).collect();
        let before = self.threads.clone();
        for (tid, thread) in seen.threads {
            let known = self.threads.entry(tid).or_default();
            // What was found once may lie beyond what was seen of the stack now.
            known.retain(|key| !thread.is_whole && dormant.contains_key(key));
            known.extend(thread.calls.into_iter().filter(|key| dormant.contains_key(key)));
        }
        // What was found once may be missed by a look that did not see all.
        if seen.is_whole {
            self.judged = dormant;
        } else {
            let open: BTreeSet<FunctionKey> = self.threads.values().flatten().copied().collect();
            self.judged = dormant.into_iter().filter(|(key, _)| open.contains(key)).collect();
        }
        let is_changed = before != self.threads;
        self.period = if is_changed { OFTEN } else { (2 * self.period).clamp(OFTEN, SELDOM) };
        self.is_changed |= is_changed;
    }

    /// Whether a look told of a function that is on since then and was never entered whether a call of it is open.
    pub(crate) fn has_judged(&self, key: FunctionKey, since: u64) -> bool {
        self.judged.get(&key) == Some(&since)
    }

    /// The same, or a look may tell it yet.
    pub(crate) fn explains(&self, key: FunctionKey, since: u64, pass: u64) -> bool {
        self.has_judged(key, since) || (self.last_asked <= since && pass < since + PATIENCE)
    }
}

/// Passes from look to look: when something waits for one, when much may be learned, at most.
const SOON: u64 = 2;
const OFTEN: u64 = 5;
const SELDOM: u64 = 40;
/// Passes for which looks are frequent after a search asked which functions a function calls.
const CURIOUS: u64 = 40;
/// Passes after which no pair waits for a look any more.
const PATIENCE: u64 = 40;
/// Passes after a look in which samples still go on.
const FRESH: u64 = 50;
/// Passes after which samples that had to rest show all again.
const SETTLED: u64 = 10;
/// A look may take one part in so many of a thread's time.
const SHARE: u64 = 200;

#[cfg(test)]
mod tests {
    use whyperf_code::FunctionId;

    use super::*;
    use crate::messages::SeenThread;
    use crate::patch_site::PatchSite;
    use crate::stage::Stage;

    fn seen(manner: LookManner) -> StackFindings {
        StackFindings { manner, is_whole: true, ..StackFindings::default() }
    }

    /// A look that was asked for in a pass was over in the next one.
    fn look(open_calls: &mut OpenCalls, pass: u64, manner: LookManner) {
        open_calls.asked = Some(pass);
        open_calls.pass_length = Nanos::from_millis(50);
        open_calls.take(seen(manner), &mut PatchTable::default(), pass + 1);
    }

    #[test]
    fn samples_show_all_until_they_rest_and_some_time_after_they_go_on() {
        let mut open_calls = OpenCalls::default();
        assert_eq!(open_calls.flow(1), SampleFlow::Unknown);
        look(&mut open_calls, 1, LookManner::Samples);
        assert_eq!(open_calls.flow(2), SampleFlow::Steady);
        open_calls.end_samples(4, Nanos::from_secs(1));
        assert_eq!(open_calls.flow(4), SampleFlow::Broken);
        assert_eq!(open_calls.rest_until, 24);
        look(&mut open_calls, 24, LookManner::Samples);
        let flows = [25, 24 + SETTLED, 25 + SETTLED].map(|pass| open_calls.flow(pass));
        assert_eq!(flows, [SampleFlow::Broken, SampleFlow::Broken, SampleFlow::Steady]);
    }

    /// A look at a thread inside a function, of whose entry the pass learns after that.
    #[test]
    fn a_call_whose_event_was_read_after_the_look_is_no_open_one() {
        let key = FunctionKey { module: 0, function: FunctionId(1) };
        let code = Resource::parse("/Code/a.c/relay").expect("well formed");
        let stage = Stage::Armed { region: 1, on_since: Some(2) };
        let mut site = PatchSite::new(code.clone(), None);
        site.stage = stage;
        let mut patch_table = PatchTable::default();
        patch_table.sites.insert(key, site);
        let mut open_calls = OpenCalls { asked: Some(5), ..OpenCalls::default() };
        let thread = SeenThread { calls: BTreeSet::from([key]), is_whole: true };
        let found =
            StackFindings { threads: BTreeMap::from([(9, thread)]), ..seen(LookManner::Samples) };
        open_calls.take(found, &mut patch_table, 6);
        assert_eq!(open_calls.take_changes(&patch_table), Some(BTreeMap::from([(9, vec![code])])));
        patch_table.sites.get_mut(&key).expect("it is there").meter.entered = true;
        assert_eq!(open_calls.take_changes(&patch_table), Some(BTreeMap::from([(9, vec![])])));
    }

    #[test]
    fn threads_that_are_stopped_are_seen_now_and_then() {
        let mut open_calls = OpenCalls::default();
        look(&mut open_calls, 1, LookManner::Stops);
        assert_eq!(open_calls.flow(2), SampleFlow::Broken);
        assert_eq!(open_calls.flow(2 + FRESH), SampleFlow::Unknown);
    }
}
