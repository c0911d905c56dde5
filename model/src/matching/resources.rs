//! The resources that were met or asked for, as small numbers, and which of them exist right now.

use ahash::AHashMap;

use crate::{Focus, Hierarchy, Resource};

/// A resource, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId(pub(super) u32);

/// A thread and its machine.
pub type ThreadPlace = [ResourceId; 2];

#[derive(Debug)]
struct ResourceEntry {
    resource: Resource,
    parent: Option<ResourceId>,
    /// How many things hold it, its descendants included.
    holders: u32,
    /// Whether the last sampling pass was told that it exists.
    announced: bool,
    /// Whether anything ever held it.
    met: bool,
}

/// All resources ever named; those that something holds exist.
#[derive(Debug, Default)]
pub struct Resources {
    ids: AHashMap<Resource, ResourceId>,
    entries: Vec<ResourceEntry>,
    changed: Vec<ResourceId>,
}

/// What came and what went since the last time, each sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// What exists now and did not.
    pub appeared: Vec<Resource>,
    /// What existed and does not.
    pub retired: Vec<Resource>,
}

impl Resources {
    /// The number of a resource, whether it exists or is only asked for.
    pub fn id(&mut self, resource: &Resource) -> ResourceId {
        if let Some(id) = self.ids.get(resource) {
            return *id;
        }
        let parent = resource.parent().map(|parent| self.id(&parent));
        let id = ResourceId(u32::try_from(self.entries.len()).expect("fewer than 2^32 names"));
        self.entries.push(ResourceEntry {
            resource: resource.clone(),
            parent,
            holders: 0,
            announced: false,
            met: false,
        });
        self.ids.insert(resource.clone(), id);
        id
    }

    /// What a resource is directly in; `None` for the root of a hierarchy.
    pub fn parent(&self, id: ResourceId) -> Option<ResourceId> {
        self.entries[id.0 as usize].parent
    }

    /// What a number stands for.
    pub fn resource(&self, id: ResourceId) -> &Resource {
        &self.entries[id.0 as usize].resource
    }

    /// One more thing holds it: it exists, and so do those above it.
    pub fn hold(&mut self, id: ResourceId) {
        for id in self.lineage(id) {
            let entry = &mut self.entries[id.0 as usize];
            entry.holders += 1;
            entry.met = true;
            if entry.holders == 1 {
                self.changed.push(id);
            }
        }
    }

    /// The number of a resource, if it has one.
    pub fn known(&self, resource: &Resource) -> Option<ResourceId> {
        self.ids.get(resource).copied()
    }

    /// What a thread waits on that waits for memory; `None` where none ever did.
    pub fn paging(&self) -> Option<ResourceId> {
        self.known(&Resource::root(Hierarchy::SyncObject).child(PAGING))
    }

    /// Whether it exists or once did; the root of a hierarchy always does.
    pub fn was_met(&self, resource: &Resource) -> bool {
        let known = self.ids.get(resource).map(|id| &self.entries[id.0 as usize]);
        resource.is_root() || known.is_some_and(|entry| entry.met)
    }

    /// All that ever was, also what came and went between two sampling passes.
    pub fn all_met(&self) -> impl Iterator<Item = &Resource> {
        let met = self.entries.iter().filter(|entry| entry.met && !entry.resource.is_root());
        met.map(|entry| &entry.resource)
    }

    /// One thing less holds it.
    pub fn release(&mut self, id: ResourceId) {
        for id in self.lineage(id) {
            let entry = &mut self.entries[id.0 as usize];
            entry.holders = entry.holders.saturating_sub(1);
            if entry.holders == 0 {
                self.changed.push(id);
            }
        }
    }

    /// It and those above it, without the root of the hierarchy.
    pub fn lineage(&self, id: ResourceId) -> Vec<ResourceId> {
        let mut line = Vec::new();
        let mut next = Some(id);
        while let Some(id) = next {
            let entry = &self.entries[id.0 as usize];
            if entry.parent.is_some() {
                line.push(id);
            }
            next = entry.parent;
        }
        line
    }

    /// What came and what went since the last call.
    pub fn take_changes(&mut self) -> Changes {
        let mut changes = Changes::default();
        for id in std::mem::take(&mut self.changed) {
            let entry = &mut self.entries[id.0 as usize];
            let exists = entry.holders > 0;
            if exists != entry.announced {
                entry.announced = exists;
                let list = if exists { &mut changes.appeared } else { &mut changes.retired };
                list.push(entry.resource.clone());
            }
        }
        changes.appeared.sort();
        changes.retired.sort();
        changes
    }
}

/// The name of what a thread waits on that waits for memory.
const PAGING: &str = "Paging";

/// One part of a focus, in numbers; empty restricts nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Part(Vec<ResourceId>);

impl Part {
    /// The part of a focus in one hierarchy.
    pub fn of(focus: &Focus, hierarchy: Hierarchy, resources: &mut Resources) -> Self {
        if focus.is_root(hierarchy) {
            return Self::default();
        }
        Self(focus.part(hierarchy).iter().map(|resource| resources.id(resource)).collect())
    }

    /// The resources that it names; none where it restricts nothing.
    pub(super) fn resources(&self) -> &[ResourceId] {
        &self.0
    }

    /// Whether a resource is inside.
    pub(super) fn holds(&self, one: ResourceId, resources: &Resources) -> bool {
        let mut above = std::iter::successors(Some(one), |one| resources.parent(*one));
        self.0.is_empty() || above.any(|one| self.0.contains(&one))
    }

    /// Whether something with this sorted lineage is inside.
    pub fn admits(&self, lineage: &[ResourceId]) -> bool {
        self.0.is_empty() || self.0.iter().any(|id| lineage.binary_search(id).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str) -> Resource {
        Resource::parse(path).expect("the test's own resource is well formed")
    }

    #[test]
    fn what_is_held_exists_with_all_above_it() {
        let mut resources = Resources::default();
        let tag = resources.id(&named("/SyncObject/Message/w/3"));
        let other = resources.id(&named("/SyncObject/Message/w/4"));
        assert_eq!(resources.take_changes(), Changes::default());
        resources.hold(tag);
        resources.hold(tag);
        resources.hold(other);
        let paths = |list: &[Resource]| list.iter().map(Resource::to_string).collect::<Vec<_>>();
        let first = resources.take_changes();
        assert_eq!(
            paths(&first.appeared),
            [
                "/SyncObject/Message",
                "/SyncObject/Message/w",
                "/SyncObject/Message/w/3",
                "/SyncObject/Message/w/4"
            ]
        );
        resources.release(tag);
        assert_eq!(resources.take_changes(), Changes::default());
        resources.release(tag);
        let then = resources.take_changes();
        assert_eq!(paths(&then.retired), ["/SyncObject/Message/w/3"]);
    }
}
