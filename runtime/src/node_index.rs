//! The hash table of a thread's callpath nodes, by parent, region, object and call site.

use crate::kernel;
use crate::view::Slot;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use whyperf_layout::geometry::PAGE;

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
    ///
    /// # Safety
    /// The offset must be that of a node, or 0.
    #[inline(always)]
    pub(crate) unsafe fn is(self, slot: Slot, offset: u32, parent: u32) -> bool {
        // SAFETY: the caller's promise.
        let (node, both) = unsafe { (slot.own_node(offset), slot.region_and_object(offset)) };
        both == self.region_and_object
            && node.site.load(Ordering::Relaxed) == self.site
            && node.parent.load(Ordering::Relaxed) == parent
    }
}

/// The key of an existing node.
pub(crate) fn key_of(slot: Slot, offset: u32) -> Key {
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
pub(crate) struct NodeIndex {
    /// Where the places lie, on a page border, plus the logarithm of their number.
    table: AtomicPtr<u8>,
    /// Places taken, at most half of them.
    used: AtomicUsize,
}

/// The places of an [`NodeIndex`] as they were at one moment; mapped until the thread ends.
#[derive(Clone, Copy)]
struct IndexPlaces<'a>(&'a [AtomicU32]);

impl IndexPlaces<'_> {
    const fn start(self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.0.len() - 1)
    }

    /// The offset at a place; any number will do.
    fn offset(self, at: usize) -> u32 {
        self.0.get(at & (self.0.len() - 1)).map_or(0, |place| place.load(Ordering::Relaxed))
    }
}

impl NodeIndex {
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

    fn places(&self) -> IndexPlaces<'_> {
        let table = self.table.load(Ordering::Relaxed);
        let size = 1_usize << (table as usize % PAGE);
        let start = table.wrapping_sub(table as usize % PAGE).cast::<AtomicU32>();
        // SAFETY: `of` mapped so many zeros there, and they stay until the thread ends, be it that
        // there is a larger table.
        IndexPlaces(unsafe { core::slice::from_raw_parts(start, size) })
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
            // SAFETY: the table holds offsets of nodes, and zeros.
            if unsafe { key.is(slot, offset, parent) } {
                return Some(offset);
            }
            at += 1;
        }
    }

    pub(crate) fn insert(&self, slot: Slot, offset: u32) {
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
    pub(crate) fn reserve(&self, slot: Slot) -> bool {
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
        let IndexPlaces(places) = self.places();
        let (start, size) = (places.as_ptr().cast_mut().cast(), size_of_val(places));
        // SAFETY: made by `of` in this size; the caller promises that it is not used any more.
        unsafe { kernel::unmap(start, size) };
    }
}
