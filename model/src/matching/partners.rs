//! Which ranks a rank may wait for, directly or through others: who sent to it, who received from it, and who is in the same operation.
//!
//! ```text
//!   rank 3 ──receives from──► rank 2 ──is in MPI_Allreduce with──► ranks 0, 1, 2      rank 4 ◄──receives from── rank 5
//!          may wait for 2, and for 0 and 1, because 2 waits for them; never for 4 and 5
//! ```
//! * Which ranks ever exchanged messages is known from their own counts, so nothing is added to the event path. It says nothing of a
//!   message that is the first one of its sender, so it counts only for who was answered often enough; until then, and where a
//!   partner cannot be told, a rank may wait for each one that called something on the communicator.
//! * A rank that is reached and waits itself leads on to those that it may wait for.

use std::collections::{BTreeMap, BTreeSet};

use ahash::AHashMap;

use super::meetings::{CommunicatorNumber, Meetings};
use super::resources::ResourceId;
use crate::{Category, MessageGrowth, MessageSide};

/// On which side of a rank those are that a call of it waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Awaits {
    /// Who sends to it.
    Senders,
    /// Who receives from it.
    Receivers,
    /// Either of them.
    Partners,
    /// Each one that calls on the communicator.
    #[default]
    Members,
}

/// How a rank waits: on which side, and on which communicator.
pub(super) type WayToWait = (Awaits, Option<CommunicatorNumber>);

/// A rank that may wait, and may be waited for.
#[derive(Clone, Debug)]
pub(super) struct Participant {
    pub(super) process: ResourceId,
    pub(super) rank: Option<u32>,
    /// How it waits for more than a little of the time.
    pub(super) ways: BTreeSet<WayToWait>,
    /// It was answered often enough for all its partners to be known.
    pub(super) is_settled: bool,
}

/// The ranks of a job.
#[derive(Clone, Debug)]
pub(super) struct Participants {
    job: u32,
    all: Vec<Participant>,
    places: AHashMap<u32, usize>,
}

/// Whom a rank waits for directly.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Awaited {
    /// These, by their places among the participants.
    Partners(Vec<usize>),
    /// Whoever calls on a communicator.
    Members(Option<CommunicatorNumber>),
}

/// Who ever exchanged messages with whom, by job and rank.
#[derive(Debug, Default)]
pub(super) struct Partners(BTreeMap<(u32, u32), PartnersOfRank>);

#[derive(Debug, Default)]
struct PartnersOfRank {
    senders: Known,
    receivers: Known,
}

/// Ranks on one side of another one.
#[derive(Debug, Default)]
struct Known {
    ranks: BTreeSet<u32>,
    /// There were messages of ranks that cannot be told.
    has_others: bool,
}

impl Awaits {
    pub(super) const fn of(category: Category) -> Self {
        match category {
            Category::Receive => Self::Senders,
            Category::Send => Self::Receivers,
            Category::Exchange | Category::Post | Category::Wait => Self::Partners,
            _ => Self::Members,
        }
    }
}

impl Partners {
    /// A rank saw messages.
    pub(super) fn exchanged(&mut self, growth: &MessageGrowth) {
        let route = growth.route;
        let [seer, other] = match growth.side {
            MessageSide::Sender => [route.from, route.to],
            MessageSide::Receiver => [route.to, route.from],
        };
        let Some(seer) = seer.filter(|_| growth.by.number > 0) else { return };
        let of = self.0.entry((route.job, seer)).or_default();
        let known = match growth.side {
            MessageSide::Sender => &mut of.receivers,
            MessageSide::Receiver => &mut of.senders,
        };
        match other {
            Some(other) => _ = known.ranks.insert(other),
            None => known.has_others = true,
        }
    }

    /// Whom a rank waits for directly in such calls: all that may be, where some of its partners cannot be told or none is known.
    pub(super) fn awaited(
        &self,
        participants: &Participants,
        waiter: &Participant,
        (awaits, on): WayToWait,
    ) -> Awaited {
        let rank = waiter.rank.filter(|_| waiter.is_settled);
        let of = rank.and_then(|rank| self.0.get(&(participants.job, rank)));
        let sides: &[&Known] = match (of, awaits) {
            (Some(of), Awaits::Senders) => &[&of.senders],
            (Some(of), Awaits::Receivers) => &[&of.receivers],
            (Some(of), Awaits::Partners) => &[&of.senders, &of.receivers],
            (_, Awaits::Members) | (None, _) => &[],
        };
        let ranks = sides.iter().flat_map(|known| &known.ranks);
        let places: Vec<usize> =
            ranks.filter_map(|rank| participants.places.get(rank)).copied().collect();
        let has_others = sides.iter().any(|known| known.has_others);
        if has_others || places.is_empty() {
            Awaited::Members(on)
        } else {
            Awaited::Partners(places)
        }
    }

    /// All that somebody waits for who waits for these, directly or through others.
    pub(super) fn reached<'a>(
        &self,
        participants: &'a Participants,
        awaited: Awaited,
        meetings: &Meetings,
    ) -> impl Iterator<Item = &'a Participant> {
        let mut met = BTreeSet::new();
        let mut places = |awaited| match awaited {
            Awaited::Partners(places) => places,
            Awaited::Members(on) if met.insert(on) => participants.members(on, meetings),
            Awaited::Members(_) => Vec::new(),
        };
        let mut is_reached = vec![false; participants.all.len()];
        let mut ahead = places(awaited);
        while let Some(at) = ahead.pop() {
            if !std::mem::replace(&mut is_reached[at], true) {
                let participant = &participants.all[at];
                for way in &participant.ways {
                    ahead.extend(places(self.awaited(participants, participant, *way)));
                }
            }
        }
        let all = participants.all.iter().zip(is_reached);
        all.filter(|(_, is_reached)| *is_reached).map(|(participant, _)| participant)
    }
}

impl Participants {
    pub(super) fn new(job: u32, all: Vec<Participant>) -> Self {
        let places = all.iter().enumerate();
        let places = places.filter_map(|(at, participant)| Some((participant.rank?, at)));
        Self { job, places: places.collect(), all }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Participant> {
        self.all.iter()
    }

    fn members(&self, on: Option<CommunicatorNumber>, meetings: &Meetings) -> Vec<usize> {
        let places = self.all.iter().enumerate();
        let members = places.filter(|(_, one)| meetings.may_meet(one.process, on));
        members.map(|(at, _)| at).collect()
    }
}
