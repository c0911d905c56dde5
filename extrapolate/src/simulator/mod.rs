//! The simulation: runs the trace of each rank on a machine, and says how long that takes.
//!
//! ```text
//!   EventQueue ── earliest ──►  a rank goes on: its next events, as long as nothing else comes first
//!       ▲                       a message leaves, a request arrives: ports, links, mailboxes, processors
//!       └───────────────────────┘ what follows from it, never earlier than now
//! ```
//!
//! **Everything that ranks share is used in the order of simulated time**, so that a port or a processor goes to who comes first. A
//! rank computes ahead of the others only up to what happens next anywhere. A rank has at most one entry in the queue, and an event is
//! read from its trace when the rank is there: memory holds what is in flight, and nothing else.
//!
//! The same trace and machine give the same result, to the bit.

mod deadlock;
mod in_flight;
mod mailbox;
mod meetings;
mod messages;
mod ports;
mod processor;
mod queue;
mod rank_state;
mod remote;
mod scheduling;

use crate::complaint::Complaint;
use crate::event::Event;
use crate::identity::{Bytes, Rank, RegionId};
use crate::machine::{Machine, Processors, SizeRange};
use crate::observer::{Activity, EventBegin, Observer};
use crate::outcome::Outcome;
use crate::time::SimTime;
use crate::trace::TraceHead;

use in_flight::InFlight;
use mailbox::Handle;
use meetings::Meetings;
use messages::Transfer;
use ports::Ports;
use processor::{Processor, Turn};
use queue::{EventQueue, Happening};
use rank_state::{AccessKind, Action, Blocked, RankState, Status};
use remote::RemoteCall;

/// Simulates a trace on a machine: one iterator of events for each rank. Ranks without one have no events.
pub fn simulate<S, O>(
    head: &TraceHead,
    streams: Vec<S>,
    machine: &Machine,
    observer: &mut O,
) -> Outcome
where
    S: Iterator<Item = Event>,
    O: Observer,
{
    let mut simulation = Simulation::new(head, streams, machine, observer);
    simulation.run();
    simulation.outcome()
}

struct Simulation<'a, S, O> {
    head: &'a TraceHead,
    machine: &'a Machine,
    /// By what computing is multiplied, by region.
    factors: Vec<f64>,
    streams: Vec<S>,
    observer: &'a mut O,
    now: SimTime,
    queue: EventQueue,
    ranks: Vec<RankState>,
    processors: Vec<Processor>,
    ports: Ports<'a>,
    transfers: InFlight<Transfer>,
    remote_calls: InFlight<RemoteCall>,
    meetings: Meetings,
    outcome: Outcome,
}

/// What an action means for its rank.
enum Flow {
    /// It took no time.
    Goes,
    /// It takes the processor for so long.
    Takes(SimTime),
    /// It waits until then.
    Sleeps(SimTime),
    /// It waits for others.
    Blocks(Blocked),
}

impl<'a, S: Iterator<Item = Event>, O: Observer> Simulation<'a, S, O> {
    fn new(
        head: &'a TraceHead,
        streams: Vec<S>,
        machine: &'a Machine,
        observer: &'a mut O,
    ) -> Self {
        let count = machine.processors.count_for(head.ranks());
        let state = |rank| RankState::new(Processors::of(rank, head.ranks(), count));
        Self {
            head,
            machine,
            factors: machine.processors.factors(head.regions()),
            streams,
            observer,
            now: SimTime::ZERO,
            queue: EventQueue::default(),
            ranks: head.all_ranks().map(state).collect(),
            processors: (0..count).map(|_| Processor::default()).collect(),
            ports: Ports::new(machine, count),
            transfers: InFlight::default(),
            remote_calls: InFlight::default(),
            meetings: Meetings::default(),
            outcome: Outcome { processors: count, ..Outcome::default() },
        }
    }

    fn run(&mut self) {
        for rank in self.head.all_ranks() {
            self.queue.push(SimTime::ZERO, Happening::Rank(rank));
        }
        while let Some((time, happening)) = self.queue.pop() {
            self.now = time;
            match happening {
                Happening::Rank(rank) => self.go_on(rank),
                Happening::Transfer(number) => self.start_transfer(number),
                Happening::Request(number) => self.request_arrives(number),
                Happening::Reply(number) => self.reply_leaves(number),
            }
        }
    }

    /// The turn of a rank is over, or what it waited for is there.
    fn go_on(&mut self, rank: Rank) {
        match self.rank(rank).status {
            Status::Running => {
                let Turn { end, .. } = self.processor(rank).turn;
                if end > self.now {
                    return self.queue.push(end, Happening::Rank(rank));
                }
                self.end_turn(rank);
            }
            Status::Waking => {
                let activity = self.rank(rank).activity;
                self.account(rank, activity, self.now);
                if !self.takes_processor(rank) {
                    return;
                }
            }
            Status::Ready(activity) => {
                self.account(rank, activity, self.now);
                if !self.takes_processor(rank) {
                    return;
                }
            }
            Status::Blocked(_) | Status::Ended => return,
        }
        self.execute(rank);
    }

