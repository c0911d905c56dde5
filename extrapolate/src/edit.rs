//! A trace with something changed in it: a region that computes faster, calls that are not there, or waits that are over at once.
//!
//! What becomes faster does so on the machine ([`Edit::machine`]); calls are left out of the events ([`Edit::events`]). A barrier or a collective
//! call can be left out because nothing is known of what it is for. A message cannot, because its receiver needs it: but the receiver can go on as
//! if it had been there when it was wanted. It is received all the same, so that others match what they matched, and its sender waits no longer.
//!
//! A call of several ranks is left out for all of them or for none, else they wait for each other for ever. Where those of one rank or region are
//! meant, [`LeftOut::meetings`] says which calls these are, by communicator and number.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::{CollectiveKind, Event};
use crate::identity::{CommId, Rank, RegionId, RequestId, Tag};
use crate::machine::Machine;
use crate::time::SimTime;

/// What is changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edit {
    /// By what computing is multiplied, by region.
    pub factors: BTreeMap<String, f64>,
    /// By what it is multiplied, by rank; 1 where nothing is said.
    pub rank_factors: Vec<f64>,
    /// Regions whose computing those leave as it is.
    pub apart: BTreeSet<RegionId>,
    /// What is left out.
    pub without: Vec<LeftOut>,
    /// Barriers and collective calls that are left out for all of their members.
    pub meetings: BTreeSet<MeetingId>,
}

/// A barrier or collective call: the one that members of the communicator make as so manieth, from 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeetingId {
    /// Whose.
    pub comm: CommId,
    /// Which.
    pub number: u32,
}

/// Something that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What.
    pub what: EventKind,
    /// That of these regions alone.
    pub regions: Option<BTreeSet<RegionId>>,
    /// That of these ranks alone.
    pub ranks: Option<BTreeSet<Rank>>,
    /// That of these communicators alone.
    pub comms: Option<BTreeSet<CommId>>,
    /// Messages of this tag alone.
    pub tag: Option<Tag>,
}

impl LeftOut {
    /// All of a kind.
    #[must_use]
    pub const fn all(what: EventKind) -> Self {
        Self { what, regions: None, ranks: None, comms: None, tag: None }
    }

    /// Whether it is of calls that several ranks make together, and not of all of them.
    #[must_use]
    pub const fn is_some_meetings(&self) -> bool {
        !self.what.is_of_one_rank()
            && (self.regions.is_some() || self.ranks.is_some() || self.comms.is_some())
    }

    /// The barriers and collective calls that are meant among those of a rank.
    pub fn meetings(
        &self,
        rank: Rank,
        events: impl Iterator<Item = Event>,
    ) -> impl Iterator<Item = MeetingId> {
        let (mut current, mut numbers) = (RegionId::default(), MeetingNumbers::default());
        events.filter_map(move |event| {
            if let Event::Compute { region, .. } = event {
                current = region;
            }
            let meeting = numbers.next(&event)?;
            self.is_of(rank, current, &event).then_some(meeting)
        })
    }

    /// Whether something of this rank may be meant.
    #[must_use]
    pub fn includes(&self, rank: Rank) -> bool {
        self.ranks.as_ref().is_none_or(|all| all.contains(&rank))
    }

    fn is_of(&self, rank: Rank, region: RegionId, event: &Event) -> bool {
        self.what.includes(event)
            && self.includes(rank)
            && self.regions.as_ref().is_none_or(|all| all.contains(&region))
            && self.comms.as_ref().is_none_or(|all| comm(event).is_some_and(|of| all.contains(&of)))
            && self.tag.is_none_or(|tag| tag_of(event) == Some(tag))
    }
}

/// Counts the barriers and collective calls of a rank.
#[derive(Debug, Default)]
struct MeetingNumbers(BTreeMap<CommId, u32>);

impl MeetingNumbers {
    /// Which one an event is, if it is one.
    fn next(&mut self, event: &Event) -> Option<MeetingId> {
        let comm = match event {
            Event::Barrier(comm) => *comm,
            Event::Collective(call) => call.comm,
            _ => return None,
        };
        let next = self.0.entry(comm).or_default();
        let number = *next;
        *next += 1;
        Some(MeetingId { comm, number })
    }
}

const fn comm(event: &Event) -> Option<CommId> {
    match event {
        Event::Recv(expected) | Event::Irecv(expected, _) => Some(expected.comm),
        Event::Send(sent) | Event::Isend(sent, _) => Some(sent.comm),
        Event::Barrier(comm) => Some(*comm),
        Event::Collective(call) => Some(call.comm),
        _ => None,
    }
}

