//! Functions that are called too often to stay switched on, or even armed: short windows, between
//! which they have their original bytes.
//!
//! Inside a window the program is slower, for each call costs its event. So what is told of it stands
//! for the window less what the events took: the time that the program would have needed.

use std::sync::atomic::Ordering;

use whyperf_layout::{Command, RegionRecord};
use whyperf_model::Nanos;
use whyperf_model::matching::PairId;

use crate::activity::Activity;
use crate::agent::Agent;
use crate::contribution::{FunctionInterval, IntervalState};
use crate::instrumenter::{Instrumenter, PRICED};
use crate::messages::{PlanOutcome, Planned};
use crate::patch_table::{PatchSite, PatchTable, Turn};
use crate::stage::Stage;

/// A function that is on for a part of the time only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Window {
    /// It was switched off since the pass before.
    is_new: bool,
    /// Windows in a row in which nothing entered it.
    quiet: u32,
}

impl Window {
    /// From now on.
    pub(crate) fn new() -> Self {
        Self { is_new: true, ..Self::default() }
    }
}

impl PatchTable {
    /// Takes note of what its functions did.
    pub(crate) fn note(&mut self, activity: &Activity, agent: Agent<'_>) {
        for site in self.sites.values_mut() {
            let Some(number) = site.region else {
                site.interval = site.blank_interval(activity);
                continue;
            };
            let Some(record) = agent.regions.get(number as usize) else { continue };
            site.entered |= activity.of_region(number).is_some();
            let is_off = record.switched.load(Ordering::Relaxed) == 0;
            if is_off && site.is_expected_on() && record.hot_visits.load(Ordering::Relaxed) != 0 {
                // Its reply is still to come, or never will.
                site.window = Some(Window::new());
                site.stage.see_off();
            }
            let covered = record.coverage(activity.now);
            let new = covered.saturating_sub(std::mem::replace(&mut site.seen, covered));
            // One that rested for a part of the interval was called then, too.
            site.rate = activity.rate(number, new);
            let notes = site.notes.renew(record);
            site.interval = site.interval(number, new, notes, activity);
            site.was_on |= covered > 0;
            site.watch_windows();
        }
    }

    /// What came of planning a function.
    pub(crate) fn planned(&mut self, mut planned: Planned, pass: u64) {
        let outcome = std::mem::replace(&mut planned.outcome, PlanOutcome::Absent);
        match outcome {
            PlanOutcome::Patch(patch, arena) => self.ready(&planned, patch, arena),
            PlanOutcome::Refused(reason) => {
                self.not_ready(planned.function, Stage::Refused { reason });
            }
            PlanOutcome::Absent => self.not_ready(planned.function, Stage::Absent { since: pass }),
        }
    }

    /// Tells the process which functions have windows from now on, and which no longer; it opens and
    /// shuts them by itself. True when the bell is to be rung.
    pub(crate) fn keep_windows(&mut self, turn: Turn<'_>) -> bool {
        let mut rung = false;
        let Self { sites, visit_budget, .. } = self;
        for site in sites.values_mut() {
            let Some(region) = site.region else { continue };
            let is_due = site.wanted && site.window.is_some();
            let told = site.stage.windows();
            let may_open = told.is_some() || site.stage == Stage::Ready;
            if is_due && may_open && told.unwrap_or(0) != visit_budget.window {
                if turn.send(visit_budget.windows(region)) {
                    site.stage.open_windows(visit_budget.window);
                    rung = true;
                }
            } else if !is_due && told.is_some() {
                rung |= site.end_windows(turn);
            }
        }
        rung
    }
}

/// What a process said of a function apart from its visits; or by how much that grew.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Notes {
    counted: u32,
    counting: u32,
    missed: u64,
}

impl Notes {
    /// By how much it grew since the last time.
    fn renew(&mut self, record: &RegionRecord) -> Self {
        let new = Self {
            counted: record.counted.load(Ordering::Relaxed),
            counting: record.counting.load(Ordering::Relaxed),
            missed: record.missed.load(Ordering::Relaxed),
        };
        let old = std::mem::replace(self, new);
        Self {
            counted: new.counted.wrapping_sub(old.counted),
            counting: new.counting.wrapping_sub(old.counting),
            missed: new.missed.saturating_sub(old.missed),
        }
    }

    /// How long the process ran while no call was counted.
    fn idle(self) -> Nanos {
        Nanos(if self.counted == 0 { u64::from(self.counting) } else { 0 })
    }

    /// Nanoseconds that a call takes.
    fn each(self) -> Option<f64> {
        let is_known = self.counted > 0 && self.counting > 0;
        is_known.then(|| f64::from(self.counting) / f64::from(self.counted))
    }
}

impl PatchSite {
    /// It has no windows any more, and gets its bytes back; false when the process cannot be told yet.
    pub(crate) fn end_windows(&mut self, turn: Turn<'_>) -> bool {
        let Some(region) = self.region else { return false };
        let sent = turn.send(Command::Window { region, on: 0, visits: 0, period: 0 });
        if sent {
            self.stage.end_windows(region);
        }
        sent
    }

    /// Whether amounts of the interval that just ended can be told.
    pub(crate) fn is_measured(&self, pass: u64) -> bool {
        if self.window.is_some() && self.interval.state == IntervalState::Window {
            return self.interval.is_evidence();
        }
        matches!(self.stage, Stage::Armed { on_since: Some(since), .. } if since < pass)
    }

    /// Whether nothing more has to be waited for before it is called.
    pub(crate) fn is_settled(&self) -> bool {
        !self.is_measurable() || self.window.is_some() || self.stage.on_since().is_some()
    }

