//! The first page of a region: its version, the process it belongs to, how far its tables reach, and the losses.

use crate::sync::{AtomicI32, AtomicU32, AtomicU64};

/// First eight bytes of every region: `WHYPERF` and a zero byte.
pub const MAGIC: u64 = u64::from_le_bytes(*b"WHYPERF\0");
/// Raised with every change of a byte's meaning.
pub const VERSION: u32 = 11;
/// `rank` of a process that is not (yet) a member of an MPI job.
pub const NO_RANK: i32 = -1;

/// `program_base` of a program that does not tell.
pub const NO_BASE: u64 = u64::MAX;

/// Bit of `paused`: the program paused the measurement.
pub const PAUSED_BY_PROGRAM: u32 = 1;
/// Bit of `paused`: the daemon did, to see how much faster the program is without.
pub const PAUSED_BY_DAEMON: u32 = 2;

/// Where a process stands; stored in [`Header::state`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum RegionState {
    /// The file is being prepared; do not read it yet.
    Preparing = 0,
    /// Events may come at any time.
    Running = 1,
    /// The process said that it leaves (`exit`, `_exit`): no event will follow.
    Left = 2,
    /// The process is about to become another program (`exec`).
    Replaced = 3,
    /// The process found that what lies here cannot be its own recording, and records no more.
    GivenUp = 4,
    /// The process goes on and is measured no further: it was asked to, or it gave up what measuring needs.
    Alone = 5,
}

/// The header; every word is written by the process, read by the daemon.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Header {
    /// [`MAGIC`], stored last of all when the region is ready.
    pub magic: AtomicU64,
    /// [`VERSION`].
    pub version: AtomicU32,
    /// Slots the file has room for.
    pub slot_capacity: AtomicU32,
    /// Process id in the process's own namespace.
    pub pid: AtomicU32,
    /// Parent's process id.
    pub parent_pid: AtomicU32,
    /// Rank in `MPI_COMM_WORLD`, [`NO_RANK`] outside MPI.
    pub rank: AtomicI32,
    /// Size of `MPI_COMM_WORLD`, 0 outside MPI.
    pub world_size: AtomicU32,
    /// A [`RegionState`].
    pub state: AtomicU32,
    /// 1 when ticks are the time stamp counter, 0 when they are nanoseconds of `CLOCK_MONOTONIC`.
    pub clock_is_tsc: AtomicU32,
    /// Ticks when the region was made.
    pub start_ticks: AtomicU64,
    /// `CLOCK_MONOTONIC` nanoseconds at the same moment.
    pub start_nanos: AtomicU64,
    /// Ticks when `MPI_Init` returned, 0 before.
    pub mpi_ticks: AtomicU64,
    /// Ticks when the process left, 0 before.
    pub end_ticks: AtomicU64,
    /// String: path of the program.
    pub program: AtomicU32,
    /// Who paused the measurement: [`PAUSED_BY_PROGRAM`], [`PAUSED_BY_DAEMON`], or both.
    pub paused: AtomicU32,
    /// Number of phases begun so far, and the string of the newest one's name.
    pub phase_count: AtomicU32,
    /// String: name of the newest phase.
    pub phase_name: AtomicU32,
    /// Bytes of strings in use.
    pub strings_used: AtomicU32,
    /// Regions in use; record 0 means "none".
    pub region_count: AtomicU32,
    /// Objects in use; record 0 means "none".
    pub object_count: AtomicU32,
    /// Slots ever claimed.
    pub slot_count: AtomicU32,
    /// What had to be skipped.
    pub losses: Losses,
    /// Which MPI was found: 0 none, 1 Open MPI, 2 MPICH family, 3 the MPI-5 ABI.
    pub mpi_family: AtomicU32,
    /// 1 once the agent thread waits for commands.
    pub agent: AtomicU32,
    /// What is added to the addresses in the program's file to have those in memory; [`NO_BASE`] when unknown.
    pub program_base: AtomicU64,
    /// 1 while the process waits at the startup barrier until functions are in place.
    pub at_startup_barrier: AtomicU32,
    /// 1 in a forked copy of a measured process, which has its functions switched on from the start.
    pub forked: AtomicU32,
}

/// Everything that had to be skipped, process-wide; a slot counts its own drops beside its word.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Losses {
    /// Threads that found no slot.
    pub threads: AtomicU64,
    /// Nodes that found no room: their events went to "other".
    pub nodes: AtomicU64,
    /// Objects that found no room or went to "other tags".
    pub objects: AtomicU64,
    /// Regions that found no room.
    pub regions: AtomicU64,
    /// Strings that found no room.
    pub strings: AtomicU64,
    /// Requests whose communicator and tag could not be kept.
    pub requests: AtomicU64,
    /// Replies that found the ring full.
    pub replies: AtomicU64,
    /// Threads that found no ring, though they are traced.
    pub rings: AtomicU64,
}
