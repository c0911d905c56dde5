//! The catalogue of one process: gives meaning to the numbers in its nodes, from its tables, the source locations of its
//! call sites, and the class that follows for each kind of node.

use std::collections::BTreeMap;
use std::sync::Arc;

use ahash::{AHashMap, AHashSet};
use whyperf_inject::WaitReason;
use whyperf_instrument::Begun;
use whyperf_layout::UserEventPart;
use whyperf_model::matching::{ClassId, Classes, ResourceId, Resources};
use whyperf_model::{Category, Hierarchy, Resource};

use crate::memory_room::NameRoom;
use crate::object_name::{self, NamedBy, Naming};
use crate::region::RegionMemory;
use crate::symbols::{AskedAddress, SourceLocation};
use crate::tables::{ProcessTables, RegionEntry};
use crate::thread::NodeState;

/// The meaning of one process's numbers.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    pub(crate) tables: ProcessTables,
    /// File name of the program: the module of what has no better one.
    pub(crate) program: String,
    places: AHashMap<AskedAddress, Lookup>,
    asked: Vec<AskedAddress>,
    /// Who has the other ends of pipes, by their numbers: nobody, as long as that is not known.
    peers: AHashMap<u64, Option<String>>,
    asked_pipes: Vec<u64>,
    /// Patched functions, by where they begin in this process.
    functions: AHashMap<u64, Resource>,
    classes: AHashMap<(ClassId, u32, u64, u32), ClassId>,
    /// Regions of the program's own that were met, with the functions that begin them.
    begun: BTreeMap<Resource, Resource>,
    objects: AHashMap<u32, Option<ResourceId>>,
    /// Objects that have a place of their own, and room for those of others.
    placed: AHashSet<u32>,
    room: NameRoom,
}

#[derive(Clone, Debug)]
enum Lookup {
    Asked,
    Found(Arc<SourceLocation>),
    Nowhere,
}

/// What reading such a file waits for: it moves no data, but tells that some time has passed or that something is there.
fn told_by(
    category: Category,
    object: ResourceId,
    resources: &Resources,
) -> Option<(Category, Resource)> {
    let file = resources.resource(object);
    let name = if file.hierarchy() == Hierarchy::File { file.name() } else { "" };
    let (category, reason) = match (category, name) {
        (Category::Read, "timerfd") => (Category::Sleep, WaitReason::Sleep),
        (Category::Read, "signalfd") => (Category::Signal, WaitReason::Signal),
        (Category::Read, "eventfd" | "inotify") => (Category::Poll, WaitReason::Poll),
        _ => return None,
    };
    Some((category, Resource::root(Hierarchy::SyncObject).child(reason.name())))
}

/// Index of a thread's root node.
const ROOT: usize = 1;

impl Catalogue {
    /// Takes in what is new in the tables; true when meanings changed and all classes are void.
    pub(crate) fn refresh(&mut self, region: &RegionMemory, resources: &mut Resources) -> bool {
        if self.program.is_empty() {
            let path =
                region.text(region.header().program.load(std::sync::atomic::Ordering::Relaxed));
            path.rsplit('/').next().unwrap_or_default().clone_into(&mut self.program);
        }
        let changed = self.tables.refresh(region);
        let mut renamed = false;
        for number in changed {
            let retired = self.tables.object(number).is_some_and(|object| object.retired);
            if !retired {
                // Also the name of what others are named by: a communicator of its tags.
                renamed = true;
            } else if let Some(Some(held)) = self.objects.insert(number, None) {
                resources.release(held);
            }
        }
        if renamed {
            self.forget(resources);
        }
        renamed
    }

    /// A source location was looked up: what depends on it has to be classified again.
    pub(crate) fn answer(&mut self, wanted: AskedAddress, place: Option<Arc<SourceLocation>>) {
        self.places.insert(wanted, place.map_or(Lookup::Nowhere, Lookup::Found));
    }

    /// The source locations that nodes need and that were not asked for yet.
    pub(crate) fn take_wanted(&mut self) -> Vec<AskedAddress> {
        std::mem::take(&mut self.asked)
    }

