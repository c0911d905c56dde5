//! What stands before the events of a trace: its ranks, the names of its regions, and its communicators.

use std::collections::BTreeMap;

use crate::identity::{CommId, Rank, RegionId};

/// The tables of a trace. Its events come from one iterator a rank, so that a trace is never in memory as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceHead {
    ranks: u32,
    regions: Vec<String>,
    communicators: Vec<Communicator>,
}

impl TraceHead {
    /// A trace of so many ranks, with the communicator of all of them.
    #[must_use]
    pub fn new(ranks: u32) -> Self {
        let world = Communicator::new((0..ranks).map(Rank).collect());
        Self { ranks, regions: Vec::new(), communicators: vec![world] }
    }

    /// How many ranks it has.
    #[must_use]
    pub const fn ranks(&self) -> u32 {
        self.ranks
    }

    /// All ranks, in their order.
    pub fn all_ranks(&self) -> impl Iterator<Item = Rank> + use<> {
        (0..self.ranks).map(Rank)
    }

    /// The names of its regions.
    #[must_use]
    pub fn regions(&self) -> &[String] {
        &self.regions
    }

    /// The name of a region; a number where the table does not have it.
    #[must_use]
    pub fn region(&self, region: RegionId) -> String {
        let name = self.regions.get(region.index()).cloned();
        name.unwrap_or_else(|| format!("region {}", region.0))
    }

    /// The region of this name, which is added where it is new.
    pub fn name_region(&mut self, name: &str) -> RegionId {
        let known = self.regions.iter().position(|known| known == name);
        let at = known.unwrap_or_else(|| {
            self.regions.push(name.to_owned());
            self.regions.len() - 1
        });
        RegionId(u32::try_from(at).unwrap_or(u32::MAX))
    }

    /// Its communicators; the first one holds all ranks.
    #[must_use]
    pub fn communicators(&self) -> &[Communicator] {
        &self.communicators
    }

    /// Adds a communicator of these members, in the order of their ranks in it.
    pub fn add_communicator(&mut self, members: Vec<Rank>) -> CommId {
        self.communicators.push(Communicator::new(members));
        CommId(u32::try_from(self.communicators.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn communicator(&self, comm: CommId) -> Option<&Communicator> {
        self.communicators.get(comm.index())
    }
}

/// A group of ranks that communicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communicator {
    members: Vec<Rank>,
    /// The place of each member; `None` where it is the rank itself.
    places: Option<BTreeMap<Rank, u32>>,
}

impl Communicator {
    fn new(members: Vec<Rank>) -> Self {
        let is_identity = members.iter().zip(0..).all(|(member, place)| member.0 == place);
        let places = (!is_identity).then(|| members.iter().copied().zip(0..).collect());
        Self { members, places }
    }

    /// Its members by their ranks in it.
    #[must_use]
    pub fn members(&self) -> &[Rank] {
        &self.members
    }

    /// How many members it has.
    pub(crate) fn size(&self) -> u32 {
        u32::try_from(self.members.len()).unwrap_or(u32::MAX)
    }

    /// The rank of a member in it.
    pub(crate) fn place(&self, rank: Rank) -> Option<u32> {
        match &self.places {
            None => (rank.0 < self.size()).then_some(rank.0),
            Some(places) => places.get(&rank).copied(),
        }
    }
}
