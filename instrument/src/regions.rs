//! Regions of the program's own in the graph of calls.
//!
//! A region is inside the function that begins it, and what that function calls may be called inside the region. It
//! needs nothing to be switched on, so it is also asked about at once, before anything is known of the functions
//! around it.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Hierarchy, Resource};

use crate::instrumenter::Instrumenter;
use crate::messages::WorkerRequest;
use crate::worker::Worker;

/// A region, and the function that begins it.
pub type Begun = (Resource, Resource);

/// The regions that were met.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    by_function: BTreeMap<Resource, BTreeSet<Resource>>,
    functions: BTreeMap<Resource, Resource>,
}

impl Regions {
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

impl Instrumenter {
    /// Takes note of regions that were met.
    pub fn meet_regions(&mut self, begun: Vec<Begun>) {
        let known = &mut self.regions;
        let news = begun.into_iter().filter(|(region, _)| known.insert(region.clone()));
        self.untold_regions.extend(news);
    }

    /// Tells the worker of regions, once a search asks which functions a function calls.
    pub(crate) fn pass_regions_on(&mut self) {
        if self.asked_callees.is_some() {
            for (region, function) in std::mem::take(&mut self.untold_regions) {
                self.ask(WorkerRequest::Region { region, function });
            }
        }
    }
}

impl Worker {
    /// A region was met.
    pub(crate) fn meet(&mut self, region: Resource, function: Resource) {
        if self.regions.functions.insert(region.clone(), function.clone()).is_some() {
            return;
        }
        for outer in [Resource::root(Hierarchy::Code), function.clone()] {
            self.experience.tell(outer, region.clone());
        }
        self.regions.by_function.entry(function).or_default().insert(region);
    }
}
