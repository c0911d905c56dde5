//! Regions of the program's own in the graph of calls.
//!
//! A region is inside the function that begins it, and what that function calls may be called inside the region.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Hierarchy, Resource};

/// The regions that were met.
#[derive(Debug, Default)]
pub(crate) struct ProgramRegions {
    by_function: BTreeMap<Resource, BTreeSet<Resource>>,
    functions: BTreeMap<Resource, Resource>,
}

impl ProgramRegions {
    /// A region was met, and begins in a function. Answers what it is inside of; nothing when it was known.
    pub(crate) fn meet(&mut self, region: &Resource, function: Resource) -> Vec<Resource> {
        if self.functions.insert(region.clone(), function.clone()).is_some() {
            return Vec::new();
        }
        let outer = vec![Resource::root(Hierarchy::Code), function.clone()];
        self.by_function.entry(function).or_default().insert(region.clone());
        outer
    }

    /// The regions directly inside; all of them for the root.
    pub(crate) fn inside(&self, code: &Resource) -> Vec<Resource> {
        if code.is_root() {
            return self.functions.keys().cloned().collect();
        }
        self.by_function.get(code).into_iter().flatten().cloned().collect()
    }

    /// The function that begins a region; another resource stands for itself.
    pub(crate) fn beginner<'code>(&'code self, code: &'code Resource) -> &'code Resource {
        self.functions.get(code).unwrap_or(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_inside_its_function_and_the_root_and_is_met_once() {
        let [root, function, region] = ["", "/a.c/step", "/a.c/step/loop"].map(|path| {
            path.split('/').skip(1).fold(Resource::root(Hierarchy::Code), |up, name| up.child(name))
        });
        let mut regions = ProgramRegions::default();
        assert_eq!(regions.meet(&region, function.clone()), [root.clone(), function.clone()]);
        assert!(regions.meet(&region, function.clone()).is_empty());
        let only = std::slice::from_ref(&region);
        assert_eq!(regions.inside(&root), only);
        assert_eq!(regions.inside(&function), only);
        assert_eq!((regions.beginner(&region), regions.beginner(&root)), (&function, &root));
    }
}
