//! A thread's tree of callpath nodes: finding a child, making one, the ways back that it lacks.
//!
//! The hot path finds children in a direct-mapped cache. Behind it lies a hash table of all nodes
//! in private memory, which grows. When a node cannot be made, the event goes to "other".

use crate::node_index::{Key, key_of};
use crate::thread::{self, BUSY, OTHER, Private, ROOT};
use crate::thread_local::thread;
use crate::view::{Slot, is_node};
use crate::{clock, environ, limit, map, measurement};
use core::sync::atomic::Ordering;
use whyperf_layout::geometry::{NODE_CAPACITY, NODES_IN_SLOT, PAGE, STAMPS_IN_SLOT, node_offset};
use whyperf_layout::slot::{self, node_of};
use whyperf_layout::{Node, Traced};

/// Walks from the current node outwards over the visits that are open.
#[derive(Debug)]
pub(crate) struct Open {
    /// The node of this visit.
    pub(crate) node: u32,
    returns: usize,
    /// Steps along parents; a chain longer than there are nodes is a damaged one.
    parents: usize,
}

impl Open {
    /// Starts at the current node.
    pub(crate) fn new(private: &Private) -> Self {
        let node = node_of(private.slot().head().word.load(Ordering::Relaxed));
        Self { node, returns: 0, parents: 0 }
    }

    /// The visit's region, and the step to the visit around it; `None` at the root.
    pub(crate) fn step(&mut self, private: &Private) -> Option<u32> {
        if self.node == ROOT {
            return None;
        }
        let (region, back) = if private.fold() != 0 || self.node == OTHER {
            let entry = private.returns.peek(self.returns)?;
            self.returns += 1;
            entry
        } else if !is_node(self.node) || self.parents == NODE_CAPACITY {
            measurement::give_up_damaged();
            return None;
        } else {
            self.parents += 1;
            let node = private.slot().node(self.node);
            (node.region.load(Ordering::Relaxed), node.parent.load(Ordering::Relaxed))
        };
        self.node = back;
        Some(region)
    }
}

/// Where the end of the current visit leads; forgets the remembered way.
pub(crate) fn parent_after_visit(private: &Private, current: u32) -> u32 {
    if private.fold() == 0 && current != OTHER {
        return private.slot().node(current).parent.load(Ordering::Relaxed);
    }
    let Some((_, back)) = private.returns.peek(0) else { return ROOT };
    private.returns.pop();
    back
}

/// The node to go to from `current`, made if need be; "other" when it cannot be. `None` when even
/// the way back could not be remembered.
pub(crate) fn child(private: &Private, current: u32, key: Key) -> Option<u32> {
    let next = beside(private, current, key);
    if next == OTHER {
        count_overflow(private);
    }
    if (private.fold() != 0 || next == OTHER)
        && !private.returns.push(key.region_and_object as u32, current)
    {
        return None;
    }
    Some(next)
}

/// The node of a part beside the one that [`child`] leads to; "other" when it cannot be made.
pub(crate) fn beside(private: &Private, current: u32, key: Key) -> u32 {
    if current == OTHER {
        OTHER
    } else if private.fold() == 0 {
        find_or_make(private, current, key)
    } else {
        folded(private, current, key)
    }
}

