//! Accesses to the memory of other ranks: requests, how their owners answer them, and answers.

use crate::event::{Event, RemoteAccess};
use crate::identity::{Bytes, Rank};
use crate::observer::Observer;

use super::queue::Happening;
use super::rank_state::{AccessKind, Action, Blocked};
use super::{Flow, Simulation};

/// An access on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct RemoteCall {
    from: Rank,
    owner: Rank,
    request: Bytes,
    answer: Bytes,
}

impl<S: Iterator<Item = Event>, O: Observer> Simulation<'_, S, O> {
    /// Begins an access; none where the memory is of the same processor.
    pub(super) fn access(
        &mut self,
        rank: Rank,
        access: RemoteAccess,
        kind: AccessKind,
    ) -> Option<Action> {
        if !self.knows(rank, access.owner) {
            return None;
        }
        let own = self.rank(rank).processor;
        (self.rank(access.owner).processor != own).then_some(Action::Access(access, kind))
    }

    pub(super) fn begin_access(
        &mut self,
        rank: Rank,
        access: RemoteAccess,
        kind: AccessKind,
    ) -> Flow {
        let [request, _] = self.sizes(access, kind);
        self.rank(rank).plan.push_front(Action::Ask(access, kind));
        Flow::Takes(self.figures(rank, access.owner, request).send_overhead)
    }

    /// The sizes of request and answer.
    fn sizes(&self, access: RemoteAccess, kind: AccessKind) -> [Bytes; 2] {
        let model = &self.machine.remote_access;
        let data = Bytes(access.bytes.0.saturating_add(model.header.0));
        match kind {
            AccessKind::Get => [model.request, data],
            AccessKind::Put => [data, model.request],
        }
    }

    pub(super) fn ask(&mut self, rank: Rank, access: RemoteAccess, kind: AccessKind) -> Flow {
        let [request, answer] = self.sizes(access, kind);
        let owner = access.owner;
        let flight = self.carry(rank, owner, request);
        let call = RemoteCall { from: rank, owner, request, answer };
        let number = self.remote_calls.insert(call);
        let count = self.remote_calls.len() as u64;
        self.outcome.most_in_flight = self.outcome.most_in_flight.max(count);
        self.queue.push(flight.arrived, Happening::Request(number));
        Flow::Blocks(Blocked::Answer(owner))
    }

    pub(super) fn request_arrives(&mut self, number: u64) {
        let Some(owner) = self.remote_calls.get(number).map(|call| call.owner) else { return };
        let (now, policy) = (self.now, self.machine.processors.service);
        let processor = self.processor(owner);
        match processor.takes_up(now, policy) {
            Some(start) => self.answer(number, start),
            None => processor.inbox.push_back(number),
        }
    }

    /// The owner answers from this time on.
    pub(super) fn answer(&mut self, number: u64, start: crate::time::SimTime) {
        let Some(call) = self.remote_calls.get(number).copied() else { return };
        let RemoteCall { from, owner, request, answer } = call;
        let taken = self.figures(from, owner, request).receive_overhead;
        let given = self.figures(owner, from, answer).send_overhead;
        let length = taken + self.machine.remote_access.service + given;
        let done = self.processor(owner).serve(start, length);
        self.queue.push(done, Happening::Reply(number));
    }

    pub(super) fn reply_leaves(&mut self, number: u64) {
        let Some(call) = self.remote_calls.remove(number) else { return };
        let RemoteCall { from, owner, answer, .. } = call;
        let flight = self.carry(owner, from, answer);
        let overhead = self.figures(owner, from, answer).receive_overhead;
        self.rank(from).plan.push_front(Action::Busy(overhead));
        self.wake(from, flight.arrived);
    }
}
