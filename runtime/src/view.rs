//! Views of a mapped region: pointers to its parts as references to atomics.

use layout::geometry::{
    COMMANDS, NODE_CAPACITY, NODES_IN_SLOT, OBJECTS, PAGE, PEERS_IN_SLOT, REGIONS, REPLIES,
    RESULTS, STAGING, STAGING_CAPACITY, STAMPS_IN_SLOT, STRINGS, STRINGS_SIZE, node_offset,
};
use layout::sync::{AtomicU32, AtomicU64};
use layout::{
    CommandPage, Head, Header, Node, ObjectRecord, PatchRecord, Peer, PeerPage, PeerWriter,
    RegionRecord, ReplyPage,
};
use whyperf_layout as layout;

/// The mapped tables of a region; stays mapped for as long as the process measures into it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tables(*mut u8);

/// A mapped slot; stays mapped until the process ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot(*mut u8);

impl Tables {
    /// # Safety
    /// `base` is a mapping of at least `SLOTS` bytes of a region, and stays.
    pub(crate) const unsafe fn at(base: *mut u8) -> Self {
        Self(base)
    }

    pub(crate) const fn base(self) -> *mut u8 {
        self.0
    }

    pub(crate) fn header(self) -> &'static Header {
        // SAFETY: the header lies at offset 0 of the mapping and consists of atomics.
        unsafe { &*self.0.cast() }
    }

    pub(crate) fn commands(self) -> &'static CommandPage {
        // SAFETY: inside the mapping, page-aligned, atomics only.
        unsafe { &*self.0.add(COMMANDS).cast() }
    }

    pub(crate) fn replies(self) -> &'static ReplyPage {
        // SAFETY: inside the mapping, page-aligned, atomics only.
        unsafe { &*self.0.add(REPLIES).cast() }
    }

    /// A record of what the daemon wants patched; the last one where there are not so many.
    pub(crate) fn patch(self, at: usize) -> &'static PatchRecord {
        let at = at.min(STAGING_CAPACITY - 1);
        // SAFETY: inside the mapping, populated with its first pages; atomics only.
        unsafe { &*self.0.add(STAGING).cast::<PatchRecord>().add(at) }
    }

    /// The word that tells what became of a record.
    pub(crate) fn result(self, at: usize) -> &'static AtomicU64 {
        let at = at.min(STAGING_CAPACITY - 1);
        // SAFETY: as above.
        unsafe { &*self.0.add(RESULTS).cast::<AtomicU64>().add(at) }
    }

    /// Record of a region; every u16 has a place.
    pub(crate) fn region(self, id: u16) -> &'static RegionRecord {
        // SAFETY: the table has 65 536 places inside the mapping; atomics only.
        unsafe { &*self.0.add(REGIONS).cast::<RegionRecord>().add(usize::from(id)) }
    }

    /// Record of an object; every u16 has a place.
    pub(crate) fn object(self, id: u16) -> &'static ObjectRecord {
        // SAFETY: the table has 65 536 places inside the mapping; atomics only.
        unsafe { &*self.0.add(OBJECTS).cast::<ObjectRecord>().add(usize::from(id)) }
    }

    /// The words of the strings. Those that are not populated yet must not be touched.
    pub(crate) fn strings(self) -> &'static [AtomicU32] {
        const WORDS: usize = STRINGS_SIZE / size_of::<AtomicU32>();
        // SAFETY: so many aligned words inside the mapping, which stays; atomics only.
        unsafe { core::slice::from_raw_parts(self.0.add(STRINGS).cast(), WORDS) }
    }
}

impl Slot {
    /// # Safety
    /// `base` is a mapping of `SLOT_SIZE` bytes of a region, its first page populated, and stays.
    #[inline(always)]
    pub(crate) const unsafe fn at(base: *mut u8) -> Self {
        Self(base)
    }

    #[inline(always)]
    pub(crate) const fn base(self) -> *mut u8 {
        self.0
    }

    #[inline(always)]
    pub(crate) fn head<'a>(self) -> &'a Head {
        // SAFETY: the head is the slot's first page and consists of atomics.
        unsafe { &*self.0.cast() }
    }

    /// The node at an offset that was read from the region, which others may have damaged: where no
    /// node lies it is [`NOWHERE`].
    #[inline(always)]
    pub(crate) fn node<'a>(self, offset: u32) -> &'a Node {
        // SAFETY: an offset inside the slot where a node lies, atomics only.
        unsafe { &*self.0.add(checked(offset) as usize).cast() }
    }

