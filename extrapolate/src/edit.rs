//! A trace with something changed in it: a region that computes faster, calls that are not there, or waits that are over at once.
//!
//! What becomes faster does so on the machine ([`Edit::machine`]); calls are left out of the events ([`Edit::events`]). A barrier or a collective
//! call can be left out because nothing is known of what it is for. A message cannot, because its receiver needs it: but the receiver can go on as
//! if it had been there when it was wanted. It is received all the same, so that others match what they matched, and its sender waits no longer.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::{CollectiveKind, Event};
use crate::identity::{Rank, RegionId, RequestId};
use crate::machine::Machine;
use crate::time::SimTime;

/// What is changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edit {
    /// By what computing is multiplied, by region.
    pub factors: BTreeMap<String, f64>,
    /// What is left out.
    pub without: Vec<LeftOut>,
}

/// Something that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What.
    pub what: EventKind,
    /// That of this region alone.
    pub region: Option<RegionId>,
    /// That of this rank alone. Calls of several ranks are left out for all of them.
    pub rank: Option<Rank>,
}

impl LeftOut {
    /// All of a kind.
    #[must_use]
    pub const fn all(what: EventKind) -> Self {
        Self { what, region: None, rank: None }
    }

    fn is_of(&self, rank: Rank, region: RegionId) -> bool {
        let is_shared = !matches!(self.what, EventKind::Computing | EventKind::Receives);
        self.region.is_none_or(|one| one == region)
            && self.rank.is_none_or(|one| is_shared || one == rank)
    }
}

/// A kind of events that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Barriers.
    Barrier,
    /// Collective calls that move data, of any kind.
    AnyCollective,
    /// Those of a kind.
    Collective(CollectiveKind),
    /// Waiting for messages: they are there when they are wanted.
    Receives,
    /// Computing: it takes no time.
    Computing,
}

impl EventKind {
    fn includes(self, event: &Event) -> bool {
        match (self, event) {
            (Self::Barrier, Event::Barrier(_))
            | (Self::AnyCollective, Event::Collective(_))
            | (Self::Receives, Event::Recv(_) | Event::Irecv(..))
            | (Self::Computing, Event::Compute { .. }) => true,
            (Self::Collective(kind), Event::Collective(call)) => call.kind == kind,
            _ => false,
        }
    }
}

impl Edit {
    /// The machine on which the regions take as long as they should.
    #[must_use]
    pub fn machine(&self, machine: &Machine) -> Machine {
        let mut machine = machine.clone();
        let processors = &mut machine.processors;
        for (region, factor) in &self.factors {
            let ratio = processors.region_ratios.get(region).copied();
            let ratio = ratio.unwrap_or(processors.cpu_ratio) / factor;
            processors.region_ratios.insert(region.clone(), ratio);
        }
        machine
    }

