//! Messages between ranks: sending, receiving, requests; eager ones at once, and others when their receiver is there.

use crate::complaint::Complaint;
use crate::event::{Event, Expected, Sent};
use crate::identity::{Bytes, CommId, Rank, RequestId};
use crate::observer::{MessageFlight, Observer};
use crate::time::SimTime;

use super::mailbox::{Context, Handle, Message, MessageState, Receive};
use super::ports::Flight;
use super::queue::Happening;
use super::rank_state::{Action, Blocked, Completion, OpenRequest, Outgoing, Status};
use super::{Flow, Simulation};

/// An announced message whose receiver is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    from: Rank,
    to: Rank,
    bytes: Bytes,
    sender: Handle,
    receive: Receive,
}

impl<S: Iterator<Item = Event>, O: Observer> Simulation<'_, S, O> {
    pub(super) fn send(&mut self, rank: Rank, sent: Sent, handle: Handle) -> Option<Action> {
        let Sent { to, tag, comm, bytes } = sent;
        if !self.knows(rank, to) || !self.has_communicator(rank, comm) {
            return None;
        }
        if handle != Handle::Call {
            self.open(rank, handle, Some(to));
        }
        let context = Context { comm: comm.0, call: 0 };
        Some(Action::Send(Outgoing { to, tag, context, bytes, handle }))
    }

    pub(super) fn receive(
        &mut self,
        rank: Rank,
        expected: Expected,
        handle: Handle,
    ) -> Option<Action> {
        let Expected { from, tag, comm } = expected;
        let is_known = from.is_none_or(|from| self.knows(rank, from));
        if !is_known || !self.has_communicator(rank, comm) {
            return None;
        }
        if !matches!(handle, Handle::Call | Handle::Named(RequestId::UNHEEDED)) {
            self.open(rank, handle, None);
        }
        Some(Action::Receive { from, tag, context: Context { comm: comm.0, call: 0 }, handle })
    }

    pub(super) fn open(&mut self, rank: Rank, handle: Handle, to: Option<Rank>) {
        self.rank(rank).requests.push(OpenRequest { handle, done: None, to });
    }

    fn has_communicator(&mut self, rank: Rank, comm: CommId) -> bool {
        let is_known = self.head.communicator(comm).is_some();
        if !is_known {
            self.complain(Complaint::NoSuchMember { rank, comm });
        }
        is_known
    }

    pub(super) fn post(&mut self, rank: Rank, outgoing: Outgoing) -> Flow {
        let Outgoing { to, tag, context, bytes, handle } = outgoing;
        let path = [rank, to].map(|rank| self.ranks[rank.index()].processor);
        let figures = self.ports.figures(path[0], path[1]);
        let range = figures.range(bytes);
        if figures.is_rendezvous(bytes) {
            let at = self.now + range.latency;
            let state = MessageState::Announced { at, sender: handle };
            self.deliver(to, Message { from: rank, tag, context, bytes, state });
            return match handle {
                Handle::Call => Flow::Blocks(Blocked::Send(to)),
                Handle::Exchange | Handle::Named(_) => Flow::Goes,
            };
        }
        let flight = self.carry(rank, to, bytes);
        let state = MessageState::Sent(flight);
        self.deliver(to, Message { from: rank, tag, context, bytes, state });
        if handle != Handle::Call {
            self.complete(rank, handle, Completion::free(self.now));
        }
        Flow::Takes(range.overhead_per_byte * bytes.after_first())
    }

    /// A message goes over ports and links now.
    pub(super) fn carry(&mut self, from: Rank, to: Rank, bytes: Bytes) -> Flight {
        let path = [from, to].map(|rank| self.ranks[rank.index()].processor);
        let flight = self.ports.carry(self.now, path, bytes);
        self.outcome.messages += 1;
        self.outcome.bytes += bytes.0;
        let (sent, arrived) = (self.now, flight.arrived);
        self.observer.message(MessageFlight { from, to, bytes, sent, arrived });
        flight
    }

    fn deliver(&mut self, to: Rank, message: Message) {
        let Some(receive) = self.rank(to).mailbox.deliver(message) else {
            let waiting = self.rank(to).mailbox.len() as u64;
            self.outcome.most_in_flight = self.outcome.most_in_flight.max(waiting);
            return;
        };
        match message.state {
            MessageState::Sent(flight) => {
                let done = self.done(message.from, to, message.bytes, flight, receive.posted);
                self.complete(to, receive.handle, done);
            }
            MessageState::Announced { .. } => self.plan_transfer(to, message, receive),
        }
    }

    pub(super) fn post_receive(&mut self, rank: Rank, receive: Receive) -> Flow {
        let is_call = receive.handle == Handle::Call;
        let Some(message) = self.rank(rank).mailbox.post(receive) else {
            return if is_call { Flow::Blocks(Blocked::Receive) } else { Flow::Goes };
        };
        match message.state {
            MessageState::Sent(flight) => {
                let done = self.done(message.from, rank, message.bytes, flight, receive.posted);
                if is_call {
                    return self.finish_at(rank, done);
                }
                self.complete(rank, receive.handle, done);
                Flow::Goes
            }
            MessageState::Announced { .. } => {
                self.plan_transfer(rank, message, receive);
                if is_call { Flow::Blocks(Blocked::Receive) } else { Flow::Goes }
            }
        }
    }

    /// When a message is there for a receive, and what the processor then has to do for it.
    fn done(
        &self,
        from: Rank,
        to: Rank,
        bytes: Bytes,
        flight: Flight,
        posted: SimTime,
    ) -> Completion {
        let range = self.figures(from, to, bytes);
        let copied = posted.max(flight.began) + range.overhead_per_byte * bytes.after_first();
        Completion { ready: flight.arrived.max(copied), overhead: range.receive_overhead }
    }

    /// The data of an announced message leaves when the answer of its receiver is back.
    fn plan_transfer(&mut self, to: Rank, message: Message, receive: Receive) {
        let MessageState::Announced { at, sender } = message.state else { return };
        let Message { from, bytes, .. } = message;
        let latency = self.figures(from, to, bytes).latency;
        let start = at.max(receive.posted) + latency;
        let number = self.transfers.insert(Transfer { from, to, bytes, sender, receive });
        let count = self.transfers.len() as u64;
        self.outcome.most_in_flight = self.outcome.most_in_flight.max(count);
        self.queue.push(start, Happening::Transfer(number));
    }

    pub(super) fn start_transfer(&mut self, number: u64) {
        let Some(transfer) = self.transfers.remove(number) else { return };
        let Transfer { from, to, bytes, sender, receive } = transfer;
        let flight = self.carry(from, to, bytes);
        self.complete(from, sender, Completion::free(flight.left));
        let done = self.done(from, to, bytes, flight, self.now);
        self.complete(to, receive.handle, done);
    }

    /// A call or request of a rank is complete at a time, and its processor then has something to do for it.
    fn complete(&mut self, rank: Rank, handle: Handle, done: Completion) {
        let state = self.rank(rank);
        if handle != Handle::Call {
            let is_open =
                |request: &OpenRequest| request.handle == handle && request.done.is_none();
            let Some(at) = state.requests.iter().position(is_open) else { return };
            if state.status != Status::Blocked(Blocked::Request(handle)) {
                state.requests[at].done = Some(done);
                return;
            }
            state.requests.swap_remove(at);
        }
        let Completion { ready, overhead } = done;
        state.plan.push_front(Action::Busy(overhead));
        self.wake(rank, ready);
    }

    pub(super) fn await_request(&mut self, rank: Rank, handle: Handle) -> Flow {
        let state = self.rank(rank);
        let Some(at) = state.requests.iter().position(|request| request.handle == handle) else {
            if let Handle::Named(request) = handle {
                self.complain(Complaint::NoSuchRequest { rank, request });
            }
            return Flow::Goes;
        };
        match state.requests[at].done {
            None => Flow::Blocks(Blocked::Request(handle)),
            Some(done) => {
                state.requests.swap_remove(at);
                self.finish_at(rank, done)
            }
        }
    }

    /// A rank waits until a known time, and then its processor has something to do.
    fn finish_at(&mut self, rank: Rank, done: Completion) -> Flow {
        let Completion { ready, overhead } = done;
        if ready <= self.now {
            return Flow::Takes(overhead);
        }
        self.rank(rank).plan.push_front(Action::Busy(overhead));
        Flow::Sleeps(ready)
    }
}
