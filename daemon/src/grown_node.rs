//! A node of a thread that grew in a pass, with what is asked of it again and again.

use std::collections::BTreeMap;

use whyperf_model::matching::{ClassId, ResourceId, Resources, Traits};
use whyperf_model::{Category, CategorySet, Hierarchy, Nanos};

use crate::running_split::PlaceTime;

/// A node that grew, and for how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrownNode {
    pub(crate) node: u32,
    pub(crate) class: ClassId,
    pub(crate) category: Category,
    /// The region of the innermost function around it, 0 for none, where it computed.
    pub(crate) place: Option<u32>,
    pub(crate) time: Nanos,
    pub(crate) purpose: WaitPurpose,
}

/// For what a call waits, as far as that decides whether who waits is idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitPurpose {
    /// For nothing, or for something that is a part of its work.
    Other,
    /// Until somebody says that there is something to do, or until it is time to: it is idle if it hardly works.
    Work,
    /// For requests of others, as a server does by design: it is idle.
    Requests,
}

/// Whether a call waits for work: by what it does, or because it reads from a pipe.
pub(crate) fn is_for_work(traits: &Traits, resources: &Resources) -> bool {
    let is_pipe = |object: ResourceId| {
        let mut names = resources.resource(object).components();
        names.next() == Some(Hierarchy::File.name()) && names.next() == Some("pipe")
    };
    let reads = traits.category == Category::Read;
    CategorySet::FOR_WORK.contains(traits.category) || reads && traits.object.is_some_and(is_pipe)
}

/// How long a thread computed at each place.
pub(crate) fn computed(grown: &[GrownNode]) -> BTreeMap<u32, PlaceTime> {
    let mut times: BTreeMap<u32, PlaceTime> = BTreeMap::new();
    for (place, time) in grown.iter().filter_map(|one| Some((one.place?, one.time))) {
        times.entry(place).or_default().computed += time;
    }
    times
}

#[cfg(test)]
mod tests {
    use whyperf_model::Resource;

    use super::*;

    #[test]
    fn who_reads_what_tells_of_work_waits_for_it() {
        let mut resources = Resources::default();
        let mut waits = |category, object: &str| {
            let object = Resource::parse(object).expect("well formed");
            let traits = Traits {
                category,
                code: Vec::new(),
                functions: Vec::new(),
                object: Some(resources.id(&object)),
                own: None,
            };
            is_for_work(&traits, &resources)
        };
        assert!(waits(Category::Read, "/File/pipe") && waits(Category::Read, "/File/pipe/gzip"));
        assert!(waits(Category::Condition, "/SyncObject/CondVar/c"));
        assert!(!waits(Category::Read, "/File/data/pipe") && !waits(Category::Write, "/File/pipe"));
        assert!(!waits(Category::Read, "/SyncObject/pipe"));
        assert!(waits(Category::Semaphore, "/SyncObject/Semaphore/s"));
        assert!(!waits(Category::Mutex, "/SyncObject/Mutex/m"));
    }
}
