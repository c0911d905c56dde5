//! The check of the cost by the program itself: measuring is off and on in turns, and how fast the program gets on is compared.
//!
//! ```text
//!   choosing ──a milestone is steady──► on ──► off ──► off ──► on ──► off ──► on ──► on ──► off ─ ...
//!                                        └─ pair ─┘    └─ pair ─┘
//! ```
//! `docs/overhead.md` says how the figure is made, and what is not in it.

mod choice;
mod estimate;
mod order;
mod stretch;

use std::time::{Duration, Instant};

use whyperf_daemon::{Daemon, Milestone};

use self::choice::Choice;
pub(crate) use self::estimate::CheckedCost;
use self::estimate::{CheckedStretch, Unclean};
use self::order::{State, state_of};
use self::stretch::Stretch;

/// The check, and how far it is.
#[derive(Debug, Default)]
pub(crate) struct CostCheck {
    stage: CheckStage,
    done: Vec<CheckedStretch>,
}

#[derive(Debug)]
enum CheckStage {
    /// It is looked for something that the program does steadily.
    Choosing(Choice),
    /// Measuring is on, or off.
    In(Milestone, Stretch),
    /// It is to be off, and processes are about to pause.
    Pausing(Milestone, Pausing),
    /// It is on again with the pass that comes now.
    Resuming(Milestone),
}

/// When it is looked again whether processes have paused, and until when they are waited for.
#[derive(Clone, Copy, Debug)]
struct Pausing {
    next: Instant,
    until: Instant,
}

impl Default for CheckStage {
    fn default() -> Self {
        Self::Choosing(Choice::default())
    }
}

/// What is to be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// A sampling pass.
    Pass,
    /// Nothing.
    Wait,
}

impl CostCheck {
    /// When it is to be looked again, where the next pass is due at this moment.
    pub(crate) fn next(&self, pass: Instant) -> Instant {
        match &self.stage {
            CheckStage::Choosing(_) | CheckStage::Resuming(_) => pass,
            CheckStage::In(_, stretch) => match stretch.state {
                State::On => stretch.next().min(pass),
                State::Off => stretch.next(),
            },
            CheckStage::Pausing(_, pausing) => pausing.next,
        }
    }

    /// Whether measuring is off, or about to be: whoever else has something to do waits.
    pub(crate) const fn is_off(&self) -> bool {
        match &self.stage {
            CheckStage::In(_, stretch) => matches!(stretch.state, State::Off),
            CheckStage::Pausing(..) => true,
            CheckStage::Choosing(_) | CheckStage::Resuming(_) => false,
        }
    }

    /// Goes on at this moment, where a pass is due at that one, and they are so far apart.
    pub(crate) fn turn(&mut self, daemon: &mut Daemon, pass: Instant, interval: Duration) -> Turn {
        let now = Instant::now();
        let (stage, turn) = match std::mem::take(&mut self.stage) {
            CheckStage::Pausing(milestone, pausing) => {
                if !daemon.have_paused() && now < pausing.until {
                    let pausing = Pausing { next: now + A_LOOK, ..pausing };
                    (CheckStage::Pausing(milestone, pausing), Turn::Wait)
                } else {
                    let stretch = self.stretch(now, interval, daemon.have_paused());
                    (CheckStage::In(milestone, stretch), Turn::Pass)
                }
            }
            CheckStage::In(milestone, mut stretch) => {
                stretch.look(now, daemon, &milestone);
                if now < stretch.end {
                    let is_due = stretch.state == State::On && pass <= now;
                    let turn = if is_due { Turn::Pass } else { Turn::Wait };
                    (CheckStage::In(milestone, stretch), turn)
                } else {
                    self.end(stretch, milestone, daemon, (now, interval))
                }
            }
            other if pass <= now => (other, Turn::Pass),
            other => (other, Turn::Wait),
        };
        self.stage = stage;
        turn
    }

    /// A pass was made.
    pub(crate) fn passed(&mut self, daemon: &mut Daemon, interval: Duration) {
        let stage = std::mem::take(&mut self.stage);
        self.stage = match stage {
            CheckStage::Choosing(mut choice) => match choice.look(daemon) {
                Some(milestone) => {
                    CheckStage::In(milestone, self.stretch(Instant::now(), interval, true))
                }
                None => CheckStage::Choosing(choice),
            },
            CheckStage::Resuming(milestone) => {
                daemon.resume();
                CheckStage::In(milestone, self.stretch(Instant::now(), interval, true))
            }
            other => other,
        };
    }

    /// The run is over: nothing is off any more.
    pub(crate) fn end_run(&mut self, daemon: &mut Daemon) {
        if self.is_off() {
            daemon.resume();
        }
    }

    /// What was found by now.
    pub(crate) fn found(&self) -> CheckedCost {
        let milestone = match &self.stage {
            CheckStage::Choosing(_) => None,
            CheckStage::In(milestone, _)
            | CheckStage::Pausing(milestone, _)
            | CheckStage::Resuming(milestone) => Some(milestone.clone()),
        };
        CheckedCost::of(milestone, &self.done)
    }

    /// The stretch that comes now.
    fn stretch(&self, now: Instant, interval: Duration, is_clean: bool) -> Stretch {
        Stretch::begin(self.done.len(), now, interval, is_clean)
    }

    /// A stretch is over. The next one begins where it ends if it is of the same kind.
    fn end(
        &mut self,
        stretch: Stretch,
        milestone: Milestone,
        daemon: &mut Daemon,
        (now, interval): (Instant, Duration),
    ) -> (CheckStage, Turn) {
        let was = stretch.state;
        let (checked, progress) = stretch.finish(daemon, &milestone);
        self.done.push(checked);
        match (was, state_of(self.done.len())) {
            (State::On, State::Off) => {
                daemon.pause(&milestone);
                let pausing = Pausing { next: now + A_LOOK, until: now + PATIENCE };
                (CheckStage::Pausing(milestone, pausing), Turn::Wait)
            }
            (State::Off, State::On) => (CheckStage::Resuming(milestone), Turn::Pass),
            _ => {
                let is_clean = checked.unclean != Some(Unclean::NotPaused);
                let stretch = self.stretch(now, interval, is_clean).going_on_from(progress);
                (CheckStage::In(milestone, stretch), Turn::Wait)
            }
        }
    }
}

/// Between two looks at whether processes have paused, and for how long they are waited for.
const A_LOOK: Duration = Duration::from_millis(2);
const PATIENCE: Duration = Duration::from_millis(400);
