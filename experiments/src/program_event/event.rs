//! A program event: the forest of resource hierarchies that a run was made of.

use std::collections::{BTreeMap, BTreeSet};

use ahash::AHashSet;
use whyperf_consultant::NameMaps;
use whyperf_model::{Focus, Hierarchy, Resource};

/// Every resource with those just below it; with a resource everything above it is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramEvent {
    children: BTreeMap<Resource, BTreeSet<Resource>>,
}

impl ProgramEvent {
    /// The forest that has these resources, and with each everything above it.
    #[must_use]
    pub fn new(resources: impl IntoIterator<Item = Resource>) -> Self {
        let mut all: Vec<Resource> = Vec::new();
        let mut known = AHashSet::new();
        for resource in resources {
            let mut next = Some(resource).filter(|one| !known.contains(one));
            while let Some(resource) = next {
                known.insert(resource.clone());
                next = resource.parent().filter(|above| !known.contains(above));
                all.push(resource);
            }
        }
        all.sort();
        Self::of_sorted(all)
    }

    /// The forest of resources in their order, each once: what is above one stands before it, and what is below follows without a gap.
    fn of_sorted(all: Vec<Resource>) -> Self {
        let mut children: Vec<(Resource, Vec<Resource>)> = Vec::with_capacity(all.len());
        // Positions of what the next may be below.
        let mut above: Vec<usize> = Vec::new();
        for resource in all {
            while above.pop_if(|last| !children[*last].0.contains(&resource)).is_some() {}
            if let Some(parent) = above.last() {
                children[*parent].1.push(resource.clone());
            }
            above.push(children.len());
            children.push((resource, Vec::new()));
        }
        let sets = children.into_iter().map(|(one, below)| (one, below.into_iter().collect()));
        Self { children: sets.collect() }
    }

    /// All resources, each after those above it.
    pub fn resources(&self) -> impl Iterator<Item = &Resource> {
        self.children.keys()
    }

    /// Whether the run had this resource.
    #[must_use]
    pub fn contains(&self, resource: &Resource) -> bool {
        self.children.contains_key(resource)
    }

    /// The resources just below one.
    pub fn children(&self, of: &Resource) -> impl Iterator<Item = &Resource> {
        self.children.get(of).into_iter().flatten()
    }

    /// Whether a focus names only what the run had; a root is whatever there was, and so always valid.
    #[must_use]
    pub fn is_valid(&self, focus: &Focus) -> bool {
        let named = Hierarchy::ALL.into_iter().flat_map(|hierarchy| focus.part(hierarchy));
        named.into_iter().all(|resource| resource.is_root() || self.contains(resource))
    }

    /// The same run in the names that another has for its things.
    #[must_use]
    pub fn renamed(&self, maps: &NameMaps) -> Self {
        Self::new(self.resources().map(|resource| maps.renamed(resource)))
    }
}

#[cfg(test)]
pub(super) mod example {
    use super::*;

    pub(in super::super) fn event(resources: &[&str]) -> ProgramEvent {
        ProgramEvent::new(resources.iter().map(|name| name.parse().expect("well formed")))
    }

    /// The program event of the paper's Figure 1, a parallel application called *Tester*.
    pub(in super::super) fn tester() -> ProgramEvent {
        event(&[
            "/Code/testutil.C/printstatus",
            "/Code/testutil.C/verifyA",
            "/Code/testutil.C/verifyB",
            "/Code/main.C/main",
            "/Code/vect.C/vect::addel",
            "/Code/vect.C/vect::findel",
            "/Code/vect.C/vect::print",
            "/Machine/CPU_1",
            "/Machine/CPU_2",
            "/Process/Tester:1",
            "/Process/Tester:2",
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::example::{event, tester};
    use super::*;

    fn names<'a>(resources: impl Iterator<Item = &'a Resource>) -> Vec<&'a str> {
        resources.map(Resource::path).collect()
    }

    #[test]
    fn each_level_of_a_hierarchy_is_a_partition_of_the_next() {
        let tester = tester();
        let modules = names(tester.children(&Resource::root(Hierarchy::Code)));
        assert_eq!(modules, ["/Code/main.C", "/Code/testutil.C", "/Code/vect.C"]);
        let module: Resource = "/Code/testutil.C".parse().expect("well formed");
        let inside = ["/Code/testutil.C/printstatus", "/Code/testutil.C/verifyA"];
        assert_eq!(names(tester.children(&module))[..2], inside);
        assert_eq!(tester.resources().filter(|one| one.depth() == 2).count(), 7);
    }

    #[test]
    fn with_a_resource_everything_above_it_is_there() {
        let event = event(&["/Process/0/1", "/Process/0"]);
        assert_eq!(names(event.resources()), ["/Process", "/Process/0", "/Process/0/1"]);
    }

    #[test]
    fn a_focus_is_valid_where_all_its_resources_are() {
        let valid = |text: &str| tester().is_valid(&text.parse().expect("well formed"));
        assert!(valid("</Code/testutil.C/(verifyA,verifyB),/Process/Tester:2>"));
        assert!(!valid("</Code/testutil.C/(verifyA,verifyC)>"));
        assert!(valid("</File>"), "a hierarchy that the event lacks restricts nothing at its root");
    }
}
