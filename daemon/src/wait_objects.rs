//! The objects of waits that no event tells of, by reason: each pass asks for them again and again.

use std::collections::BTreeMap;

use whyperf_inject::WaitReason;
use whyperf_model::matching::{ResourceId, Resources};
use whyperf_model::{Hierarchy, Resource};

use crate::object_name::with_peer;

/// Those that threads were seen to wait for.
#[derive(Debug, Default)]
pub(crate) struct WaitObjects(BTreeMap<WaitReason, ResourceId>);

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
            None => *self.0.entry(reason).or_insert_with(|| resources.id(&kind())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
