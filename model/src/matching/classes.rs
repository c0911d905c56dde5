//! What a node counts for: a class is all that a focus and a metric may ask of it.
//!
//! Many nodes share a class: those of the same call in other threads and processes, and those
//! whose paths hold the same functions. Pairs are matched with classes, once each.

use ahash::{AHashMap, AHashSet};

use super::resources::{ResourceId, Resources};
use crate::Category;

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
    /// What its region does.
    pub category: Category,
    /// Code anywhere on the path, sorted.
    pub code: Vec<ResourceId>,
    /// What it synchronizes on, or the file it works on.
    pub object: Option<ResourceId>,
    /// Its own code, where it is a region or function of the program: what its calls are calls of.
    pub own: Option<ResourceId>,
}

/// A class: its traits and everything it lies in.
#[derive(Debug)]
pub struct Class {
    /// What tells it apart.
    pub traits: Traits,
    /// Code and object with all above them, sorted.
    pub lineage: Vec<ResourceId>,
    /// Its own code with all above it, sorted.
    pub own_lineage: Vec<ResourceId>,
}

/// All classes met so far. They only grow, as regions and objects do.
#[derive(Debug)]
pub struct Classes {
    ids: AHashMap<Traits, ClassId>,
    list: Vec<Class>,
    /// Functions that are there because somebody asked: whoever asks knows them already.
    watched: AHashSet<ResourceId>,
    /// Regions of the program's own: they need nobody to switch them on.
    regions: AHashSet<ResourceId>,
}

impl Default for Classes {
    fn default() -> Self {
        let (category, code) = (Category::Other, Vec::new());
        let traits = Traits { category, code, object: None, own: None };
        let list = vec![Class { traits, lineage: Vec::new(), own_lineage: Vec::new() }];
        Self { ids: AHashMap::new(), list, watched: AHashSet::new(), regions: AHashSet::new() }
    }
}

impl Classes {
    /// A class by its number.
    pub fn get(&self, id: ClassId) -> &Class {
        &self.list[id.0 as usize]
    }

    /// Whether this is a region of the program's own that was seen.
    pub fn is_region(&self, code: ResourceId) -> bool {
        self.regions.contains(&code)
    }

    /// The class of a node below one of class `parent`, with code and object of its own.
    pub fn below(
        &mut self,
        parent: ClassId,
        category: Category,
        own: Option<ResourceId>,
        object: Option<ResourceId>,
        resources: &mut Resources,
    ) -> ClassId {
        let mut code = self.get(parent).traits.code.clone();
        if let Some(own) = own
            && let Err(place) = code.binary_search(&own)
        {
            code.insert(place, own);
        }
        match own {
            Some(own) if category == Category::Function => {
                self.watched.insert(own);
            }
            Some(own) if self.watched.remove(&own) => resources.hold(own),
            _ => {}
        }
        if category == Category::User {
            self.regions.extend(own);
        }
        let is_program = matches!(category, Category::User | Category::Function);
        let own = own.filter(|_| is_program);
        self.intern(Traits { category, code, object, own }, resources)
    }

    /// The classes from a number on, in the order of their numbers.
    pub fn since(&self, first: usize) -> impl Iterator<Item = &Class> {
        self.list.iter().skip(first)
    }

    /// The class with these traits.
    pub fn intern(&mut self, traits: Traits, resources: &mut Resources) -> ClassId {
        if let Some(id) = self.ids.get(&traits) {
            return *id;
        }
        for code in traits.code.iter().filter(|code| !self.watched.contains(code)) {
            resources.hold(*code);
        }
        let held = traits.code.iter().chain(&traits.object);
        let mut lineage: Vec<_> = held.flat_map(|id| resources.lineage(*id)).collect();
        lineage.sort_unstable();
        lineage.dedup();
        let mut own_lineage = traits.own.map_or_else(Vec::new, |own| resources.lineage(own));
        own_lineage.sort_unstable();
        let id = ClassId(u32::try_from(self.list.len()).expect("fewer than 2^32 classes"));
        self.ids.insert(traits.clone(), id);
        self.list.push(Class { traits, lineage, own_lineage });
        id
    }
}
