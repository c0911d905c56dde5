//! Pausing the measurement from outside, and going on with it: to see how much faster a program is without.
//!
//! ```text
//!   Measuring ──pause──► Asked ──all processes have paused──► a pass ──► Paused ──resume──► Measuring
//! ```
//! While it is paused the processes record one region alone, nothing of them is sampled, and their functions have no windows. No pass is
//! to be made before it is over: what lies between belongs to no interval that counts.

use std::sync::atomic::Ordering;

use whyperf_inject::{go_on_with_own_events, stop_own_events};
use whyperf_layout::{Command, PAUSED_BY_DAEMON};

use crate::daemon::Daemon;
use crate::process::Process;
use crate::progress::Milestone;
use crate::region::RegionMemory;

/// Whether the daemon has the measurement paused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pausing {
    /// It has not.
    #[default]
    Measuring,
    /// It asked for it since the last pass, or that pass was the first.
    Asked,
    /// It has, since before the last pass.
    Paused,
}

impl Daemon {
    /// Asks all processes to record nothing but this milestone.
    pub fn pause(&mut self, kept: &Milestone) {
        self.pausing = Pausing::Asked;
        stop_own_events();
        self.instrumenter.pause();
        for process in &self.processes {
            process.order(Command::Pause { kept: process.region_of(kept) });
        }
    }

    /// Whether all of them do.
    #[must_use]
    pub fn have_paused(&self) -> bool {
        self.processes.iter().filter_map(|process| process.stage.region()).all(is_paused)
    }

    /// Lets the measurement go on.
    pub fn resume(&mut self) {
        self.pausing = Pausing::Measuring;
        go_on_with_own_events();
        self.instrumenter.resume();
        self.processes.iter().for_each(|process| process.order(Command::Resume));
    }

    /// A pass was made: whether what lies between it and the one before was paused as a whole. Who was forked by a process that was paused, and found
    /// after that, goes on, too.
    pub(crate) fn was_paused(&mut self) -> bool {
        match self.pausing {
            Pausing::Measuring => {
                let is_left = |process: &&Process| process.stage.region().is_some_and(is_paused);
                self.processes.iter().filter(is_left).for_each(|one| one.order(Command::Resume));
                false
            }
            Pausing::Asked => {
                self.pausing = Pausing::Paused;
                false
            }
            Pausing::Paused => true,
        }
    }
}

impl Process {
    fn order(&self, command: Command) {
        if let Some(memory) = self.stage.region().filter(|_| !self.departure.has_begun())
            && memory.send(command).is_some()
        {
            memory.agent().wake();
        }
    }
}

fn is_paused(region: &RegionMemory) -> bool {
    region.header().paused.load(Ordering::Relaxed) & PAUSED_BY_DAEMON != 0
}
