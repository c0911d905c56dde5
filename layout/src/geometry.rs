//! The geometry of the region: offsets, capacities and the size of the file.
//!
//! ```text
//!  0        Header          one page     written by the process
//!  4 KiB    CommandPage     one page     written by the daemon (its only writable page)
//!  8 KiB    ReplyPage       one page     written by the process
//!  12 KiB   results         one page     written by the process, a word per patch record
//!  16 KiB   PatchRecord     x 192        written by the daemon, read by the agent
//!  64 KiB   RegionRecord    x 65 536     append-only
//!  5.75 MiB ObjectRecord    x 65 536     append-only, names and states may change
//!  9 MiB    strings         16 MiB       append-only
//!  32 MiB   slot 0, slot 1, ...          one per thread, SLOT_SIZE apart
//!
//!  a slot:  Head (one page) | stamps u32 x 65 536 | nodes 64 B x 65 536 | PeerPage x 16
//! ```
//! The file is sparse: what is never touched costs address space only.

use crate::{Head, Header, Node, ObjectRecord, PEER_PAGES, PatchRecord, PeerPage, RegionRecord};
use core::mem::size_of;

/// Size of a page, the unit of mapping and of populating.
pub const PAGE: usize = 4096;
/// Offset of the [`CommandPage`](crate::CommandPage).
pub const COMMANDS: usize = PAGE;
/// Offset of the [`ReplyPage`](crate::ReplyPage).
pub const REPLIES: usize = 2 * PAGE;
/// Offset of the results: one word per patch record.
pub const RESULTS: usize = 3 * PAGE;
/// Offset of the patch records, which the daemon writes.
pub const STAGING: usize = 4 * PAGE;
/// Patch records that one batch has at most.
pub const STAGING_CAPACITY: usize = 192;
/// Offset of the table of regions.
pub const REGIONS: usize = 64 << 10;
/// Capacity of the table of regions; also the number of switch bytes.
pub const REGION_CAPACITY: usize = 1 << 16;
/// Offset of the table of objects.
pub const OBJECTS: usize = 23 << 18;
/// Capacity of the table of objects.
pub const OBJECT_CAPACITY: usize = 1 << 16;
/// Offset of the strings.
pub const STRINGS: usize = 9 << 20;
/// Bytes reserved for strings.
pub const STRINGS_SIZE: usize = 16 << 20;
/// Offset of the first slot; what lies below is mapped when the process attaches.
pub const SLOTS: usize = 32 << 20;
/// Nodes of one slot.
pub const NODE_CAPACITY: usize = 1 << 16;
/// Offset of the stamps inside a slot.
pub const STAMPS_IN_SLOT: usize = PAGE;
/// Offset of the nodes inside a slot; an offset of a node counts from the slot's start.
pub const NODES_IN_SLOT: usize = STAMPS_IN_SLOT + 4 * NODE_CAPACITY;
/// Offset of the records of ranks inside a slot.
pub const PEERS_IN_SLOT: usize = NODES_IN_SLOT + size_of::<Node>() * NODE_CAPACITY;
/// Distance between slots.
pub const SLOT_SIZE: usize = PEERS_IN_SLOT + size_of::<PeerPage>() * PEER_PAGES;
/// Slots that a region has at most; a process may reserve fewer (`Header::slot_capacity`).
pub const SLOT_CAPACITY: usize = 4096;

/// Offset of a slot from the start of the file.
#[must_use]
pub const fn slot_offset(slot: usize) -> usize {
    SLOTS + slot * SLOT_SIZE
}

/// Size of a file with so many slots.
#[must_use]
pub const fn file_size(slots: usize) -> usize {
    slot_offset(slots)
}

/// Slot-relative offset of a node; node 0 matches nothing, 1 is the root, 2 is "other".
#[must_use]
pub const fn node_offset(index: usize) -> u32 {
    // A slot is 4.4 MiB, so an offset inside one always fits.
    (NODES_IN_SLOT + index * size_of::<Node>()) as u32
}

/// The index of the node at a slot-relative offset, `None` where no node can lie.
#[must_use]
pub const fn node_index(offset: u32) -> Option<usize> {
    let offset = offset as usize;
    if offset < NODES_IN_SLOT || !(offset - NODES_IN_SLOT).is_multiple_of(size_of::<Node>()) {
        return None;
    }
    let index = (offset - NODES_IN_SLOT) / size_of::<Node>();
    if index < NODE_CAPACITY { Some(index) } else { None }
}

#[cfg(not(loom))]
const _: () = {
    assert!(size_of::<Header>() <= PAGE);
    assert!(size_of::<crate::CommandPage>() <= PAGE);
    assert!(size_of::<crate::ReplyPage>() <= PAGE);
    assert!(size_of::<Head>() <= PAGE);
    assert!(size_of::<Node>() == 64);
    assert!(size_of::<PatchRecord>() == 256);
    assert!(size_of::<PeerPage>() == PAGE);
    assert!(PEERS_IN_SLOT.is_multiple_of(PAGE));
    assert!(STAGING_CAPACITY * 8 <= PAGE);
    assert!(STAGING + size_of::<PatchRecord>() * STAGING_CAPACITY <= REGIONS);
    assert!(REGIONS + size_of::<RegionRecord>() * REGION_CAPACITY <= OBJECTS);
    assert!(OBJECTS + size_of::<ObjectRecord>() * OBJECT_CAPACITY <= STRINGS);
    assert!(STRINGS + STRINGS_SIZE <= SLOTS);
    assert!(SLOT_SIZE.is_multiple_of(PAGE));
};
#[cfg(loom)]
const _: (Option<(Header, Head, PatchRecord)>, Option<(RegionRecord, ObjectRecord)>) = (None, None);
