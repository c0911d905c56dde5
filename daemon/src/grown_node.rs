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
    /// Whether it waits until somebody says that there is something to do, or until it is time to.
    pub(crate) is_for_work: bool,
}

/// Whether a call waits for work: by what it does, or because it reads what tells of some.
pub(crate) fn is_for_work(traits: &Traits, resources: &Resources) -> bool {
    let tells = |object: ResourceId| {
        let mut names = resources.resource(object).components();
        names.next() == Some(Hierarchy::File.name())
            && names.next().is_some_and(|name| TELLING.contains(&name))
    };
    let reads = traits.category == Category::Read;
    CategorySet::FOR_WORK.contains(traits.category) || reads && traits.object.is_some_and(tells)
}

/// What is read to be told of work: by its name below the root of files.
const TELLING: [&str; 5] = ["eventfd", "inotify", "pipe", "signalfd", "timerfd"];

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
        assert!(waits(Category::Read, "/File/timerfd") && waits(Category::Read, "/File/pipe/gzip"));
        assert!(waits(Category::Condition, "/SyncObject/CondVar/c"));
        assert!(!waits(Category::Read, "/File/data/pipe") && !waits(Category::Write, "/File/pipe"));
        assert!(!waits(Category::Read, "/SyncObject/pipe"));
    }
}
