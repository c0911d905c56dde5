//! The stage of a function's instrumentation in a process: one state, with all its transitions.
//!
//! ```text
//!              plan      batch         reply             command               reply
//!   Planning ───────► Ready ───► Arming ───► Armed: off ◄──► on ───► Disarming ───► Ready
//!    │ ▲  ▲            │ │ ▲        │                                  ▲     │
//!    │ │  └─ no arena ─┘ │ └────────┤ failed, and may work later       │     └─► Armed: off   (refused)
//!    │ │ later           │          └─► Refused                        │
//!    │ └── Absent        └──────────────────► InWindows ───────────────┘
//!    └─► Refused, Absent       told its windows            told of none
//! ```
//! In `Ready` and in `InWindows` the function has its original bytes when the daemon looks: the process opens and
//! shuts windows by itself. A reply that does not fit the state changes nothing.

use whyperf_layout::patch::Outcome;

use crate::refusal;

/// The state of a function's instrumentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The worker was asked how to patch it.
    Planning,
    /// The process does not have it.
    Absent {
        /// The pass in which that was found.
        since: u64,
    },
    /// It is left alone.
    Refused {
        /// Why, in a sentence.
        reason: String,
    },
    /// It can be armed once its arena is mapped.
    Ready,
    /// The process opens windows for it.
    InWindows {
        /// Visits that fit into each.
        visits: u64,
    },
    /// It is part of the batch that is under way.
    Arming,
    /// Its entry leads to its thunk.
    Armed {
        /// Number of its region.
        region: u32,
        /// The pass since which it is on; `None` while it is off.
        on_since: Option<u64>,
    },
    /// The process was asked to give it its original bytes back.
    Disarming {
        /// Number of its region.
        region: u32,
        /// The pass since which it is on, until the process replies.
        on_since: Option<u64>,
    },
}

impl Stage {
    /// It is asked for again: libraries may have come since it was absent. True when the worker has to plan it.
    pub(crate) fn look_again(&mut self, pass: u64) -> bool {
        let is_due = matches!(self, Self::Absent { since } if pass >= *since + AGAIN);
        if is_due {
            *self = Self::Planning;
        }
        is_due
    }

    /// The worker answered.
    pub(crate) fn plan(&mut self, next: Self) {
        if *self == Self::Planning {
            *self = next;
        }
    }

    /// Its arena could not be mapped. True when the worker has to plan it again.
    pub(crate) fn lose_arena(&mut self) -> bool {
        let is_waiting = *self == Self::Ready;
        if is_waiting {
            *self = Self::Planning;
        }
        is_waiting
    }

    /// It is part of a batch.
    pub(crate) fn arm(&mut self) {
        if *self == Self::Ready {
            *self = Self::Arming;
        }
    }

    /// The batch is done, and it has this region.
    pub(crate) fn armed(&mut self, region: u32) {
        *self = Self::Armed { region, on_since: None };
    }

    /// The batch is done without it.
    pub(crate) fn fail(&mut self, outcome: Outcome, tries: u32) {
        let is_passing = matches!(
            outcome,
            Outcome::Busy
                | Outcome::ThreadInside
                | Outcome::TracerPresent
                | Outcome::SigtrapBlocked
        );
        *self = if is_passing && tries < MOST_TRIES {
            Self::Ready
        } else {
            Self::Refused { reason: refusal::sentence(outcome).to_owned() }
        };
    }

    /// It is seen to be on in this pass.
    pub(crate) fn see_on(&mut self, pass: u64) {
        if let Self::Armed { on_since, .. } = self {
            on_since.get_or_insert(pass);
        }
    }

    /// It is off, or is no longer wanted on.
    pub(crate) fn see_off(&mut self) {
        if let Self::Armed { on_since, .. } | Self::Disarming { on_since, .. } = self {
            *on_since = None;
        }
    }

    /// The process was asked to give it its bytes back.
    pub(crate) fn disarm(&mut self) {
        if let Self::Armed { region, on_since } = *self {
            *self = Self::Disarming { region, on_since };
        }
    }

