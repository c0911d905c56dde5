//! Numbers of records and members, as the format has them.

use whyperf_extrapolate::CollectiveKind;

/// The anchor file.
pub(super) const ANCHOR_MAGIC: &[u8] = b"OTF2\0";
pub(super) const ANCHOR_FORMAT: u8 = 3;
pub(super) const TRACE_FORMAT: u8 = 2;
/// Of the library that the format is taken from.
pub(super) const VERSION: [u8; 3] = [3, 0, 0];

/// What stands in each chunk.
pub(super) const END_OF_CHUNK: u8 = 0;
pub(super) const END_OF_FILE: u8 = 2;
pub(super) const CHUNK_HEADER: u8 = 3;
pub(super) const TIMESTAMP: u8 = 5;
pub(super) const LITTLE_ENDIAN: u8 = 0x42;
/// Bytes of a chunk's header.
pub(super) const HEADER_SIZE: usize = 18;

/// Local definitions.
pub(super) const MAPPING_TABLE: u8 = 5;

/// Global definitions.
pub(super) const CLOCK: u8 = 5;
pub(super) const PARADIGM: u8 = 6;
pub(super) const STRING: u8 = 10;
pub(super) const SYSTEM_TREE_NODE: u8 = 12;
pub(super) const LOCATION_GROUP: u8 = 13;
pub(super) const LOCATION: u8 = 14;
pub(super) const REGION: u8 = 15;
pub(super) const GROUP: u8 = 18;
pub(super) const COMM: u8 = 22;
pub(super) const RMA_WIN: u8 = 24;

/// Events.
pub(super) const ATTRIBUTES: u8 = 6;
pub(super) const ENTER: u8 = 12;
pub(super) const LEAVE: u8 = 13;
pub(super) const SEND: u8 = 14;
pub(super) const ISEND: u8 = 15;
pub(super) const ISEND_COMPLETE: u8 = 16;
pub(super) const IRECV_REQUEST: u8 = 17;
pub(super) const RECV: u8 = 18;
pub(super) const IRECV: u8 = 19;
pub(super) const REQUEST_TEST: u8 = 20;
pub(super) const REQUEST_CANCELLED: u8 = 21;
pub(super) const COLLECTIVE_BEGIN: u8 = 22;
pub(super) const COLLECTIVE_END: u8 = 23;
pub(super) const RMA_PUT: u8 = 46;
pub(super) const RMA_GET: u8 = 47;

/// What regions are.
pub(super) const ROLE_FUNCTION: u8 = 1;
pub(super) const ROLE_ARTIFICIAL: u8 = 31;
pub(super) const PARADIGM_USER: u8 = 1;
pub(super) const PARADIGM_MPI: u8 = 4;
pub(super) const PARADIGM_MEASUREMENT: u8 = 6;
/// Groups of locations, and of ranks among these.
pub(super) const GROUP_LOCATIONS: u8 = 4;
pub(super) const GROUP_RANKS: u8 = 5;
/// The same as versions before 1.2 numbered them.
pub(super) const OLD_GROUP_LOCATIONS: u8 = 6;
pub(super) const OLD_GROUP_RANKS: u8 = 4;
/// Types of mapping tables.
pub(super) const MAPS_REGIONS: u8 = 3;
pub(super) const MAPS_COMMUNICATORS: u8 = 6;

/// No one, and nothing.
pub(super) const UNDEFINED: u32 = u32::MAX;

/// The number of a collective operation. Those of one kind are taken as one when they are read.
pub(super) const fn operation(kind: CollectiveKind) -> u8 {
    match kind {
        CollectiveKind::Broadcast => 1,
        CollectiveKind::Gather => 2,
        CollectiveKind::Scatter => 4,
        CollectiveKind::Allgather => 6,
        CollectiveKind::Alltoall => 8,
        CollectiveKind::Allreduce => 11,
        CollectiveKind::Reduce => 12,
        CollectiveKind::ReduceScatter => 13,
        CollectiveKind::Scan => 14,
    }
}

/// The number of a barrier.
pub(super) const BARRIER: u8 = 0;
/// That of a scan in which a member's own contribution is not its own.
pub(super) const EXCLUSIVE_SCAN: u8 = 15;

/// The kind of an operation; none of a barrier and of what only makes handles.
pub(super) const fn kind(operation: u8) -> Option<CollectiveKind> {
    Some(match operation {
        1 => CollectiveKind::Broadcast,
        2 | 3 => CollectiveKind::Gather,
        4 | 5 => CollectiveKind::Scatter,
        6 | 7 => CollectiveKind::Allgather,
        8..=10 => CollectiveKind::Alltoall,
        11 => CollectiveKind::Allreduce,
        12 => CollectiveKind::Reduce,
        13 | 16 => CollectiveKind::ReduceScatter,
        14 | 15 => CollectiveKind::Scan,
        _ => return None,
    })
}
