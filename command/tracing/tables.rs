//! What the rank of a trace needs to know to be read: names of regions, communicators, the clock, and which threads belong together.

use std::collections::BTreeMap;

use whyperf_daemon::{TracedObject, TracedRegion};
use whyperf_extrapolate::{CommId, Expected, Rank, RegionId, Tag, TraceHead};
use whyperf_model::{Category, Resource};

use super::communicators::Communicators;

/// Functions as regions of the trace and as resources, by process and return address.
pub(crate) type CallSites = BTreeMap<(usize, u64), (RegionId, Resource)>;

/// The tables of one rank.
pub(crate) struct LocationTables<'t> {
    /// Nanoseconds of the recording for ticks of its process.
    pub(crate) clock: &'t dyn Fn(u64) -> u64,
    /// Regions and objects of its process.
    pub(crate) named: &'t [TracedRegion],
    pub(crate) objects: &'t [TracedObject],
    /// The number of its process.
    pub(crate) number: usize,
    pub(crate) communicators: &'t Communicators,
    pub(crate) head: &'t TraceHead,
    /// Regions of the trace by number of region in the process.
    pub(crate) regions: &'t [RegionId],
    /// The functions that calls return to, by process and address.
    pub(crate) sites: &'t CallSites,
    /// Code outside of every region.
    pub(crate) main: RegionId,
    pub(crate) rank: Rank,
    pub(crate) ranks: u32,
    /// Threads that meet at an object.
    pub(crate) barriers: BTreeMap<u16, CommId>,
    pub(crate) started_by: Option<Rank>,
    pub(crate) joined_by: Option<Rank>,
    /// Threads that this one joins, by when.
    pub(crate) joins: Vec<(u64, Rank)>,
    /// The rank cancels receives.
    pub(crate) cancels: bool,
    /// Nanoseconds of the recording when the first rank begins.
    pub(crate) zero: u64,
}

impl LocationTables<'_> {
    /// Nanoseconds since the first rank began.
    pub(crate) fn nanos(&self, ticks: u64) -> u64 {
        (self.clock)(ticks).saturating_sub(self.zero)
    }

    pub(crate) fn category(&self, region: u16) -> Category {
        self.named.get(usize::from(region)).map_or(Category::Root, |one| one.category)
    }

    pub(crate) fn name(&self, region: u16) -> &str {
        self.named.get(usize::from(region)).map_or("", |one| one.name.as_str())
    }

    pub(crate) fn region(&self, region: u16) -> RegionId {
        self.regions.get(usize::from(region)).copied().unwrap_or(self.main)
    }

    /// The code that a region is.
    pub(crate) fn code(&self, region: u16) -> Option<&Resource> {
        self.named.get(usize::from(region))?.code.as_ref()
    }

    /// What the communicator is called that an object belongs to.
    pub(crate) fn communicator_of(&self, object: u16) -> Option<String> {
        let object = self.objects.get(usize::from(object))?.resource.as_ref()?;
        let depth = match object.components().nth(1)? {
            "Message" | "Barrier" => 2,
            "Collective" => 3,
            _ => return None,
        };
        let mut found = object.clone();
        while found.depth() > depth {
            found = found.parent()?;
        }
        (found.depth() == depth).then(|| found.label())
    }

    /// The function that calls from this address.
    pub(crate) fn site(&self, address: u64) -> Option<&(RegionId, Resource)> {
        self.sites.get(&(self.number, address))
    }

    pub(crate) fn comm(&self, number: u32) -> Option<CommId> {
        self.communicators.of(self.number, number)
    }

    pub(crate) fn members(&self, comm: CommId) -> &[Rank] {
        self.head.communicators().get(comm.0 as usize).map_or(&[], |one| one.members())
    }

    pub(crate) fn barrier(&self, object: u16) -> Option<CommId> {
        self.barriers.get(&object).copied()
    }

    /// The threads whose end a join that ended then had waited for.
    pub(crate) fn joined_at(&self, nanos: u64) -> Vec<Rank> {
        let mut all = self.joins.iter().filter(|(at, _)| *at == nanos);
        all.by_ref().map(|(_, rank)| *rank).collect()
    }

    /// What a thread tells another one.
    pub(crate) const fn thread_message(&self, from: Rank, tag: Tag) -> Expected {
        Expected { from: Some(from), tag: Some(tag), comm: CommId::WORLD }
    }
}
