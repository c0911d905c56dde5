//! A function of a process that is, was or shall be patched: its wanted state, its stage (stage.rs), and its measurements
//! (meter.rs).

use std::sync::atomic::Ordering;

use whyperf_code::plan::CodeExit;
use whyperf_layout::patch::{Outcome, Patch};
use whyperf_layout::{Command, RegionRecord};
use whyperf_model::Resource;

use crate::activity::Activity;
use crate::agent::AgentTurn;
use crate::interval::IntervalState;
use crate::messages::CodeExtent;
use crate::meter::{FunctionMeter, MeteredCode, WindowCounting};
use crate::outside_cost::CALL_AT_REST;
use crate::stage::{AGAIN, Stage};
use crate::window::Window;

/// A function of a process.
#[derive(Debug)]
pub(crate) struct PatchSite {
    pub(crate) code: Resource,
    pub(crate) stage: Stage,
    /// How it is patched, once the worker found that out.
    pub(crate) plan: Option<SitePlan>,
    pub(crate) demand: Demand,
    /// How control leaves it, as far as that was asked: of a function that is left alone.
    pub(crate) exit: CodeExit,
    attempts: Attempts,
    naming: CatalogueNaming,
    pub(crate) meter: FunctionMeter,
    /// Its region, once it has one: for the life of the process.
    pub(crate) region: Option<u32>,
}

/// How a function of a process is patched.
#[derive(Debug)]
pub(crate) struct SitePlan {
    pub(crate) patch: Box<Patch>,
    /// Address of the arena that its stub is in.
    pub(crate) arena: u64,
    pub(crate) extent: CodeExtent,
    /// It came with the system, not with the program.
    pub(crate) is_system: bool,
}

/// Whether a function shall be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// A pair needs it.
    Wanted,
    /// No pair does.
    Unwanted,
}

/// Whether the process's catalogue knows how the function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CatalogueNaming {
    Pending,
    Told,
}

/// What was tried when, in sampling passes.
#[derive(Clone, Copy, Debug, Default)]
struct Attempts {
    /// In which pass it was last asked to switch; 0 for never.
    asked: u64,
    /// Tries of arming that failed for a passing reason.
    failed: u32,
    /// In which pass it was last found armed and wanted.
    wanted: u64,
}

impl Attempts {
    /// Whether arming may be tried.
    fn may_arm(self, pass: u64) -> bool {
        self.failed == 0 || pass >= self.asked + AGAIN.min(1 << self.failed)
    }

    /// Whether the process may be asked to switch.
    const fn may_switch(self, pass: u64) -> bool {
        self.asked == 0 || pass >= self.asked + AGAIN
    }

    /// Whether no pair has wanted it for so long that it gets its original bytes back.
    const fn is_idle(self, pass: u64) -> bool {
        pass >= self.wanted + IDLE
    }
}

impl PatchSite {
    /// A function that a pair needs; one with windows was too hot in the process of which this is a fork.
    pub(crate) fn new(code: Resource, window: Option<Window>) -> Self {
        Self {
            code,
            stage: Stage::Planning,
            plan: None,
            demand: Demand::Wanted,
            exit: CodeExit::JumpsOn,
            attempts: Attempts::default(),
            naming: CatalogueNaming::Pending,
            meter: FunctionMeter::new(window),
            region: None,
        }
    }

    /// Whether a pair needs it.
    pub(crate) fn is_wanted(&self) -> bool {
        self.demand == Demand::Wanted
    }

    /// Whether it has windows, for it is too hot to stay on.
    pub(crate) const fn is_hot(&self) -> bool {
        self.meter.window.is_some()
    }

    /// How it is called, with its entry, once that is known; told once.
    pub(crate) fn take_name(&mut self) -> Option<(u64, Resource)> {
        let plan = self.plan.as_ref().filter(|_| self.naming == CatalogueNaming::Pending)?;
        self.naming = CatalogueNaming::Told;
        Some((plan.patch.entry, self.code.clone()))
    }

    /// Whether it is time to arm it, in so far as that depends on the function alone.
    pub(crate) fn is_due(&self, pass: u64) -> bool {
        self.is_wanted()
            && (!self.is_hot() || self.region.is_none())
            && self.stage == Stage::Ready
            && self.attempts.may_arm(pass)
    }

    /// It was armed and has this region.
    pub(crate) fn armed(&mut self, region: u32) {
        self.stage.armed(region);
        self.region = Some(region);
        self.attempts.failed = 0;
    }

    /// Arming it failed.
    pub(crate) fn failed(&mut self, outcome: Outcome, pass: u64) {
        self.attempts.failed += 1;
        self.attempts.asked = pass;
        self.stage.fail(outcome, self.attempts.failed);
    }

    /// The process switched it off for being too hot.
    pub(crate) fn too_hot(&mut self) {
        self.meter.window.get_or_insert_with(Window::new);
        self.stage.see_off();
    }

