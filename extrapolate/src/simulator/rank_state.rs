//! Where a rank stands: what it does, what its current call still has to do, its requests and its messages.

use std::collections::VecDeque;

use crate::algorithm::{Member, Schedule};
use crate::event::RemoteAccess;
use crate::identity::{Bytes, CommId, Rank, RegionId, Tag};
use crate::observer::Activity;
use crate::outcome::RankOutcome;
use crate::simulator::mailbox::{Context, Handle, Mailbox};
use crate::time::SimTime;

/// What a rank does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// It has its processor.
    Running,
    /// It will go on at a time that is known.
    Waking,
    /// It could go on and has no processor; what that time counts as.
    Ready(Activity),
    /// It waits for others.
    Blocked(Blocked),
    /// Its trace is over.
    Ended,
}

/// What a rank waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocked {
    /// Its message of a blocking call.
    Receive,
    /// A receiver of its blocking send.
    Send(Rank),
    /// A request.
    Request(Handle),
    /// The members of a communicator.
    Meeting(CommId, u32),
    /// Data of another rank.
    Answer(Rank),
}

/// Part of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    /// Takes the processor for so long.
    Busy(SimTime),
    /// Computes for so long on the machine of the trace.
    Compute(SimTime),
    /// Begins to send: pays the overhead, and then posts.
    Send(Outgoing),
    /// Hands a message to the port.
    Post(Outgoing),
    /// Posts a receive, and waits for it if it is of the call.
    Receive { from: Option<Rank>, tag: Option<Tag>, context: Context, handle: Handle },
    /// Waits for a request.
    Await(Handle),
    /// Begins an access: pays the overhead, and then asks.
    Access(RemoteAccess, AccessKind),
    /// Sends the request and waits for its answer.
    Ask(RemoteAccess, AccessKind),
    /// Comes to a meeting without messages.
    Meet(CommId),
}

/// The two ways of using the memory of another rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessKind {
    Get,
    Put,
}

/// A message that a rank sends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outgoing {
    pub(super) to: Rank,
    pub(super) tag: Tag,
    pub(super) context: Context,
    pub(super) bytes: Bytes,
    pub(super) handle: Handle,
}

/// A request that was started and not waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenRequest {
    pub(super) handle: Handle,
    /// `None` as long as its end is not known.
    pub(super) done: Option<Completion>,
    /// To whom, if it is a send.
    pub(super) to: Option<Rank>,
}

/// The end of a call or request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Completion {
    /// When it is complete.
    pub(super) ready: SimTime,
    /// For how long the processor then works for it.
    pub(super) overhead: SimTime,
}

impl Completion {
    /// One that the processor has nothing to do for.
    pub(super) const fn free(ready: SimTime) -> Self {
        Self { ready, overhead: SimTime::ZERO }
    }
}

/// A collective call that a rank is in.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActiveCall {
    pub(super) schedule: Schedule,
    pub(super) member: Member,
    pub(super) context: Context,
    pub(super) step: u32,
}

/// One rank.
#[derive(Debug)]
pub(super) struct RankState {
    pub(super) processor: u32,
    pub(super) status: Status,
    /// Up to when its time is accounted for.
    pub(super) clock: SimTime,
    pub(super) region: RegionId,
    pub(super) activity: Activity,
    pub(super) plan: VecDeque<Action>,
    pub(super) call: Option<ActiveCall>,
    pub(super) requests: Vec<OpenRequest>,
    pub(super) mailbox: Mailbox,
    /// How many collective calls it has begun, by communicator.
    pub(super) calls: Vec<(CommId, u32)>,
    pub(super) outcome: RankOutcome,
}

impl RankState {
    pub(super) fn new(processor: u32) -> Self {
        Self {
            processor,
            status: Status::Waking,
            clock: SimTime::ZERO,
            region: RegionId::default(),
            activity: Activity::Compute,
            plan: VecDeque::new(),
            call: None,
            requests: Vec::new(),
            mailbox: Mailbox::default(),
            calls: Vec::new(),
            outcome: RankOutcome::default(),
        }
    }

    /// The number of its next collective call of a communicator, from 1 on.
    pub(super) fn next_call(&mut self, comm: CommId) -> u32 {
        let known = self.calls.iter_mut().find(|(known, _)| *known == comm);
        match known {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                self.calls.push((comm, 1));
                1
            }
        }
    }

    /// How many collective calls of a communicator it has begun.
    pub(super) fn calls_of(&self, comm: CommId) -> u32 {
        self.calls.iter().find(|(known, _)| *known == comm).map_or(0, |(_, count)| *count)
    }
}
