//! The objects of waits that no event tells of, by reason: each pass asks for them again and again.

use std::collections::BTreeMap;

use whyperf_inject::WaitReason;
use whyperf_model::matching::{ResourceId, Resources};
use whyperf_model::{Category, Hierarchy, Resource};

use crate::object_name::with_peer;

/// Those that threads were seen to wait for.
#[derive(Debug, Default)]
pub(crate) struct WaitObjects {
    by_reason: BTreeMap<WaitReason, ResourceId>,
    processors: BTreeMap<Category, ResourceId>,
}

impl WaitObjects {
    /// What a thread waits for; at a pipe with who has its other end.
    pub(crate) fn id(
        &mut self,
        reason: WaitReason,
        peer: Option<&str>,
        resources: &mut Resources,
    ) -> ResourceId {
        let kind = || Resource::root(Hierarchy::SyncObject).child(reason.name());
        match peer.filter(|_| reason == WaitReason::Pipe) {
            Some(peer) => resources.id(&with_peer(kind(), Some(peer))),
            None => *self.by_reason.entry(reason).or_insert_with(|| resources.id(&kind())),
        }
    }
}

impl WaitObjects {
    /// What a thread waits for that could run, by who has the processors.
    pub(crate) fn processor(&mut self, delay: Category, resources: &mut Resources) -> ResourceId {
        let object = || {
            let all = Resource::root(Hierarchy::SyncObject).child("Processor");
            match delay {
                Category::DelayByJob => all.child("job"),
                Category::DelayByOthers => all.child("others"),
                Category::Throttled => all.child("quota"),
                Category::Stolen => all.child("host"),
                Category::Pinned => all.child("binding"),
                _ => all,
            }
        };
        *self.processors.entry(delay).or_insert_with(|| resources.id(&object()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_known_by_who_has_them() {
        let (mut objects, mut resources) = (WaitObjects::default(), Resources::default());
        let mut name = |delay| {
            let id = objects.processor(delay, &mut resources);
            resources.resource(id).to_string()
        };
        assert_eq!(name(Category::RunDelay), "/SyncObject/Processor");
        assert_eq!(name(Category::DelayByOthers), "/SyncObject/Processor/others");
    }

    #[test]
    fn who_waits_for_memory_is_known_by_what_it_waits_on() {
        let (mut objects, mut resources) = (WaitObjects::default(), Resources::default());
        let paging = objects.id(WaitReason::Paging, None, &mut resources);
        assert_eq!(resources.paging(), Some(paging));
    }

    #[test]
    fn a_pipe_is_known_by_who_has_its_other_end_and_nothing_else_is() {
        let (mut objects, mut resources) = (WaitObjects::default(), Resources::default());
        let mut id = |reason, peer| objects.id(reason, peer, &mut resources);
        let [of_a, of_b, of_nobody] =
            [Some("a"), Some("b"), None].map(|peer| id(WaitReason::Pipe, peer));
        assert!(of_a != of_b && of_a != of_nobody && of_b != of_nobody);
        assert_eq!(id(WaitReason::Pipe, Some("a")), of_a);
        assert_eq!(id(WaitReason::Sleep, Some("a")), id(WaitReason::Sleep, None));
    }
}
