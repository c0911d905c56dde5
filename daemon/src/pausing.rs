//! Whether the daemon has the measurement paused, to see how much faster a program is without.
//!
//! ```text
//!   Measuring ──pause──► Asked ──all processes have paused──► a pass ──► Paused ──resume──► Measuring
//! ```
//! While it is paused the processes record one region alone, nothing of them is sampled, and their functions have no windows. No pass is
//! to be made before it is over: what lies between belongs to no interval that counts. `control.rs` pauses and resumes.

use std::sync::atomic::Ordering;

use whyperf_layout::{Command, PAUSED_BY_DAEMON};

use crate::process::Process;
use crate::region::RegionMemory;

/// Whether the measurement is paused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pausing {
    /// It is not.
    #[default]
    Measuring,
    /// It was asked for since the last pass.
    Asked,
    /// It is, since before the last pass.
    Paused,
}

impl Pausing {
    /// A pass was made: whether what lies between it and the one before was paused as a whole. Who was forked by a process that was paused, and found
    /// after that, goes on, too.
    pub(crate) fn passed(&mut self, processes: &[Process]) -> bool {
        match self {
            Self::Measuring => {
                let is_left = |process: &&Process| process.stage.region().is_some_and(is_paused);
                processes.iter().filter(is_left).for_each(|one| one.order(Command::Resume));
                false
            }
            Self::Asked => {
                *self = Self::Paused;
                false
            }
            Self::Paused => true,
        }
    }
}

impl Process {
    /// Hands a command over, unless the process is being left.
    pub(crate) fn order(&self, command: Command) {
        if let Some(memory) = self.stage.region().filter(|_| !self.departure.has_begun())
            && memory.send(command).is_some()
        {
            memory.agent().wake();
        }
    }
}

/// Whether a process has paused because the daemon asked for it.
pub(crate) fn is_paused(region: &RegionMemory) -> bool {
    region.header().paused.load(Ordering::Relaxed) & PAUSED_BY_DAEMON != 0
}