    /// The node at an offset that this thread keeps in private memory.
    ///
    /// # Safety
    /// The offset must be that of a node, or 0 as in an empty cache entry: there lies the head, which also has 64 bytes of atomics.
    #[inline(always)]
    pub(crate) unsafe fn own_node<'a>(self, offset: u32) -> &'a Node {
        // SAFETY: the caller's promise.
        unsafe { &*self.0.add(offset as usize).cast() }
    }

    /// What the thread sent to a rank and received from it; its page must be there.
    #[inline(always)]
    pub(crate) fn peer<'a>(self, peer: Peer) -> PeerWriter<'a> {
        // SAFETY: the number of a peer's page is below the number of pages; atomics only.
        let page: &PeerPage =
            unsafe { &*self.0.add(PEERS_IN_SLOT).cast::<PeerPage>().add(peer.page()) };
        page.writer(peer)
    }

    /// The stamp beside a node.
    ///
    /// # Safety
    /// The offset must be that of a node.
    #[inline(always)]
    pub(crate) unsafe fn own_stamp<'a>(self, offset: u32) -> &'a AtomicU32 {
        let distance = (offset as usize).wrapping_sub(NODES_IN_SLOT) / 16;
        // SAFETY: the caller's promise, so this is an element of the array of stamps.
        unsafe { &*self.0.add(STAMPS_IN_SLOT.wrapping_add(distance)).cast() }
    }

    /// The stamp beside a node: a sixteenth of the node's distance from the first node. Checked as
    /// [`node`](Self::node) is.
    #[inline(always)]
    pub(crate) fn stamp<'a>(self, offset: u32) -> &'a AtomicU32 {
        const {
            assert!(size_of::<Node>() == 16 * size_of::<AtomicU32>());
        }
        let offset = checked(offset);
        // SAFETY: `offset` is a node's now, so this is an element of the array of stamps.
        unsafe {
            &*self
                .0
                .offset(STAMPS_IN_SLOT as isize - (NODES_IN_SLOT / 16) as isize)
                .add((offset >> 4) as usize)
                .cast()
        }
    }

    /// Region and object of an own node as one word: they lie side by side and never change together
    /// with a reader of this thread, so one comparison does for both.
    ///
    /// # Safety
    /// As for [`own_node`](Self::own_node).
    #[inline(always)]
    pub(crate) unsafe fn region_and_object(self, offset: u32) -> u64 {
        let at = core::mem::offset_of!(Node, region);
        const {
            assert!(core::mem::offset_of!(Node, region) % 8 == 0);
            assert!(core::mem::offset_of!(Node, object) == core::mem::offset_of!(Node, region) + 4);
        }
        // SAFETY: the caller's promise: eight aligned bytes inside the node.
        unsafe { (*self.0.add(offset as usize + at).cast::<AtomicU64>()).load(Relaxed) }
    }
}

use core::sync::atomic::Ordering::Relaxed;

/// Node 0, which belongs to no callpath.
const NOWHERE: u32 = node_offset(0);

/// Whether a node can lie at the offset. The rotation brings bits that an aligned offset has not to
/// the top, so one comparison does for alignment and both bounds.
#[inline(always)]
pub(crate) const fn is_node(offset: u32) -> bool {
    const {
        assert!(size_of::<Node>().is_power_of_two());
    }
    let distance = offset.wrapping_sub(NOWHERE);
    (distance.rotate_right(size_of::<Node>().trailing_zeros()) as usize) < NODE_CAPACITY
}

#[inline(always)]
const fn checked(offset: u32) -> u32 {
    if is_node(offset) { offset } else { NOWHERE }
}

const _: () = assert!(PAGE >= size_of::<Head>());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_offsets_of_nodes_are_taken() {
        let last = node_offset(NODE_CAPACITY - 1);
        for good in [NOWHERE, NOWHERE + 64, last] {
            assert_eq!(checked(good), good);
        }
        for bad in [0, 64, NOWHERE - 64, NOWHERE + 1, NOWHERE + 32, last + 64, last + 1, u32::MAX] {
            assert_eq!(checked(bad), NOWHERE, "{bad:#x}");
        }
    }
}
