//! A thread's tree of callpath nodes: finding a child, making one, the ways back that it lacks.
//!
//! The hot path finds children in a direct-mapped cache. Behind it lies a hash table of all nodes
//! in private memory, which grows. When a node cannot be made, the event goes to "other".

use crate::thread::{BUSY, OTHER, Private, ROOT};
use crate::thread_local::thread;
use crate::view::{Slot, is_node};
use crate::{clock, environ, kernel, map, process, thread};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence};
use whyperf_layout::Node;
use whyperf_layout::geometry::{NODE_CAPACITY, NODES_IN_SLOT, PAGE, STAMPS_IN_SLOT, node_offset};
use whyperf_layout::slot::{self, node_of};

/// What tells a child from its siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// Region in the low half, object in the high half, as they lie in a node.
    pub(crate) region_and_object: u64,
    /// Return address of the call.
    pub(crate) site: u64,
}

impl Key {
    #[inline(always)]
    pub(crate) const fn new(region: u32, object: u32, site: u64) -> Self {
        Self { region_and_object: (region as u64) | ((object as u64) << 32), site }
    }

    /// One multiplication over everything; the top bits are the best mixed.
    #[inline(always)]
    pub(crate) const fn hash(self, parent: u32) -> u64 {
        let site = self.site.rotate_left(17);
        (self.region_and_object.rotate_left(32) ^ site ^ (parent as u64))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Whether the node at `offset` is the child of `parent` with this key.
    #[inline(always)]
    pub(crate) fn is(self, slot: Slot, offset: u32, parent: u32) -> bool {
        let node = slot.own_node(offset);
        slot.region_and_object(offset) == self.region_and_object
            && node.site.load(Ordering::Relaxed) == self.site
            && node.parent.load(Ordering::Relaxed) == parent
    }
}

/// The key of an existing node.
fn key_of(slot: Slot, offset: u32) -> Key {
    let node = slot.node(offset);
    let (region, object) =
        (node.region.load(Ordering::Relaxed), node.object.load(Ordering::Relaxed));
    Key::new(region, object, node.site.load(Ordering::Relaxed))
}

/// The hash table of a thread's nodes: their offsets, 0 for an empty place.
///
/// A handler may search it, and replace it by a larger one, while the thread is being searched for a
/// node; so one word says where the places are and how many.
#[derive(Debug)]
pub(crate) struct Index {
    /// Where the places lie, on a page border, plus the logarithm of their number.
    table: AtomicPtr<u8>,
    /// Places taken, at most half of them.
    used: AtomicUsize,
}

/// The places of an [`Index`] as they were at one moment; mapped until the thread ends.
#[derive(Clone, Copy)]
struct Places<'a>(&'a [AtomicU32]);

impl Places<'_> {
    const fn start(self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.0.len() - 1)
    }

    /// The offset at a place; any number will do.
    fn offset(self, at: usize) -> u32 {
        self.0.get(at & (self.0.len() - 1)).map_or(0, |place| place.load(Ordering::Relaxed))
    }
}

impl Index {
    /// A small one, a page.
    pub(crate) fn new() -> Option<Self> {
        Self::of(PAGE / size_of::<u32>())
    }

    /// One of so many places, a power of two and at least a page of them.
    fn of(size: usize) -> Option<Self> {
        let memory = kernel::private_memory(size * size_of::<u32>())?;
        let table = memory.wrapping_add(size.trailing_zeros() as usize);
        Some(Self { table: AtomicPtr::new(table), used: AtomicUsize::new(0) })
    }