const fn tag_of(event: &Event) -> Option<Tag> {
    match event {
        Event::Recv(expected) | Event::Irecv(expected, _) => expected.tag,
        _ => None,
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
    /// Whether it can be left out for one rank alone.
    const fn is_of_one_rank(self) -> bool {
        matches!(self, Self::Receives | Self::Computing)
    }

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
        let (mut current, mut numbers) = (RegionId::default(), MeetingNumbers::default());
        let mut unheeded = BTreeSet::new();
        let factor = self.rank_factors.get(rank.index()).copied().unwrap_or(1.0);
        events.filter_map(move |event| {
            if let Event::Compute { region, .. } = event {
                current = region;
            }
            if !self.meetings.is_empty()
                && numbers.next(&event).is_some_and(|one| self.meetings.contains(&one))
            {
                return None;
            }
            let is_left_out = self.without.iter().any(|out| out.is_of(rank, current, &event));
            match event {
                Event::Wait(request) if unheeded.remove(&request) => None,
                Event::Compute { region, span } => {
                    let factor = if self.apart.contains(&region) { 1.0 } else { factor };
                    let span = if is_left_out { SimTime::ZERO } else { span * factor };
                    Some(Event::Compute { region, span })
                }
                _ if !is_left_out => Some(event),
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
    use super::{Edit, EventKind, LeftOut, MeetingId};
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
        let without = |what, region: Option<RegionId>| {
            let regions = region.map(|region| [region].into());
            let out = LeftOut { regions, ..LeftOut::all(what) };
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
        let of = |ranks: Option<&[u32]>| {
            let ranks = ranks.map(|all| all.iter().copied().map(Rank).collect());
            let out = LeftOut { ranks, ..LeftOut::all(EventKind::Receives) };
            Edit { without: vec![out], ..Edit::default() }
        };
        for by_request in [false, true] {
            let took = |edit: &Edit| elapsed(edit, by_request);
            assert_eq!(took(&Edit::default()), SimTime::micros(19.0));
            assert_eq!(took(&of(None)), SimTime::micros(14.0));
            assert_eq!(took(&of(Some(&[0]))), SimTime::micros(15.0));
            assert_eq!(took(&of(Some(&[1]))), SimTime::micros(14.0));
            assert_eq!(took(&of(Some(&[0, 1]))), SimTime::micros(14.0));
            assert_eq!(took(&of(Some(&[]))), SimTime::micros(19.0));
        }
    }

    #[test]
    fn computing_of_a_rank_takes_no_time() {
        let out = LeftOut { ranks: Some([Rank(1)].into()), ..LeftOut::all(EventKind::Computing) };
        let edit = Edit { without: vec![out], ..Edit::default() };
        assert_eq!(elapsed(&edit, false), SimTime::micros(14.0));
    }

    /// Two ranks compute unevenly before each of two barriers, the second time the other way round.
    fn met(edit: &Edit) -> SimTime {
        let compute =
            |micros| Event::Compute { region: RegionId::default(), span: SimTime::micros(micros) };
        let barrier = Event::Barrier(CommId::WORLD);
        let of = |one, other| vec![compute(one), barrier, compute(other), barrier];
        let mut head = TraceHead::new(2);
        head.name_region("work");
        let streams = [of(10.0, 4.0), of(2.0, 8.0)].into_iter().zip([Rank(0), Rank(1)]);
        let streams = streams.map(|(events, rank)| edit.events(rank, events.into_iter()));
        let outcome = simulate(&head, streams.collect(), &Machine::ideal(), &mut ());
        assert!(outcome.complaints.is_empty(), "{:?}", outcome.complaints);
        outcome.elapsed
    }

    #[test]
    fn a_barrier_is_left_out_for_all_of_its_members() {
        assert_eq!(met(&Edit::default()), SimTime::micros(18.0));
        let first = MeetingId { comm: CommId::WORLD, number: 0 };
        let edit = Edit { meetings: [first].into(), ..Edit::default() };
        assert_eq!(met(&edit), SimTime::micros(14.0));
    }

    #[test]
    fn each_rank_computes_by_its_own_factor() {
        let edit = Edit { rank_factors: vec![0.5], ..Edit::default() };
        assert_eq!(met(&edit), SimTime::micros(13.0));
        let apart = Edit { apart: [RegionId::default()].into(), ..edit };
        assert_eq!(met(&apart), SimTime::micros(18.0));
    }

    #[test]
    fn the_calls_of_a_rank_and_region_are_known_by_number() {
        let (one, other) = (RegionId(0), RegionId(1));
        let compute = |region| Event::Compute { region, span: SimTime::ZERO };
        let (world, part) = (CommId::WORLD, CommId(1));
        let events = [
            compute(one),
            Event::Barrier(world),
            Event::Barrier(part),
            compute(other),
            Event::Barrier(world),
        ];
        let of = |out: &LeftOut| out.meetings(Rank(3), events.into_iter()).collect::<Vec<_>>();
        let meeting = |comm, number| MeetingId { comm, number };
        let all = LeftOut::all(EventKind::Barrier);
        assert_eq!(of(&all), [meeting(world, 0), meeting(part, 0), meeting(world, 1)]);
        let of_region = LeftOut { regions: Some([other].into()), ..all.clone() };
        assert_eq!(of(&of_region), [meeting(world, 1)]);
        let of_comm = LeftOut { comms: Some([part].into()), ..all.clone() };
        assert_eq!(of(&of_comm), [meeting(part, 0)]);
        assert_eq!(of(&LeftOut { ranks: Some([Rank(2)].into()), ..all }), []);
    }

    #[test]
    fn messages_are_told_apart_by_tag_and_communicator() {
        let of = |tag, comm| {
            let comms = Some([comm].into());
            let out = LeftOut { tag: Some(tag), comms, ..LeftOut::all(EventKind::Receives) };
            elapsed(&Edit { without: vec![out], ..Edit::default() }, false)
        };
        assert_eq!(of(Tag(0), CommId::WORLD), SimTime::micros(14.0));
        assert_eq!(of(Tag(1), CommId::WORLD), SimTime::micros(19.0));
        assert_eq!(of(Tag(0), CommId(1)), SimTime::micros(19.0));
    }
}
