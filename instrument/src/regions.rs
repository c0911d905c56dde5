//! The program's own regions that are new, kept until the worker gets them.
//!
//! A region is inside the function that begins it. It needs no patch, so it is also asked about at
//! once, before anything is known of the functions around it.

use std::collections::BTreeSet;

use whyperf_model::Resource;

use crate::messages::WorkerRequest;

/// A region, and the function that begins it.
pub type Begun = (Resource, Resource);

/// The regions that were met.
#[derive(Debug, Default)]
pub(crate) struct MetRegions {
    met: BTreeSet<Resource>,
    /// Those that the worker was not told of.
    untold: Vec<Begun>,
}

impl MetRegions {
    /// Takes note of regions that were met.
    pub(crate) fn meet(&mut self, begun: Vec<Begun>) {
        let met = &mut self.met;
        self.untold.extend(begun.into_iter().filter(|(region, _)| met.insert(region.clone())));
    }

    /// What the worker is to be told.
    pub(crate) fn take_requests(&mut self) -> impl Iterator<Item = WorkerRequest> + use<> {
        let untold = std::mem::take(&mut self.untold).into_iter();
        untold.map(|(region, function)| WorkerRequest::Region { region, function })
    }
}
