//! Collective calls and barriers: each member enters, and then does its steps, or waits for all.

use std::collections::BTreeMap;

use crate::algorithm::{Member, Schedule, Step};
use crate::complaint::Complaint;
use crate::event::{Collective, CollectiveKind, Event};
use crate::identity::{Bytes, CommId, Rank, Tag};
use crate::machine::{Barrier, MessageUse};
use crate::observer::Observer;
use crate::time::SimTime;

use super::mailbox::{Context, Handle};
use super::rank_state::{Action, ActiveCall, Blocked, Outgoing};
use super::{Flow, Simulation};

/// The calls that some members have entered and others have not.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    open: BTreeMap<(CommId, u32), Meeting>,
}

#[derive(Debug)]
struct Meeting {
    /// What its first caller called; none for a barrier.
    kind: Option<CollectiveKind>,
    entered: u32,
    /// When each came, of a barrier without messages.
    arrivals: Vec<SimTime>,
}

/// What a member calls, of a call that is made of messages.
#[derive(Clone, Copy)]
struct Call {
    /// None for a barrier.
    kind: Option<CollectiveKind>,
    schedule: Schedule,
    /// The place of the root.
    root: u32,
    bytes: Bytes,
}

impl Call {
    const fn barrier(schedule: Schedule) -> Self {
        Self { kind: None, schedule, root: 0, bytes: Bytes(0) }
    }
}