    fn places(&self) -> Places<'_> {
        let table = self.table.load(Ordering::Relaxed);
        let size = 1_usize << (table as usize % PAGE);
        let start = table.wrapping_sub(table as usize % PAGE).cast::<AtomicU32>();
        // SAFETY: `of` mapped so many zeros there, and they stay until the thread ends, be it that
        // there is a larger table.
        Places(unsafe { core::slice::from_raw_parts(start, size) })
    }

    /// Forgets all nodes: another measurement begins.
    pub(crate) fn clear(&self) {
        self.places().0.iter().for_each(|place| place.store(0, Ordering::Relaxed));
        self.used.store(0, Ordering::Relaxed);
    }

    /// The child of `parent` with this key.
    pub(crate) fn find(&self, slot: Slot, parent: u32, key: Key) -> Option<u32> {
        let places = self.places();
        let mut at = places.start(key.hash(parent));
        loop {
            let offset = places.offset(at);
            if offset == 0 {
                return None;
            }
            if key.is(slot, offset, parent) {
                return Some(offset);
            }
            at += 1;
        }
    }

    fn insert(&self, slot: Slot, offset: u32) {
        let places = self.places();
        let parent = slot.node(offset).parent.load(Ordering::Relaxed);
        let mut at = places.start(key_of(slot, offset).hash(parent));
        // At most half of the places are taken.
        while places.offset(at) != 0 {
            at += 1;
        }
        if let Some(place) = places.0.get(at & (places.0.len() - 1)) {
            place.store(offset, Ordering::Relaxed);
        }
        self.used.store(self.used.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Makes room for one node more; false when there is no memory.
    fn reserve(&self, slot: Slot) -> bool {
        let places = self.places();
        let size = places.0.len();
        if 2 * (self.used.load(Ordering::Relaxed) + 1) <= size {
            return true;
        }
        let Some(larger) = Self::of(2 * size) else { return false };
        for at in 0..size {
            let offset = places.offset(at);
            if offset != 0 {
                larger.insert(slot, offset);
            }
        }
        // The smaller table stays mapped: this thread may be in a signal handler that came while
        // it was being searched. All the smaller ones together are no larger than the new one.
        self.table.store(larger.table.load(Ordering::Relaxed), Ordering::Relaxed);
        true
    }

    /// Gives the memory back, at the thread's end.
    ///
    /// # Safety
    /// Nothing on this thread's stack uses the table, and nothing will.
    pub(crate) unsafe fn release(&self) {
        let Places(places) = self.places();
        let (start, size) = (places.as_ptr().cast_mut().cast(), size_of_val(places));
        // SAFETY: made by `of` in this size; the caller promises that nobody uses it.
        unsafe { kernel::unmap(start, size) };
    }
}

/// Ways back that the tree does not know: out of "other", and out of a node of a folded path.
#[derive(Debug)]
pub(crate) struct Returns {
    /// Of each the region in the upper half and the node in the lower.
    entries: AtomicPtr<AtomicU64>,
    used: AtomicUsize,
}

impl Returns {
    /// Deepest nesting that is kept.
    const CAPACITY: usize = 1 << 20;
    /// Bytes of all entries.
    const SIZE: usize = Self::CAPACITY * size_of::<AtomicU64>();

    /// None yet; memory is taken at the first use.
    pub(crate) const fn new() -> Self {
        Self { entries: AtomicPtr::new(core::ptr::null_mut()), used: AtomicUsize::new(0) }
    }

    /// Forgets all: another measurement begins.
    pub(crate) fn clear(&self) {
        self.used.store(0, Ordering::Relaxed);
    }

    /// The entries; `None` when there is no memory.
    fn entries(&self) -> Option<&[AtomicU64]> {
        let known = self.entries.load(Ordering::Relaxed);
        let entries = if known.is_null() { self.make_entries()? } else { known };
        // SAFETY: so many zeros were mapped there, and they stay until the thread ends.
        Some(unsafe { core::slice::from_raw_parts(entries, Self::CAPACITY) })
    }

    #[cold]
    fn make_entries(&self) -> Option<*mut AtomicU64> {
        let memory = kernel::private_memory(Self::SIZE)?;
        let (made, null) = (memory.cast(), core::ptr::null_mut());
        let before =
            self.entries.compare_exchange(null, made, Ordering::Relaxed, Ordering::Relaxed);
        let Err(handlers) = before else { return Some(made) };
        // SAFETY: mapped just now, and known to nobody: a handler came first.
        unsafe { kernel::unmap(memory, Self::SIZE) };
        Some(handlers)
    }

    /// Remembers that the end of `region` leads back to `node`; false when there is no room.
    pub(crate) fn push(&self, region: u32, node: u32) -> bool {
        let Some(entries) = self.entries() else { return false };
        let used = self.used.load(Ordering::Relaxed);
        let Some(place) = entries.get(used) else { return false };
        // Taken before it is written: a handler in between puts its own entries above it.
        self.used.store(used + 1, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst); // SYNC returns with Returns::peek
        place.store(u64::from(region) << 32 | u64::from(node), Ordering::Relaxed);
        true
    }

    /// The entry `depth` steps below the newest. A handler has taken its own back when it returns.
    fn peek(&self, depth: usize) -> Option<(u32, u32)> {
        // SYNC returns with Returns::push
        let at = self.used.load(Ordering::Relaxed).checked_sub(depth + 1)?;
        let entry = self.entries()?.get(at)?.load(Ordering::Relaxed);
        Some(((entry >> 32) as u32, entry as u32))
    }

    /// Takes the newest entry away.
    fn pop(&self) {
        let used = self.used.load(Ordering::Relaxed);
        self.used.store(used.saturating_sub(1), Ordering::Relaxed);
    }

    /// Gives the memory back, at the thread's end.
    ///
    /// # Safety
    /// Nothing on this thread's stack uses the entries, and nothing will.
    pub(crate) unsafe fn release(&self) {
        let entries = self.entries.load(Ordering::Relaxed);
        if !entries.is_null() {
            // SAFETY: made by `make_entries` in this size; the caller promises that nobody uses it.
            unsafe { kernel::unmap(entries.cast(), Self::SIZE) };
        }
    }
}

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
            process::give_up();
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
pub(crate) fn way_back(private: &Private, current: u32) -> u32 {
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
    let next = if current == OTHER {
        OTHER
    } else if private.fold() == 0 {
        find_or_make(private, current, key)
    } else {
        folded(private, current, key)
    };
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
    process::give_up();
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
    crate::slow::set_limit(private, node, clock::now());
    private.children.insert(slot, offset);
    slot.head().publish_nodes(count as u32 + 1);
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
