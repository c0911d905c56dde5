//! The limit of a node: the number of visits at which the costs of its events are checked.

use crate::environ::settings;
use crate::functions::budget;
use crate::thread::Private;
use core::sync::atomic::Ordering;
use whyperf_layout::slot::low;
use whyperf_layout::{Kind, Node};

/// Visits between two looks at what the events of a region of the program cost.
pub(crate) const LOOK_EVERY: u32 = 1 << 20;
/// Unit of [`Node::reserved`], so that 32 bits are enough for days.
pub(crate) const COARSE: u32 = 16;

/// Says when the costs of the node are to be looked at again. Never for calls into a library:
/// their numbers are promised to be exact.
pub(crate) fn set(private: &Private, node: &Node, now: u64) {
    match kind_of(private, node) {
        Some(Kind::User | Kind::UserEvent) if settings().cost_limit != 0 => {
            let limit = low(node.visits.load(Ordering::Relaxed)).wrapping_add(LOOK_EVERY);
            node.limit.store(limit, Ordering::Relaxed);
            node.reserved.store((now >> COARSE) as u32, Ordering::Relaxed);
        }
        Some(Kind::Function) => budget::watch(node, now),
        _ => {}
    }
}

/// What the node's region does.
pub(crate) fn kind_of(private: &Private, node: &Node) -> Option<Kind> {
    let region = private.tables().region(node.region.load(Ordering::Relaxed) as u16);
    Kind::from_number(region.kind.load(Ordering::Relaxed))
}
