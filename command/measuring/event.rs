//! The events that can happen while a program is watched.

use std::process::ExitStatus;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchEvent {
    /// The terminal told its whole foreground group to stop, or somebody a whole group; the program got it, too.
    Interrupted,
    /// A signal that was sent to whyperf alone, as far as anybody can know, and that the program should get.
    PassOn(i32),
    /// A signal that somebody sent to the program as well.
    SentToAll(i32),
    /// A stopped job goes on. Open MPI's launcher wakes a job in this way a second before it ends it by force.
    Resumed,
    /// The search is to pause, or to go on: a key, or a signal.
    Pause,
    /// A phase is to begin.
    Phase,
    /// A report of what is known by now is wanted.
    Report,
    /// The page has a command.
    Asked,
    /// The program has ended, which is our child.
    Ended,
    /// Somebody else's program has ended; in this way, if anybody tells.
    Gone(Option<ExitStatus>),
}

impl WatchEvent {
    /// Whether it is a signal by which somebody wants all of it to end.
    pub(crate) const fn asks_for_end(self) -> bool {
        match self {
            Self::Interrupted => true,
            Self::PassOn(signal) | Self::SentToAll(signal) => {
                matches!(signal, SIGINT | SIGQUIT | SIGHUP | SIGTERM)
            }
            _ => false,
        }
    }
}