    /// Does what comes next, until that takes time in which something else comes first.
    fn execute(&mut self, rank: Rank) {
        loop {
            let Some(action) = self.next_action(rank) else {
                let state = self.rank(rank);
                state.status = Status::Ended;
                state.outcome.end = state.clock;
                return self.leave_processor(rank);
            };
            match self.perform(rank, action) {
                Flow::Goes => {}
                Flow::Takes(span) if span.is_zero() => {}
                Flow::Takes(span) => {
                    let end = self.now + span;
                    self.processor(rank).turn = Turn::new(self.now, end);
                    if !self.queue.is_first(end, Happening::Rank(rank)) {
                        return self.queue.push(end, Happening::Rank(rank));
                    }
                    self.now = end;
                    self.end_turn(rank);
                }
                Flow::Sleeps(until) => {
                    self.wake(rank, until);
                    return self.leave_processor(rank);
                }
                Flow::Blocks(blocked) => {
                    self.rank(rank).status = Status::Blocked(blocked);
                    self.leave_processor(rank);
                    return self.wake_if_met(blocked);
                }
            }
        }
    }

    fn next_action(&mut self, rank: Rank) -> Option<Action> {
        loop {
            if let Some(action) = self.rank(rank).plan.pop_front() {
                return Some(action);
            }
            if self.plan_step(rank) {
                continue;
            }
            let event = self.streams.get_mut(rank.index())?.next()?;
            self.outcome.events += 1;
            if let Some(action) = self.begin(rank, event) {
                return Some(action);
            }
        }
    }

    /// The first action of an event; none where it plans several, or is wrong.
    fn begin(&mut self, rank: Rank, event: Event) -> Option<Action> {
        let activity = match event {
            Event::Compute { .. } => Activity::Compute,
            Event::Collective(_) => Activity::Collective,
            Event::Barrier(_) => Activity::Barrier,
            Event::Get(_) | Event::Put(_) => Activity::RemoteAccess,
            _ => Activity::Message,
        };
        self.rank(rank).activity = activity;
        if let Event::Compute { region, .. } = event {
            let most = u32::try_from(self.head.regions().len()).unwrap_or(u32::MAX);
            self.rank(rank).region = RegionId(region.0.min(most));
        }
        let RankState { region, clock, .. } = self.ranks[rank.index()];
        self.observer.event(EventBegin { rank, region, activity, time: clock });
        match event {
            Event::Compute { span, .. } => Some(Action::Compute(span)),
            Event::Send(sent) => self.send(rank, sent, Handle::Call),
            Event::Isend(sent, request) => self.send(rank, sent, Handle::Named(request)),
            Event::Recv(expected) => self.receive(rank, expected, Handle::Call),
            Event::Irecv(expected, request) => self.receive(rank, expected, Handle::Named(request)),
            Event::Wait(request) => Some(Action::Await(Handle::Named(request))),
            Event::Collective(collective) => self.begin_collective(rank, collective),
            Event::Barrier(comm) => self.begin_barrier(rank, comm),
            Event::Get(access) => self.access(rank, access, AccessKind::Get),
            Event::Put(access) => self.access(rank, access, AccessKind::Put),
        }
    }

    fn perform(&mut self, rank: Rank, action: Action) -> Flow {
        match action {
            Action::Busy(span) => Flow::Takes(span),
            Action::Compute(span) => Flow::Takes(self.computing(rank, span)),
            Action::Send(outgoing) => {
                let overhead = self.figures(rank, outgoing.to, outgoing.bytes).send_overhead;
                self.rank(rank).plan.push_front(Action::Post(outgoing));
                Flow::Takes(overhead)
            }
            Action::Post(outgoing) => self.post(rank, outgoing),
            Action::Receive { from, tag, context, handle } => {
                let posted = self.now;
                self.post_receive(rank, mailbox::Receive { from, tag, context, posted, handle })
            }
            Action::Await(handle) => self.await_request(rank, handle),
            Action::Access(access, kind) => self.begin_access(rank, access, kind),
            Action::Ask(access, kind) => self.ask(rank, access, kind),
            Action::Meet(comm) => self.meet(rank, comm),
        }
    }

    fn rank(&mut self, rank: Rank) -> &mut RankState {
        &mut self.ranks[rank.index()]
    }

    /// The processor of a rank.
    fn processor(&mut self, rank: Rank) -> &mut Processor {
        let processor = self.ranks[rank.index()].processor;
        &mut self.processors[processor as usize]
    }

    /// The figures of messages of this length from one rank to another.
    fn figures(&self, from: Rank, to: Rank, bytes: Bytes) -> SizeRange {
        let [from, to] = [from, to].map(|rank| self.ranks[rank.index()].processor);
        self.ports.figures(from, to).range(bytes)
    }

    /// Whether the trace has such a rank; says so if not.
    fn knows(&mut self, rank: Rank, named: Rank) -> bool {
        let is_known = named.0 < self.head.ranks();
        if !is_known {
            self.complain(Complaint::NoSuchRank { rank, named });
        }
        is_known
    }

    fn complain(&mut self, complaint: Complaint) {
        if self.outcome.complaints.len() < MOST_COMPLAINTS {
            self.outcome.complaints.push(complaint);
        } else {
            self.outcome.more_complaints += 1;
        }
    }

    fn outcome(mut self) -> Outcome {
        self.explain_waits();
        self.explain_messages();
        for state in &mut self.ranks {
            state.outcome.end = state.clock;
        }
        let mut outcome = self.outcome;
        outcome.ranks = self.ranks.into_iter().map(|state| state.outcome).collect();
        outcome.elapsed = outcome.ranks.iter().map(|rank| rank.end).max().unwrap_or_default();
        outcome
    }
}

/// Complaints that are kept; of the others only how many there were.
const MOST_COMPLAINTS: usize = 100;