    /// Who has the other end of a pipe was looked up: what depends on it has to be classified again.
    pub(crate) fn answer_pipe(&mut self, pipe: u64, peer: String) {
        self.peers.insert(pipe, Some(peer));
    }

    /// The pipes that were met and not asked about yet.
    pub(crate) fn take_pipes(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.asked_pipes)
    }

    /// A forked process's functions lie where its parent's do.
    pub(crate) fn inherit_functions(&mut self, parent: &Self) {
        self.functions.clone_from(&parent.functions);
    }

    /// Voids all classes; gives the objects' resources back.
    pub(crate) fn forget(&mut self, resources: &mut Resources) {
        self.classes.clear();
        let mut held: Vec<_> = self.objects.drain().filter_map(|(_, held)| held).collect();
        held.sort_unstable();
        held.into_iter().for_each(|id| resources.release(id));
    }

    /// Classifies a thread's nodes from `from` on, all inside of `base`; parents come before their children.
    pub(crate) fn classify(
        &mut self,
        nodes: &mut [NodeState],
        from: usize,
        base: ClassId,
        classes: &mut Classes,
        resources: &mut Resources,
    ) {
        for index in from..nodes.len() {
            let node = nodes[index];
            let parent = match node.parent {
                0 => base,
                parent => nodes[parent as usize].class,
            };
            let key = (parent, node.region, node.site, node.object);
            let cached = if node.region == 0 { None } else { self.classes.get(&key).copied() };
            nodes[index].class = cached.unwrap_or_else(|| {
                let class = self.class(parent, index, &node, classes, resources);
                self.classes.insert(key, class);
                class
            });
        }
    }

    fn class(
        &mut self,
        parent: ClassId,
        index: usize,
        node: &NodeState,
        classes: &mut Classes,
        resources: &mut Resources,
    ) -> ClassId {
        let category = match self.tables.region(node.region) {
            _ if index == ROOT => Category::Root,
            Some(region) if node.region != 0 => region.category,
            _ => Category::Other,
        };
        let own = self.own_code(node).map(|code| resources.id(&code));
        if category == Category::UserCounter {
            return self.user_event(parent, node, classes, resources);
        }
        let object = self.object(node.object, resources);
        let (category, object) =
            match object.and_then(|object| told_by(category, object, resources)) {
                Some((category, reason)) => {
                    let reason = resources.id(&reason);
                    // No process has such an object: it is there since something waited for it.
                    resources.hold(reason);
                    (category, Some(reason))
                }
                None => (category, object),
            };
        classes.below(parent, category, own, object, resources)
    }

    /// The class of a node of a counter or gauge of the program's own.
    fn user_event(
        &self,
        parent: ClassId,
        node: &NodeState,
        classes: &mut Classes,
        resources: &mut Resources,
    ) -> ClassId {
        let category = match UserEventPart::at_site(node.site) {
            Some(UserEventPart::Added) => Category::UserCounter,
            Some(UserEventPart::Set) => Category::UserGauge,
            _ => Category::Other,
        };
        let name = self.region_name(node.region).unwrap_or_default();
        let event = resources.id(&Resource::root(Hierarchy::UserEvent).child(&name));
        // No process has such an object: it is there since the program told of it.
        resources.hold(event);
        classes.below(parent, category, None, Some(event), resources)
    }

    /// The code resource that a node adds to its path: the region itself, or who called it.
    pub(crate) fn own_code(&mut self, node: &NodeState) -> Option<Resource> {
        let code = Resource::root(Hierarchy::Code);
        let region = self.tables.region(node.region).filter(|_| node.region != 0)?;
        if region.category == Category::Function {
            return self.functions.get(&region.address).cloned();
        }
        if region.category == Category::UserCounter {
            return None;
        }
        if region.category == Category::User {
            let (name, address) = (region.name.clone(), region.address);
            let module = match self.lookup(AskedAddress::Code(address)) {
                Lookup::Asked => return None,
                Lookup::Found(place) => place.module.clone(),
                Lookup::Nowhere => self.program.clone(),
            };
            let region = code.child(&module).child(&name);
            if let Lookup::Found(place) = self.lookup(AskedAddress::Code(address)) {
                self.begun.insert(region.clone(), code.child(&place.module).child(&place.function));
            }
            return Some(region);
        }
        match self.lookup(AskedAddress::Code(node.site)) {
            Lookup::Found(place) => Some(code.child(&place.module).child(&place.function)),
            Lookup::Asked | Lookup::Nowhere => None,
        }
    }

    /// Regions of the program's own that were met since the last time, with the functions that begin them.
    pub(crate) fn take_begun(&mut self) -> Vec<Begun> {
        std::mem::take(&mut self.begun).into_iter().collect()
    }

    /// From now on the function that begins here is called so.
    pub(crate) fn name_function(&mut self, entry: u64, code: Resource) {
        self.functions.insert(entry, code);
    }

    /// The function that begins here, if it was named.
    pub(crate) fn function_at(&self, entry: u64) -> Option<&Resource> {
        self.functions.get(&entry)
    }

    /// What a region is called; nothing for the root and what has no name.
    pub(crate) fn region_name(&self, number: u32) -> Option<String> {
        let region = self.tables.region(number).filter(|_| number != 0)?;
        let name = match region.category {
            Category::Root => return None,
            Category::Function => self.functions.get(&region.address)?.label(),
            _ => region.name.clone(),
        };
        (!name.is_empty()).then_some(name)
    }

    /// The code of the program's regions that are switched off.
    pub(crate) fn code_switched_off(&self) -> Vec<Resource> {
        let is_off = |entry: &&RegionEntry| entry.off && entry.category == Category::User;
        let off = self.tables.regions.iter().skip(1).filter(is_off);
        off.map(|entry| self.code_of(entry)).collect()
    }

    /// Where a region of the program's own is in the hierarchy of code, as far as its place is known.
    pub(crate) fn code_of(&self, entry: &RegionEntry) -> Resource {
        let module = match self.places.get(&AskedAddress::Code(entry.address)) {
            Some(Lookup::Found(place)) => &place.module,
            _ => &self.program,
        };
        Resource::root(Hierarchy::Code).child(module).child(&entry.name)
    }

    /// The place of a call site, if it is known.
    pub(crate) fn place(&self, site: u64) -> Option<&Arc<SourceLocation>> {
        match self.places.get(&AskedAddress::Code(site)) {
            Some(Lookup::Found(place)) => Some(place),
            _ => None,
        }
    }

    /// The resource of an object, held for as long as the object exists.
    fn object(&mut self, number: u32, resources: &mut Resources) -> Option<ResourceId> {
        if let Some(Some(known)) = self.objects.get(&number) {
            return Some(*known);
        }
        let object = self.tables.object(number)?;
        let by = object_name::named_by(object);
        let pipe = object_name::pipe(object).map(|(_, pipe)| pipe);
        let lookup = by.map_or(Lookup::Nowhere, |by| {
            self.lookup(match by {
                NamedBy::Site(address) => AskedAddress::Code(address),
                NamedBy::Variable(address) => AskedAddress::Data(address),
            })
        });
        let naming = match &lookup {
            Lookup::Asked => Naming::Asked,
            Lookup::Found(place) => Naming::Is(place),
            Lookup::Nowhere => Naming::Nowhere,
        };
        let peer = pipe.and_then(|pipe| self.peer(pipe));
        let resource = object_name::resource(&self.tables, number, naming, peer.as_deref())?;
        let resource = self.within_room(number, resource);
        let id = resources.id(&resource);
        if self.tables.object(number).is_some_and(|object| !object.retired) {
            resources.hold(id);
            self.objects.insert(number, Some(id));
        }
        Some(id)
    }

    /// The place of an object, or that of all for which there is no room: each level of a path is a place.
    fn within_room(&mut self, number: u32, place: Resource) -> Resource {
        let is_placed = self.placed.contains(&number);
        if is_placed || self.room.take(place.path().len() * place.depth().max(1)) {
            self.placed.insert(number);
            return place;
        }
        Resource::root(place.hierarchy()).child("others")
    }

    /// Names and places for which there was no room.
    pub(crate) const fn refused(&self) -> u64 {
        self.tables.room.refused + self.room.refused
    }

    /// Who has the other end of a pipe, as far as that is known by now.
    pub(crate) fn peer(&mut self, pipe: u64) -> Option<String> {
        let asked = &mut self.asked_pipes;
        let peer = self.peers.entry(pipe).or_insert_with(|| {
            asked.push(pipe);
            None
        });
        peer.clone()
    }

    fn lookup(&mut self, wanted: AskedAddress) -> Lookup {
        if wanted.address() == 0 {
            return Lookup::Nowhere;
        }
        if let Some(known) = self.places.get(&wanted) {
            return known.clone();
        }
        self.places.insert(wanted, Lookup::Asked);
        self.asked.push(wanted);
        Lookup::Asked
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::Metric;

    use super::*;

    #[test]
    fn nodes_are_inside_of_the_calls_that_no_event_told_of() {
        let (mut classes, mut resources) = (Classes::default(), Resources::default());
        let solve = Resource::parse("/Code/a.c/solve").expect("well formed");
        let solve = resources.id(&solve);
        let (function, none) = (Category::Function, ClassId::NONE);
        let base = classes.below(none, function, Some(solve), None, &mut resources);
        let mut nodes = [0, 0, 1].map(NodeState::example);
        let mut catalogue = Catalogue::default();
        for (base, is_inside) in [(none, false), (base, true), (none, false)] {
            catalogue.classify(&mut nodes, 0, base, &mut classes, &mut resources);
            let holds = |node: &NodeState| classes.get(node.class).lineage.contains(&solve);
            assert_eq!(nodes[1..].iter().map(holds).collect::<Vec<_>>(), [is_inside; 2]);
            let is_own = |node: &NodeState| classes.get(node.class).traits.own == Some(solve);
            assert!(!nodes[1..].iter().any(is_own), "its calls are not theirs");
        }
    }

    #[test]
    fn a_function_inside_of_a_wrapped_call_is_a_place_and_its_time_stays_that_of_the_call() {
        let (mut classes, mut resources) = (Classes::default(), Resources::default());
        let code = |name: &str| Resource::root(Hierarchy::Code).child("a.c").child(name);
        let object = resources.id(&Resource::parse("/SyncObject/Collective").expect("well formed"));
        let [caller, inside, region] = ["caller", "inside", "region"].map(code);
        let [caller, inside, region] = [caller, inside, region].map(|code| resources.id(&code));
        let mut below = |parent, category, own, object| {
            classes.below(parent, category, Some(own), object, &mut resources)
        };
        let main = below(ClassId::NONE, Category::Function, caller, None);
        let call = below(main, Category::Collective, caller, Some(object));
        let function = below(call, Category::Function, inside, None);
        let deeper = below(function, Category::Function, caller, None);
        let own = below(deeper, Category::User, region, None);
        let of_own = below(own, Category::Function, inside, None);
        let counts = |class: ClassId, metric: Metric| {
            classes.get(class).traits.counts_for(metric.definition())
        };
        for class in [call, function, deeper] {
            assert!(counts(class, Metric::CollectiveWait) && !counts(class, Metric::Compute));
            assert_eq!(classes.get(class).traits.object, Some(object));
        }
        for class in [main, own, of_own] {
            assert!(counts(class, Metric::Compute) && !counts(class, Metric::SyncWait));
            assert_eq!(classes.get(class).traits.object, None);
        }
        for class in [main, function, deeper, own, of_own] {
            assert!(counts(class, Metric::Calls) && !counts(class, Metric::SyncOps));
        }
        assert!(counts(call, Metric::SyncOps) && !counts(call, Metric::Calls));
        assert!(classes.get(function).own_lineage.contains(&inside));
    }
}