    /// Whether it counts among what is measured, now or later.
    pub(crate) fn is_measurable(&self) -> bool {
        self.stage.is_measurable()
    }

    /// Whether it is on unless the process itself switched it off.
    fn is_expected_on(&self) -> bool {
        self.window.is_none() && self.stage.on_since().is_some()
    }

    /// Nothing is known of an interval before it was armed.
    fn blank_interval(&self, activity: &Activity) -> FunctionInterval {
        let state =
            if self.window.is_some() { IntervalState::Window } else { IntervalState::Waiting };
        FunctionInterval {
            lived: activity.length,
            age: activity.age,
            state,
            ..FunctionInterval::default()
        }
    }

    fn interval(
        &mut self,
        region: u32,
        covered: u64,
        notes: Notes,
        activity: &Activity,
    ) -> FunctionInterval {
        let deeds = activity.of_region(region);
        let time = activity.time(covered);
        let visits = deeds.map_or(0, |deeds| deeds.visits);
        let wall = activity.needed(region, covered);
        self.each = notes.each().or(self.each);
        let is_new = self.window.as_mut().is_some_and(|window| std::mem::take(&mut window.is_new));
        let state = match self.window {
            Some(_) if is_new => IntervalState::Ending,
            Some(_) => IntervalState::Window,
            None if covered == 0 => IntervalState::Waiting,
            None if !self.was_on => IntervalState::Beginning(activity.age - time),
            None => IntervalState::On,
        };
        let interval = FunctionInterval {
            lived: activity.length,
            age: activity.age,
            covered: time,
            missed: Nanos(notes.missed),
            needed: self.needed(visits, wall),
            pace: self.pace(visits, notes, wall),
            idle: notes.idle(),
            visits,
            own: deeds.map_or(0, |deeds| deeds.own),
            pc_samples: self.pc_history.newest.filter(|_| state == IntervalState::Window),
            density: self.pc_history.density(activity.length),
            calls_others: self.extent.calls_others,
            state,
        };
        if interval.is_evidence() {
            self.pc_history.told();
        }
        interval
    }

    /// How long the process would have run for so many calls: by those that were counted without being
    /// timed where there are some, else by the clock, less what events cost.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "an estimate, above 0"
    )]
    fn needed(&self, visits: u64, wall: Nanos) -> Nanos {
        let each = self.each.filter(|_| self.window.is_some());
        each.map_or(wall, |each| Nanos((visits as f64 * each) as u64))
    }

    /// Calls in each nanosecond that the process runs, if the interval says.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    fn pace(&self, visits: u64, notes: Notes, wall: Nanos) -> Option<f64> {
        let counts = self.window.is_some() && self.patch.as_ref().is_some_and(|it| it.site != 0);
        if counts {
            let is_idle = notes.idle() > IDLE;
            return notes.each().map(f64::recip).or_else(|| is_idle.then_some(0.0));
        }
        (!wall.is_zero()).then(|| visits as f64 / wall.0 as f64)
    }

    /// A function that is not entered any more needs no windows: it is on again, until it is called
    /// too often.
    fn watch_windows(&mut self) {
        let Some(window) = &mut self.window else { return };
        if self.interval.visits > 0 || self.interval.pace.is_some_and(|pace| pace > 0.0) {
            window.quiet = 0;
        } else if self.interval.idle > IDLE {
            window.quiet += 1;
        }
        if window.quiet >= QUIET {
            self.window = None;
        }
    }
}

impl Instrumenter {
    /// Pairs whose functions turned out too hot, each once, with the share that windows will cover.
    pub fn take_too_hot(&mut self) -> Vec<(PairId, f64)> {
        let hot = self
            .needs
            .keys()
            .filter(|pair| self.sites_of(**pair).any(|site| site.window.is_some()));
        let hot: Vec<PairId> = hot.copied().collect();
        hot.into_iter()
            .filter(|pair| self.told.hot.insert(*pair))
            .map(|pair| (pair, SHARE))
            .collect()
    }

    /// How often functions are called per second, now and then.
    pub fn take_prices(&mut self) -> Vec<(whyperf_model::Resource, f64)> {
        if !self.pass.is_multiple_of(PRICED) {
            return Vec::new();
        }
        std::mem::take(&mut self.told.prices).into_iter().collect()
    }

    /// Whether all functions of a pair are on for a while, and none of them was entered.
    pub fn is_quiet(&self, pair: PairId) -> bool {
        let mut all = self.sites_of(pair).peekable();
        let is_quiet = |site: &PatchSite| {
            let since = site.stage.on_since().is_some_and(|since| self.pass >= since + PATIENCE);
            !site.is_system && !site.entered && since
        };
        all.peek().is_some() && all.all(is_quiet)
    }

    fn sites_of(&self, pair: PairId) -> impl Iterator<Item = &PatchSite> {
        let needs = self.needs.get(&pair).into_iter().flatten();
        let keys = needs.filter_map(|code| self.found.get(code)).flat_map(|found| &found.functions);
        let sites = keys.flat_map(|key| {
            self.patch_tables.values().filter_map(move |patch_table| patch_table.sites.get(key))
        });
        sites.filter(|site| site.is_measurable())
    }
}

/// The share of the time that windows make, as long as nothing is known better.
pub(crate) const SHARE: f64 = 0.0025;
/// Windows that show no call, after which there are none.
const QUIET: u32 = 2;
/// A window in which the process ran for less than this shows nothing.
const IDLE: Nanos = Nanos(100_000);
/// Passes after which a function that was never entered is looked through.
const PATIENCE: u64 = 7;