    /// The process replied to that, or did it by itself.
    pub(crate) fn disarmed(&mut self, outcome: Option<Outcome>) {
        if let Self::Armed { region, .. } | Self::Disarming { region, .. } = *self {
            let is_done = matches!(outcome, Some(Outcome::Done | Outcome::ModuleGone));
            *self = if is_done { Self::Ready } else { Self::Armed { region, on_since: None } };
        }
    }

    /// The process was told of windows for it.
    pub(crate) fn open_windows(&mut self, visits: u64) {
        if matches!(self, Self::Ready | Self::InWindows { .. }) {
            *self = Self::InWindows { visits };
        }
    }

    /// The process was told that it has no windows any more.
    pub(crate) fn end_windows(&mut self, region: u32) {
        if matches!(self, Self::InWindows { .. }) {
            *self = Self::Disarming { region, on_since: None };
        }
    }

    /// The pass since which it is on.
    pub(crate) const fn on_since(&self) -> Option<u64> {
        match self {
            Self::Armed { on_since, .. } | Self::Disarming { on_since, .. } => *on_since,
            _ => None,
        }
    }

    /// The visits of each window that the process was told of.
    pub(crate) const fn windows(&self) -> Option<u64> {
        if let Self::InWindows { visits } = self { Some(*visits) } else { None }
    }

    /// Whether it is measured in this process, now or later.
    pub(crate) const fn is_measurable(&self) -> bool {
        !matches!(self, Self::Absent { .. } | Self::Refused { .. })
    }

    /// Whether it keeps its jump and is not switched on.
    pub(crate) const fn is_resting(&self) -> bool {
        matches!(self, Self::Armed { on_since: None, .. } | Self::Disarming { on_since: None, .. })
    }

    /// Whether its code is being changed.
    pub(crate) const fn is_moving(&self) -> bool {
        matches!(self, Self::Arming | Self::Disarming { .. })
    }
}

/// Passes after which what did not happen is asked for again.
pub(crate) const AGAIN: u64 = 20;
/// Tries of arming what fails for a passing reason.
const MOST_TRIES: u32 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_armed_switched_and_restored() {
        let mut stage = Stage::Planning;
        stage.plan(Stage::Ready);
        stage.arm();
        assert!(stage.is_moving());
        stage.armed(3);
        assert_eq!(stage.on_since(), None);
        stage.see_on(7);
        stage.see_on(8);
        assert_eq!(stage.on_since(), Some(7), "the first pass counts");
        stage.disarm();
        assert_eq!(stage, Stage::Disarming { region: 3, on_since: Some(7) });
        stage.disarmed(Some(Outcome::Busy));
        assert_eq!(stage, Stage::Armed { region: 3, on_since: None }, "it is asked again");
        stage.disarm();
        stage.disarmed(Some(Outcome::Done));
        assert_eq!(stage, Stage::Ready);
    }

    #[test]
    fn windows_end_before_a_function_is_armed_again() {
        let mut stage = Stage::Ready;
        stage.open_windows(64);
        stage.open_windows(32);
        assert_eq!(stage.windows(), Some(32));
        stage.arm();
        assert_eq!(stage.windows(), Some(32), "it is not ready");
        stage.end_windows(3);
        assert!(stage.is_moving());
        stage.disarmed(Some(Outcome::ModuleGone));
        assert_eq!(stage, Stage::Ready);
    }

    #[test]
    fn what_fails_is_tried_again_only_for_a_passing_reason() {
        for (outcome, tries, is_ready) in [
            (Outcome::Busy, 1, true),
            (Outcome::Busy, MOST_TRIES, false),
            (Outcome::Nonsense, 1, false),
        ] {
            let mut stage = Stage::Arming;
            stage.fail(outcome, tries);
            assert_eq!(stage == Stage::Ready, is_ready, "{outcome:?} after {tries}");
            assert_eq!(stage.is_measurable(), is_ready);
        }
    }

    #[test]
    fn a_reply_that_does_not_fit_changes_nothing() {
        let mut stage = Stage::Absent { since: 1 };
        stage.plan(Stage::Ready);
        stage.disarm();
        stage.disarmed(Some(Outcome::Done));
        stage.open_windows(64);
        stage.end_windows(3);
        assert_eq!(stage, Stage::Absent { since: 1 });
        assert!(!stage.look_again(AGAIN) && stage.look_again(AGAIN + 1));
        assert_eq!(stage, Stage::Planning);
    }
}