    /// Sends what the difference between wanted and is asks for; true when the bell is to be rung.
    pub(crate) fn follow(&mut self, turn: AgentTurn<'_>) -> bool {
        let Stage::Armed { region, .. } = self.stage else { return false };
        let Some(record) = turn.agent.regions.get(region as usize) else { return false };
        let is_on = record.switched.load(Ordering::Relaxed) != 0;
        let is_wanted = self.is_wanted();
        if is_wanted {
            self.attempts.wanted = turn.pass;
        }
        if is_on && is_wanted {
            self.stage.see_on(turn.pass);
        } else {
            self.stage.see_off();
        }
        let was_on = record.first.load(Ordering::Relaxed) != 0;
        let may_keep_jump = was_on && !self.is_dear() && !self.attempts.is_idle(turn.pass);
        let is_in_use = is_wanted || is_on;
        let command = if self.is_hot() || !(is_in_use || may_keep_jump) {
            Command::Disarm { region }
        } else if is_wanted == is_on || !self.attempts.may_switch(turn.pass) {
            return false;
        } else if is_wanted {
            Command::SwitchOn { region }
        } else {
            Command::SwitchOff { region }
        };
        let sent = turn.send(command);
        if sent {
            if matches!(command, Command::Disarm { .. }) {
                self.stage.disarm();
            }
            self.attempts.asked = turn.pass;
        }
        sent
    }

    /// Whether it is called so often that its jump costs something that is off.
    fn is_dear(&self) -> bool {
        self.meter.rate * CALL_AT_REST > DEAR
    }

    /// It has no windows any more, and gets its bytes back; false when the process cannot be told yet.
    pub(crate) fn end_windows(&mut self, turn: AgentTurn<'_>) -> bool {
        let Some(region) = self.region else { return false };
        let sent = turn.send(Command::Window { region, on: 0, visits: 0, period: 0 });
        if sent {
            self.stage.end_windows(region);
        }
        sent
    }

    /// Takes note of what it did.
    pub(crate) fn note(&mut self, activity: &Activity, regions: &[RegionRecord]) {
        let Some(number) = self.region else { return self.meter.note_blank(activity) };
        let Some(record) = regions.get(number as usize) else { return };
        self.meter.entered |= activity.of_region(number).is_some();
        let is_off = record.switched.load(Ordering::Relaxed) == 0;
        if is_off && self.is_expected_on() && record.hot_visits.load(Ordering::Relaxed) != 0 {
            // Its reply is still to come, or never will.
            self.too_hot();
        }
        let counts = self.plan.as_ref().is_some_and(|plan| plan.patch.site != 0);
        let counting = if counts { WindowCounting::Calls } else { WindowCounting::Events };
        let calls_others = self.plan.as_ref().is_some_and(|plan| plan.extent.calls_others);
        self.meter.note(number, record, activity, MeteredCode { counting, calls_others });
    }

    /// Whether amounts of the interval that just ended can be told.
    pub(crate) fn is_measured(&self, pass: u64) -> bool {
        let interval = &self.meter.interval;
        if self.is_hot() && interval.state == IntervalState::Window {
            return interval.is_evidence();
        }
        matches!(self.stage, Stage::Armed { on_since: Some(since), .. } if since < pass)
    }

    /// Whether nothing more has to be waited for before it is called.
    pub(crate) fn is_settled(&self) -> bool {
        !self.stage.is_measurable() || self.is_hot() || self.stage.on_since().is_some()
    }

    /// Whether it is on for a while, and was never entered.
    pub(crate) fn is_quiet(&self, pass: u64) -> bool {
        let since = self.stage.on_since().is_some_and(|since| pass >= since + PATIENCE);
        let is_system = self.plan.as_ref().is_some_and(|plan| plan.is_system);
        !is_system && !self.meter.entered && since
    }

    /// Whether it is on unless the process itself switched it off.
    fn is_expected_on(&self) -> bool {
        !self.is_hot() && self.stage.on_since().is_some()
    }
}

/// The part of a thread's time that the jump of a function that is off may cost, where no pair wants it.
const DEAR: f64 = 0.0005;
/// Passes after which a function that no pair wants gets its original bytes back.
const IDLE: u64 = 40;
/// Passes after which a function that was never entered is looked through.
const PATIENCE: u64 = 7;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_tried_again_ever_later_and_switched_again_after_a_while() {
        let failed = |failed| Attempts { asked: 100, failed, wanted: 0 };
        assert!(failed(0).may_arm(100) && !failed(1).may_arm(101) && failed(1).may_arm(102));
        assert!(!failed(8).may_arm(99 + AGAIN) && failed(8).may_arm(100 + AGAIN));
        assert!(Attempts::default().may_switch(1) && !failed(0).may_switch(99 + AGAIN));
        assert!(!failed(0).is_idle(IDLE - 1) && failed(0).is_idle(IDLE));
    }
}
