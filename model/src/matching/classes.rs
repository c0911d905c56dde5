//! The class of a callpath node: everything that a focus and a metric can ask of it.
//!
//! Many nodes share a class: those of the same call in other threads and processes, and those
//! whose paths hold the same functions. Pairs are matched with classes, once each.

use ahash::{AHashMap, AHashSet};

use super::resources::{ResourceId, Resources};
use crate::{Category, CategorySet, Definition, Hierarchy, Quantity, TimeUse};

/// A class, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

impl ClassId {
    /// Not classified yet; belongs to no class.
    pub const UNSET: Self = Self(u32::MAX);
    /// Above every root: no code, no object.
    pub const NONE: Self = Self(0);
}

/// What tells classes apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Traits {
    /// What its region does; of a function inside a wrapped call what that call does.
    pub category: Category,
    /// Code that makes the calls of the path, and the program's own regions on it, sorted.
    pub code: Vec<ResourceId>,
    /// Functions on the path that are watched because a pair asked for them, sorted.
    pub functions: Vec<ResourceId>,
    /// What it synchronizes on, or the file it works on.
    pub object: Option<ResourceId>,
    /// Its own code, where it is a region or function of the program: what its calls are calls of.
    pub own: Option<ResourceId>,
}

/// What a process reads or writes that may be a pipe: the names below `/File`.
pub const STREAMS: [&str; 4] = ["pipe", "stdin", "stdout", "stderr"];

impl Traits {
    /// Whether it may wait for what another thread does: for a lock, or at a pipe.
    #[must_use]
    pub fn waits_for_threads(&self, resources: &Resources) -> bool {
        let is_stream = |object: ResourceId| {
            let mut names = resources.resource(object).components();
            names.next() == Some(Hierarchy::File.name())
                && names.next().is_some_and(|name| STREAMS.contains(&name))
        };
        let moves = matches!(self.category, Category::Read | Category::Write);
        CategorySet::LOCK.contains(self.category) || moves && self.object.is_some_and(is_stream)
    }

    /// Whether it is a region or function of the program, and no wrapped call.
    #[must_use]
    pub const fn is_program(&self) -> bool {
        self.own.is_some() || matches!(self.category, Category::User | Category::Function)
    }

    /// How its time is spent. Records from before waiting for memory had a category of its own have it as waiting on the object `paging`. Of a
    /// thread that is `untold` the system does not say how much it ran.
    #[must_use]
    pub fn spent(&self, paging: Option<ResourceId>, untold: bool) -> TimeUse {
        match TimeUse::of(self.category) {
            TimeUse::Computing if untold => TimeUse::Unknown,
            TimeUse::Blocked if paging.is_some() && self.object == paging => TimeUse::Paging,
            spent => spent,
        }
    }

    /// Whether its nodes count for a metric.
    #[must_use]
    pub const fn counts_for(&self, metric: &Definition) -> bool {
        match metric.quantity {
            // A function inside a receive is no second receive.
            Quantity::Visits if self.is_program() => metric.categories.contains(Category::Function),
            _ => metric.categories.contains(self.category),
        }
    }
}

/// A class: its traits and everything it lies in.
#[derive(Debug)]
pub struct Class {
    /// What tells it apart.
    pub traits: Traits,
    /// Code, functions and object with all above them, sorted.
    pub lineage: Vec<ResourceId>,
    /// The same without the functions: where it is whatever is watched.
    pub standing_lineage: Vec<ResourceId>,
    /// Its own code with all above it, sorted.
    pub own_lineage: Vec<ResourceId>,
}

/// How a class differs from another one at the same place: its category, its object where that is not the other's, and the function that the
/// place is in, where no event tells of that.
type Alike = (Category, Option<ResourceId>, Option<ResourceId>);

/// All classes met so far. They only grow, as regions and objects do.
#[derive(Debug)]
pub struct Classes {
    ids: AHashMap<Traits, ClassId>,
    list: Vec<Class>,
    /// The category of each, close together: each pass asks for thousands of them.
    categories: Vec<Category>,
    /// The class at the same place that is of another category, and of an object.
    others: AHashMap<(ClassId, Alike), ClassId>,
    /// Regions of the program's own: they need not be switched on.
    regions: AHashSet<ResourceId>,
    /// By the number of a resource: the classes that lie in it, in the order of their numbers.
    inside: Vec<Vec<ClassId>>,
}

impl Default for Classes {
    fn default() -> Self {
        let (category, code, functions) = (Category::Other, Vec::new(), Vec::new());
        let traits = Traits { category, code, functions, object: None, own: None };
        let [lineage, standing_lineage, own_lineage] = [const { Vec::new() }; 3];
        let list = vec![Class { traits, lineage, standing_lineage, own_lineage }];
        let (ids, others) = (AHashMap::new(), AHashMap::new());
        let (regions, inside) = (AHashSet::new(), Vec::new());
        Self { ids, list, categories: vec![category], others, regions, inside }
    }
}

impl Classes {
    /// A class by its number.
    pub fn get(&self, id: ClassId) -> &Class {
        &self.list[id.0 as usize]
    }

    /// The category of a class.
    pub fn category(&self, id: ClassId) -> Category {
        self.categories[id.0 as usize]
    }

    /// All of them, by number.
    pub(super) fn ids(&self) -> impl Iterator<Item = ClassId> + use<> {
        (0..u32::try_from(self.list.len()).unwrap_or(u32::MAX)).map(ClassId)
    }

