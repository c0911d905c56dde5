//! A wait of a thread that no event tells of: for what, and in which function.

use whyperf_inject::WaitReason;
use whyperf_model::matching::{ClassId, ResourceId};
use whyperf_model::{Category, CategorySet};

use crate::shared_state::SharedState;
use crate::thread_activity::LastLook;

/// Waiting for something that no event tells of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnseenWait<'peer> {
    reason: WaitReason,
    /// Who has the other end of the pipe.
    peer: Option<&'peer str>,
    /// The function that waits.
    code: Option<ResourceId>,
}

impl<'peer> UnseenWait<'peer> {
    /// What a thread was last seen to wait for.
    pub(crate) fn of(last_look: &LastLook, peer: Option<&'peer str>) -> Self {
        Self { reason: last_look.reason(), peer, code: last_look.place() }
    }

    /// The class of such time at a place. Who waits for another process to end has given its work to that, as one who waits for a thread.
    pub(crate) fn class(self, at: ClassId, state: &mut SharedState) -> ClassId {
        let SharedState { classes, resources, wait_objects, .. } = state;
        if self.reason == WaitReason::Child {
            return classes.idle(at, resources);
        }
        let category = match self.reason {
            WaitReason::Paging => Category::Paging,
            WaitReason::Read => Category::Read,
            WaitReason::Write => Category::Write,
            WaitReason::Flush => Category::Flush,
            WaitReason::Metadata => Category::Metadata,
            _ => Category::Blocked,
        };
        // Which file it was nobody has told.
        let is_file = CategorySet::IO.contains(category);
        let object = (!is_file).then(|| wait_objects.id(self.reason, self.peer, resources));
        classes.unseen(at, category, object, self.code, resources)
    }
}