    /// The events of a rank without what is left out.
    pub fn events<'e>(
        &'e self,
        rank: Rank,
        events: impl Iterator<Item = Event> + 'e,
    ) -> impl Iterator<Item = Event> + 'e {
        let mut current = RegionId::default();
        let mut unheeded = BTreeSet::new();
        events.filter_map(move |event| {
            if let Event::Compute { region, .. } = event {
                current = region;
            }
            let is_meant = |out: &&LeftOut| out.what.includes(&event) && out.is_of(rank, current);
            let is_left_out = self.without.iter().find(is_meant).is_some();
            match event {
                Event::Wait(request) if unheeded.remove(&request) => None,
                _ if !is_left_out => Some(event),
                Event::Compute { region, .. } => {
                    Some(Event::Compute { region, span: SimTime::ZERO })
                }
                Event::Recv(expected) => Some(Event::Irecv(expected, RequestId::UNHEEDED)),
                Event::Irecv(expected, request) => {
                    unheeded.insert(request);
                    Some(Event::Irecv(expected, RequestId::UNHEEDED))
                }
                _ => None,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Edit, EventKind, LeftOut};
    use crate::event::{Collective, CollectiveKind, Event, Expected, Sent};
    use crate::identity::{Bytes, CommId, Rank, RegionId, RequestId, Tag};
    use crate::machine::Machine;
    use crate::simulator::simulate;
    use crate::time::SimTime;
    use crate::trace::TraceHead;

    #[test]
    fn a_faster_region_and_calls_that_are_left_out() {
        let mut head = TraceHead::new(1);
        let [one, other] = ["one", "other"].map(|name| head.name_region(name));
        let compute = |region| Event::Compute { region, span: SimTime::micros(10.0) };
        let (kind, comm, root) = (CollectiveKind::Scan, CommId::WORLD, Rank(0));
        let scan = Event::Collective(Collective { kind, comm, root, bytes: Bytes(1) });
        let barrier = Event::Barrier(comm);
        let events = [compute(one), barrier, scan, compute(other), barrier];
        let left = |edit: &Edit| edit.events(Rank(0), events.into_iter()).collect::<Vec<_>>();
        let without = |what, region| {
            let out = LeftOut { region, ..LeftOut::all(what) };
            Edit { without: vec![out], ..Edit::default() }
        };
        assert_eq!(left(&Edit::default()), events);
        assert_eq!(
            left(&without(EventKind::Barrier, Some(other))),
            [compute(one), barrier, scan, compute(other)]
        );
        assert_eq!(left(&without(EventKind::AnyCollective, None)).len(), 4);
        assert_eq!(left(&without(EventKind::Collective(CollectiveKind::Reduce), None)), events);
        let factors = [("one".to_owned(), 0.5), ("other".to_owned(), 0.0)].into();
        let edit = Edit { factors, ..Edit::default() };
        let mut machine = Machine::ideal();
        machine.processors.cpu_ratio = 2.0;
        let outcome = simulate(&head, vec![events.into_iter()], &edit.machine(&machine), &mut ());
        assert_eq!(outcome.elapsed, SimTime::micros(2.5));
    }

    /// Rank 0 computes, sends, and computes; rank 1 waits for it, computes, and answers, by a request if it is told so.
    fn elapsed(edit: &Edit, by_request: bool) -> SimTime {
        let compute =
            |micros| Event::Compute { region: RegionId::default(), span: SimTime::micros(micros) };
        let (tag, comm, bytes) = (Tag(0), CommId::WORLD, Bytes(8));
        let send = |to| Event::Send(Sent { to: Rank(to), tag, comm, bytes });
        let expected = |from| Expected { from: Some(Rank(from)), tag: Some(tag), comm };
        let request = RequestId(3);
        let receive = match by_request {
            true => vec![Event::Irecv(expected(0), request), Event::Wait(request)],
            false => vec![Event::Recv(expected(0))],
        };
        let first = vec![compute(10.0), send(1), Event::Recv(expected(1)), compute(4.0)];
        let second = [receive, vec![compute(5.0), send(0)]].concat();
        let mut head = TraceHead::new(2);
        head.name_region("work");
        let streams = [first, second].into_iter().zip([Rank(0), Rank(1)]);
        let streams = streams.map(|(events, rank)| edit.events(rank, events.into_iter()));
        let outcome = simulate(&head, streams.collect(), &Machine::ideal(), &mut ());
        assert!(outcome.complaints.is_empty(), "{:?}", outcome.complaints);
        outcome.elapsed
    }

    #[test]
    fn a_message_is_there_when_it_is_wanted() {
        let of = |rank| {
            let out = LeftOut { rank, ..LeftOut::all(EventKind::Receives) };
            Edit { without: vec![out], ..Edit::default() }
        };
        for by_request in [false, true] {
            let took = |edit: &Edit| elapsed(edit, by_request);
            assert_eq!(took(&Edit::default()), SimTime::micros(19.0));
            assert_eq!(took(&of(None)), SimTime::micros(14.0));
            assert_eq!(took(&of(Some(Rank(0)))), SimTime::micros(15.0));
            assert_eq!(took(&of(Some(Rank(1)))), SimTime::micros(14.0));
        }
    }

    #[test]
    fn computing_of_a_rank_takes_no_time() {
        let out = LeftOut { rank: Some(Rank(1)), ..LeftOut::all(EventKind::Computing) };
        let edit = Edit { without: vec![out], ..Edit::default() };
        assert_eq!(elapsed(&edit, false), SimTime::micros(14.0));
    }
}
