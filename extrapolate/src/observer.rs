//! The observer of a simulation, which hears of each stretch of each rank's time and of each message.

use crate::identity::{Bytes, Rank, RegionId};
use crate::time::SimTime;

/// What a rank does with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Activity {
    /// Computes.
    Compute,
    /// Sends, receives, or waits for messages.
    Message,
    /// Is in a collective call.
    Collective,
    /// Is in a barrier.
    Barrier,
    /// Accesses the memory of another rank.
    RemoteAccess,
    /// Answers requests of others while it would compute.
    Service,
    /// Could run, and another rank has its processor.
    ProcessorWait,
}

impl Activity {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Compute,
        Self::Message,
        Self::Collective,
        Self::Barrier,
        Self::RemoteAccess,
        Self::Service,
        Self::ProcessorWait,
    ];

    /// The word for it in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Message => "message",
            Self::Collective => "collective",
            Self::Barrier => "barrier",
            Self::RemoteAccess => "remote access",
            Self::Service => "service",
            Self::ProcessorWait => "processor wait",
        }
    }
}

/// Hears of what happens in a simulation. Stretches of one rank come in the order of time, and messages in the order of leaving.
pub trait Observer {
    /// A rank begins an event of its trace.
    fn event(&mut self, begun: EventBegin) {
        let _ = begun;
    }

    /// A rank did one thing for a while. The stretches of a rank follow each other without a gap.
    fn segment(&mut self, segment: Segment) {
        let _ = segment;
    }

    /// A message went from one rank to another; also those of collective calls and remote accesses.
    fn message(&mut self, message: MessageFlight) {
        let _ = message;
    }
}

/// The begin of an event of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventBegin {
    /// Whose.
    pub rank: Rank,
    /// In which region.
    pub region: RegionId,
    /// What it is.
    pub activity: Activity,
    /// When.
    pub time: SimTime,
}

/// A stretch of a rank's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Whose.
    pub rank: Rank,
    /// In which region.
    pub region: RegionId,
    /// What it did.
    pub activity: Activity,
    /// From when.
    pub start: SimTime,
    /// Until when.
    pub end: SimTime,
}

/// A message on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageFlight {
    /// Its sender.
    pub from: Rank,
    /// Its receiver.
    pub to: Rank,
    /// Its length.
    pub bytes: Bytes,
    /// When its sender handed it to the port.
    pub sent: SimTime,
    /// When its last byte was at the receiver's port.
    pub arrived: SimTime,
}

/// Observes nothing.
impl Observer for () {}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn event(&mut self, begun: EventBegin) {
        (**self).event(begun);
    }

    fn segment(&mut self, segment: Segment) {
        (**self).segment(segment);
    }

    fn message(&mut self, message: MessageFlight) {
        (**self).message(message);
    }
}