    /// The classes that lie in a resource, in the order of their numbers.
    pub(super) fn inside(&self, resource: ResourceId) -> &[ClassId] {
        self.inside.get(resource.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether this is a region of the program's own that was seen.
    pub fn is_region(&self, code: ResourceId) -> bool {
        self.regions.contains(&code)
    }

    /// The class of a node below one of class `parent`, with code and object of its own.
    ///
    /// To watch a function adds a place, never a kind of time: inside a wrapped call its time stays that call's, on the object
    /// of that call, as it was before anybody watched.
    pub fn below(
        &mut self,
        parent: ClassId,
        category: Category,
        own: Option<ResourceId>,
        object: Option<ResourceId>,
        resources: &mut Resources,
    ) -> ClassId {
        let around = &self.get(parent).traits;
        let is_wrapped = !CategorySet::COMPUTE.contains(around.category);
        let (kind, object_around) = (around.category, around.object);
        let (mut code, mut functions) = (around.code.clone(), around.functions.clone());
        let place = if category == Category::Function { &mut functions } else { &mut code };
        join(place, own);
        if category == Category::User {
            self.regions.extend(own);
        }
        let is_program = matches!(category, Category::User | Category::Function);
        let own = own.filter(|_| is_program);
        let (category, object) = match category {
            Category::Function if is_wrapped => (kind, object_around),
            _ => (category, object),
        };
        self.intern(Traits { category, code, functions, object, own }, resources)
    }

    /// The class of the time in which threads were at the same place, could run, and had no processor, for what `category` and the object say.
    pub fn run_delay(
        &mut self,
        class: ClassId,
        category: Category,
        object: ResourceId,
        resources: &mut Resources,
    ) -> ClassId {
        debug_assert!(CategorySet::RUN_DELAY.contains(category));
        self.alike(class, (category, Some(object), None), resources)
    }

    /// The class of the time in which threads were at the same place and waited for something that no event tells of: memory, a file, or what
    /// `object` says. It was in the function `code` as far as that is known.
    pub fn unseen(
        &mut self,
        class: ClassId,
        category: Category,
        object: Option<ResourceId>,
        code: Option<ResourceId>,
        resources: &mut Resources,
    ) -> ClassId {
        debug_assert!(CategorySet::UNSEEN.and(CategorySet::IO).contains(category));
        self.alike(class, (category, object, code), resources)
    }

    /// The class of the waiting in the same calls that is because of what `category` says.
    pub fn caused(
        &mut self,
        class: ClassId,
        category: Category,
        resources: &mut Resources,
    ) -> ClassId {
        debug_assert!(CategorySet::DERIVED.contains(category));
        self.alike(class, (category, None, None), resources)
    }

    /// The class of the time in which threads were at the same place and had no work yet: as of one that waits for another thread to end,
    /// it is no time of the program's.
    pub fn idle(&mut self, class: ClassId, resources: &mut Resources) -> ClassId {
        self.alike(class, (Category::Join, None, None), resources)
    }

    fn alike(&mut self, class: ClassId, alike: Alike, resources: &mut Resources) -> ClassId {
        if let Some(known) = self.others.get(&(class, alike)) {
            return *known;
        }
        let (category, object, function) = alike;
        let around = self.get(class).traits.clone();
        let mut code = around.code;
        join(&mut code, function);
        let traits = Traits { category, code, object: object.or(around.object), ..around };
        let found = self.intern(traits, resources);
        // No process has such an object: it is there since something waited for it.
        object.into_iter().for_each(|object| resources.hold(object));
        self.others.insert((class, alike), found);
        found
    }

    /// The classes from a number on, in the order of their numbers.
    pub fn since(&self, first: usize) -> impl Iterator<Item = &Class> {
        self.list.iter().skip(first)
    }

    /// The class with these traits, if there is one.
    pub fn find(&self, traits: &Traits) -> Option<ClassId> {
        self.ids.get(traits).copied()
    }

    /// The class with these traits.
    pub fn intern(&mut self, traits: Traits, resources: &mut Resources) -> ClassId {
        if let Some(id) = self.ids.get(&traits) {
            return *id;
        }
        // A pair that names a function knows it already; its callers are new and are reported.
        traits.code.iter().for_each(|code| resources.hold(*code));
        let standing = traits.code.iter().chain(&traits.object);
        let standing_lineage = lineage(standing.clone(), resources);
        let lineage = lineage(standing.chain(&traits.functions), resources);
        let mut own_lineage = traits.own.map_or_else(Vec::new, |own| resources.lineage(own));
        own_lineage.sort_unstable();
        let id = ClassId(u32::try_from(self.list.len()).expect("fewer than 2^32 classes"));
        self.ids.insert(traits.clone(), id);
        self.categories.push(traits.category);
        for resource in lineage.iter().chain(&own_lineage) {
            self.lies_in(id, *resource);
        }
        self.list.push(Class { traits, lineage, standing_lineage, own_lineage });
        id
    }

    fn lies_in(&mut self, class: ClassId, resource: ResourceId) {
        let at = resource.0 as usize;
        if at >= self.inside.len() {
            self.inside.resize_with(at + 1, Vec::new);
        }
        let known = &mut self.inside[at];
        if known.last() != Some(&class) {
            known.push(class);
        }
    }
}

/// Adds one to those that are sorted, unless it is there.
fn join(places: &mut Vec<ResourceId>, one: Option<ResourceId>) {
    if let Some(one) = one
        && let Err(at) = places.binary_search(&one)
    {
        places.insert(at, one);
    }
}

/// All that these lie in, themselves included, sorted.
fn lineage<'a>(of: impl Iterator<Item = &'a ResourceId>, resources: &Resources) -> Vec<ResourceId> {
    let mut lineage: Vec<_> = of.flat_map(|id| resources.lineage(*id)).collect();
    lineage.sort_unstable();
    lineage.dedup();
    lineage
}
