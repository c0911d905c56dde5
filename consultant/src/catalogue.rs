//! The catalogue of known resources, and which of them are below which.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Hierarchy, Resource};

use crate::places::ProcessPlacement;

/// All resources ever named. Those that retired are remembered, but not offered any more.
#[derive(Debug, Default)]
pub(crate) struct ResourceCatalogue {
    children: BTreeMap<Resource, BTreeSet<Resource>>,
    retired: BTreeSet<Resource>,
    /// How many there are just below each root.
    counts: [usize; Hierarchy::ALL.len()],
    /// Which process runs on which machine.
    pub(crate) places: ProcessPlacement,
}

impl ResourceCatalogue {
    /// Adds a resource and whatever of its ancestors is new; tells which were new, parents first. One that had retired comes
    /// back as new.
    pub(crate) fn add(&mut self, resource: &Resource) -> Vec<Resource> {
        let Some(parent) = resource.parent() else { return Vec::new() };
        let siblings = self.children.entry(parent.clone()).or_default();
        let is_new = siblings.insert(resource.clone());
        if !(self.retired.remove(resource) || is_new) {
            // So were its ancestors when it came.
            return Vec::new();
        }
        let mut news = self.add(&parent);
        self.recount(resource, 1);
        news.push(resource.clone());
        news
    }

    /// Offers a resource no longer.
    pub(crate) fn retire(&mut self, resource: &Resource) {
        if self.is_known(resource) {
            self.recount(resource, -1);
        }
        self.places.remove(resource);
        self.retired.insert(resource.clone());
    }

    /// Whether a resource is there.
    pub(crate) fn is_known(&self, resource: &Resource) -> bool {
        let siblings = resource.parent().and_then(|parent| self.children.get(&parent));
        siblings.is_some_and(|siblings| siblings.contains(resource)) && !self.is_retired(resource)
    }

    /// Whether a resource was there and is gone.
    pub(crate) fn is_retired(&self, resource: &Resource) -> bool {
        self.retired.contains(resource)
    }

    /// What is just below a resource and has not retired.
    pub(crate) fn children(&self, resource: &Resource) -> Vec<Resource> {
        let all = self.children.get(resource).into_iter().flatten();
        all.filter(|child| !self.retired.contains(*child)).cloned().collect()
    }

    /// How many there are just below a root: counted, since processes come one by one and there may be many.
    pub(crate) fn count(&self, hierarchy: Hierarchy) -> usize {
        self.counts[hierarchy.index()]
    }

    fn recount(&mut self, resource: &Resource, by: isize) {
        if resource.depth() == 1 {
            let count = &mut self.counts[resource.hierarchy().index()];
            *count = count.saturating_add_signed(by);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors_come_along_and_the_retired_stay_away() {
        let resource = |text: &str| Resource::parse(text).expect("well formed");
        let mut catalogue = ResourceCatalogue::default();
        let news = catalogue.add(&resource("/Code/a.c/f"));
        assert_eq!(news, [resource("/Code/a.c"), resource("/Code/a.c/f")]);
        assert!(catalogue.add(&resource("/Code/a.c/f")).is_empty());
        assert_eq!(catalogue.add(&resource("/Code/a.c/g")), [resource("/Code/a.c/g")]);
        catalogue.retire(&resource("/Code/a.c/f"));
        assert_eq!(catalogue.children(&resource("/Code/a.c")), [resource("/Code/a.c/g")]);
        assert_eq!(catalogue.add(&resource("/Code/a.c/f")), [resource("/Code/a.c/f")]);
        assert_eq!(catalogue.count(Hierarchy::Code), 1);
        catalogue.retire(&resource("/Code/a.c"));
        catalogue.retire(&resource("/Code/a.c"));
        assert_eq!(catalogue.count(Hierarchy::Code), 0);
        catalogue.add(&resource("/Code/a.c"));
        assert_eq!(catalogue.count(Hierarchy::Code), 1);
    }
}