fn count_overflow(private: &Private) {
    let overflowed = &private.slot().head().overflowed;
    overflowed.store(overflowed.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

/// The node that a call of the function leads to: where the function is on the path already, the
/// node it has there.
pub(crate) fn callee(private: &Private, current: u32, region: u32) -> u32 {
    let key = Key::new(region, 0, 0);
    let next = if current == OTHER {
        OTHER
    } else if private.fold() != 0 {
        folded(private, current, key)
    } else if let Some(known) = on_path(private, current, region) {
        return known;
    } else {
        find_or_make(private, current, key)
    };
    if next == OTHER {
        count_overflow(private);
    }
    next
}

/// The innermost node of this region on the way from the root to `current`.
fn on_path(private: &Private, current: u32, region: u32) -> Option<u32> {
    let mut at = current;
    for _ in 0..NODE_CAPACITY {
        if at == ROOT || !is_node(at) {
            return None;
        }
        let node = private.slot().node(at);
        if node.region.load(Ordering::Relaxed) == region {
            return Some(at);
        }
        at = node.parent.load(Ordering::Relaxed);
    }
    measurement::give_up_damaged();
    None
}

/// Whether `outer` is on the way from the root to `node`, or is it.
pub(crate) fn is_inside(private: &Private, node: u32, outer: u32) -> bool {
    let mut at = node;
    for _ in 0..NODE_CAPACITY {
        if at == outer {
            return true;
        }
        if at == ROOT || !is_node(at) {
            return false;
        }
        at = private.slot().node(at).parent.load(Ordering::Relaxed);
    }
    false
}

/// The node whose path is the last `fold` regions of the current path and this one.
fn folded(private: &Private, current: u32, key: Key) -> u32 {
    let mut path = [0_u32; environ::DEEPEST as usize];
    let mut depth = 0;
    let mut at = current;
    while at != ROOT
        && let Some(place) = path.get_mut(depth)
    {
        *place = at;
        depth += 1;
        at = private.slot().node(at).parent.load(Ordering::Relaxed);
    }
    if depth < private.fold() as usize {
        return find_or_make(private, current, key);
    }
    let mut base = ROOT;
    for node in path.iter().take(depth.saturating_sub(1)).rev() {
        base = find_or_make(private, base, key_of(private.slot(), *node));
        if base == OTHER {
            return OTHER;
        }
    }
    find_or_make(private, base, key)
}

fn find_or_make(private: &Private, parent: u32, key: Key) -> u32 {
    if let Some(found) = private.children.find(private.slot(), parent, key) {
        return found;
    }
    let block = thread();
    // From here on a handler's events are dropped, because they find no slot and the flag.
    block.slot.store(core::ptr::null_mut(), Ordering::Relaxed);
    thread::raise(&block, BUSY);
    // A handler may have made it since the search above.
    let node = private.children.find(private.slot(), parent, key);
    let node = node.unwrap_or_else(|| make(private, parent, key));
    thread::lower(&block, BUSY);
    thread::open(&block, private);
    node
}

/// Makes a node and publishes it by raising the count.
fn make(private: &Private, parent: u32, key: Key) -> u32 {
    let slot = private.slot();
    let count = slot.head().nodes.load(Ordering::Relaxed) as usize;
    if count >= NODE_CAPACITY || !reach(private, count) || !private.children.reserve(slot) {
        private.tables().header().losses.nodes.fetch_add(1, Ordering::Relaxed);
        return OTHER;
    }
    let offset = node_offset(count);
    clear(slot, offset);
    let node = slot.node(offset);
    node.site.store(key.site, Ordering::Relaxed);
    node.region.store(key.region_and_object as u32, Ordering::Relaxed);
    node.object.store((key.region_and_object >> 32) as u32, Ordering::Relaxed);
    node.parent.store(parent, Ordering::Relaxed);
    limit::set(private, node, clock::now());
    private.children.insert(slot, offset);
    slot.head().publish_nodes(count as u32 + 1);
    let object = (key.region_and_object >> 32) as u16;
    let region = key.region_and_object as u16;
    private.ring.record(Traced::Node { node: offset, parent, region, object });
    if key.site != 0 {
        private.ring.record(Traced::Site { address: key.site });
    }
    offset
}

/// Populates the next pages of nodes and stamps when the node would lie beyond them.
fn reach(private: &Private, index: usize) -> bool {
    const NODES: usize = PAGE / size_of::<Node>();
    const STAMPS: usize = PAGE / size_of::<u32>();
    if index < private.ready.load(Ordering::Relaxed) {
        return true;
    }
    let base = private.slot().base();
    // SAFETY: a page of the thread's own slot, where no node was made yet.
    let has_nodes = unsafe {
        map::populate(base.wrapping_add(NODES_IN_SLOT + index * size_of::<Node>()), PAGE)
    };
    if !has_nodes {
        return false;
    }
    let stamps = base.wrapping_add(STAMPS_IN_SLOT + index * size_of::<u32>());
    // SAFETY: a page of stamps whose nodes are all to be made.
    if index.is_multiple_of(STAMPS) && !unsafe { map::populate(stamps, PAGE) } {
        return false;
    }
    private.ready.store(private.ready.load(Ordering::Relaxed) + NODES, Ordering::Relaxed);
    true
}

/// Empties a node, also one that an earlier thread of the slot used.
pub(crate) fn clear(slot: Slot, offset: u32) {
    let node = slot.node(offset);
    for word in [&node.visits, &node.exclusive, &node.bytes, &node.site, &node.received] {
        word.store(0, Ordering::Relaxed);
    }
    for half in [&node.done, &node.limit, &node.region, &node.object, &node.parent, &node.reserved]
    {
        half.store(0, Ordering::Relaxed);
    }
    slot.stamp(offset).store(0, Ordering::Relaxed);
}

/// Gives the node at `offset` that key under the root, without publishing it.
pub(crate) fn scratch(slot: Slot, offset: u32, key: Key) {
    clear(slot, offset);
    let node = slot.node(offset);
    node.region.store(key.region_and_object as u32, Ordering::Relaxed);
    node.parent.store(ROOT, Ordering::Relaxed);
}

/// In a forked child: opens again what its parent had open, so that its ends find their begins.
pub(crate) fn reopen(private: &Private, parents: &Private) {
    let mut path = [0_u32; environ::DEEPEST as usize];
    let mut depth = 0;
    let mut at = parents.forked.load(Ordering::Relaxed);
    while at != ROOT
        && at != OTHER
        && at != 0
        && let Some(place) = path.get_mut(depth)
    {
        *place = at;
        depth += 1;
        at = parents.slot().node(at).parent.load(Ordering::Relaxed);
    }
    for node in path.iter().take(depth).rev() {
        let current = Open::new(private).node;
        let Some(next) = child(private, current, key_of(parents.slot(), *node)) else { return };
        let now = clock::now();
        let slot = private.slot();
        slot::begin(slot.head(), slot.node(current), slot.stamp(current), next, now);
    }
}