impl<S: Iterator<Item = Event>, O: Observer> Simulation<'_, S, O> {
    pub(super) fn begin_collective(
        &mut self,
        rank: Rank,
        collective: Collective,
    ) -> Option<Action> {
        let Collective { kind, comm, root, bytes } = collective;
        let root_place = self.head.communicator(comm).and_then(|comm| comm.place(root));
        if root_place.is_none() && root != Rank::default() {
            self.complain(Complaint::NoSuchRank { rank, named: root });
        }
        let size = self.head.communicator(comm).map_or(0, |comm| comm.size());
        let algorithm = self.machine.collectives.algorithm(kind, bytes, size);
        let schedule = Schedule::Collective(kind, algorithm);
        let root = root_place.unwrap_or(0);
        self.enter(rank, comm, Call { kind: Some(kind), schedule, root, bytes });
        None
    }

    pub(super) fn begin_barrier(&mut self, rank: Rank, comm: CommId) -> Option<Action> {
        match self.machine.barrier {
            Barrier::Tree => self.enter(rank, comm, Call::barrier(Schedule::TreeBarrier)),
            Barrier::Dissemination => {
                self.enter(rank, comm, Call::barrier(Schedule::DisseminationBarrier));
            }
            Barrier::Linear(linear) if linear.messages == MessageUse::Messages => {
                self.enter(rank, comm, Call::barrier(Schedule::LinearBarrier(linear)));
            }
            Barrier::Hardware { .. } | Barrier::Linear(_) => {
                self.member(rank, comm)?;
                let call = self.rank(rank).next_call(comm);
                self.note_entry(rank, (comm, call), None);
                return Some(Action::Meet(comm));
            }
        }
        None
    }

    /// A member begins a call that is made of messages.
    fn enter(&mut self, rank: Rank, comm: CommId, entered: Call) {
        let Call { kind, schedule, root, bytes } = entered;
        let Some((place, size)) = self.member(rank, comm) else { return };
        let call = self.rank(rank).next_call(comm);
        self.note_entry(rank, (comm, call), kind);
        let member = Member { place, size, root, bytes };
        let context = Context { comm: comm.0, call };
        self.rank(rank).call = Some(ActiveCall { schedule, member, context, step: 0 });
    }

    /// The place of a rank in a communicator, and how many it has; says so if it is no member.
    fn member(&mut self, rank: Rank, comm: CommId) -> Option<(u32, u32)> {
        let communicator = self.head.communicator(comm);
        let found = communicator.and_then(|of| Some((of.place(rank)?, of.size())));
        if found.is_none() {
            self.complain(Complaint::NoSuchMember { rank, comm });
        }
        found
    }

    /// Compares what a member calls with what the first one called.
    fn note_entry(&mut self, rank: Rank, key: (CommId, u32), kind: Option<CollectiveKind>) {
        let size = self.head.communicator(key.0).map_or(0, |comm| comm.size());
        let new = || Meeting { kind, entered: 0, arrivals: Vec::new() };
        let meeting = self.meetings.open.entry(key).or_insert_with(new);
        meeting.entered += 1;
        let first = meeting.kind;
        // A barrier without messages needs it until all have come.
        if meeting.entered >= size && kind.is_some() {
            self.meetings.open.remove(&key);
        }
        if first != kind {
            let (comm, call) = key;
            self.complain(Complaint::Disagreement { comm, call, first, rank, other: kind });
        }
    }

    /// Plans the next step of the call that a rank is in; false if there is none.
    pub(super) fn plan_step(&mut self, rank: Rank) -> bool {
        let Some(call) = &mut self.ranks[rank.index()].call else { return false };
        let (context, step) = (call.context, call.schedule.step(call.member, call.step));
        call.step += 1;
        let Some(step) = step else {
            self.rank(rank).call = None;
            return false;
        };
        let head = self.head;
        let members = head.communicator(CommId(context.comm)).map_or(&[][..], |of| of.members());
        let named = |place: u32| members.get(place as usize).copied().unwrap_or(rank);
        let tag = Some(Tag(0));
        let send = |to, bytes, handle| {
            Action::Send(Outgoing { to: named(to), tag: Tag(0), context, bytes, handle })
        };
        let receive = |from| Action::Receive { from, tag, context, handle: Handle::Call };
        let combine = self.machine.collectives.combine_per_byte;
        match step {
            Step::Send(to, bytes) => self.rank(rank).plan.push_back(send(to, bytes, Handle::Call)),
            Step::Receive(from) => self.rank(rank).plan.push_back(receive(Some(named(from)))),
            Step::ReceiveAny => self.rank(rank).plan.push_back(receive(None)),
            Step::Combine(bytes) => {
                self.rank(rank).plan.push_back(Action::Busy(combine * bytes.0 as f64));
            }
            Step::Delay(time) => self.rank(rank).plan.push_back(Action::Busy(time)),
            Step::Exchange(to, from, bytes) => {
                self.open(rank, Handle::Exchange, Some(named(to)));
                let actions = [
                    send(to, bytes, Handle::Exchange),
                    receive(Some(named(from))),
                    Action::Await(Handle::Exchange),
                ];
                self.rank(rank).plan.extend(actions);
            }
        }
        true
    }

    /// A rank comes to a barrier without messages.
    pub(super) fn meet(&mut self, rank: Rank, comm: CommId) -> Flow {
        let call = self.rank(rank).calls_of(comm);
        let Some((place, size)) = self.member(rank, comm) else { return Flow::Goes };
        let now = self.now;
        if let Some(meeting) = self.meetings.open.get_mut(&(comm, call)) {
            meeting.arrivals.resize(size as usize, SimTime::ZERO);
            meeting.arrivals[place as usize] = now;
        }
        Flow::Blocks(Blocked::Meeting(comm, call))
    }

    /// Lets all go on when the last one has come.
    pub(super) fn wake_if_met(&mut self, blocked: Blocked) {
        let Blocked::Meeting(comm, call) = blocked else { return };
        let head = self.head;
        let Some(communicator) = head.communicator(comm) else { return };
        let is_met = |meeting: &Meeting| meeting.entered >= communicator.size();
        if !self.meetings.open.get(&(comm, call)).is_some_and(is_met) {
            return;
        }
        let Some(meeting) = self.meetings.open.remove(&(comm, call)) else { return };
        let exits = match self.machine.barrier {
            Barrier::Linear(linear) => linear.exits(&meeting.arrivals),
            Barrier::Hardware { time } => {
                let last = meeting.arrivals.iter().copied().max().unwrap_or_default();
                vec![last + time; meeting.arrivals.len()]
            }
            Barrier::Tree | Barrier::Dissemination => return,
        };
        for (member, exit) in communicator.members().iter().zip(exits) {
            self.wake(*member, exit);
        }
    }
}
