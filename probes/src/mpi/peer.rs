//! Translates ranks of a communicator to ranks of the job.
//!
//! # Idea
//! A direct-mapped table keeps what the MPI says of a rank of a communicator. A communicator has a number of its own there
//! that no other one ever gets, so nothing has to be removed when it is freed.
//!
//! ```text
//!   entry = | number of the communicator : 32 | its rank : 16 | record of the rank of the job : 16 |
//! ```

use core::sync::atomic::{AtomicU64, Ordering};

use whyperf_layout::Peer;

use super::communicator;
use super::dialect::Dialect;

/// Ranks that are remembered, a power of two.
const CAPACITY: usize = 1 << 12;
static KNOWN: [AtomicU64; CAPACITY] = [const { AtomicU64::new(0) }; CAPACITY];

/// The rank of the job that a rank of a communicator is; `None` where it is nobody (`MPI_PROC_NULL`).
///
/// # Safety
/// A call must have succeeded on the communicator.
#[inline]
pub(crate) unsafe fn of(dialect: &Dialect, comm: usize, rank: i32) -> Option<Peer> {
    if rank < 0 {
        return None;
    }
    if comm == dialect.comm_world() {
        return Some(Peer::of_rank(rank));
    }
    let known = communicator::number(comm).zip(u16::try_from(rank).ok());
    let Some((number, short)) = known else { return Some(Peer::UNKNOWN) };
    let key = (u64::from(number) << 32) | (u64::from(short) << 16);
    let place = (number as usize).wrapping_mul(31).wrapping_add(usize::from(short));
    let entry = KNOWN.get(place % CAPACITY)?;
    let remembered = entry.load(Ordering::Relaxed);
    if remembered >> 16 == key >> 16 {
        return Some(Peer::of_index(usize::from(remembered as u16)));
    }
    // SAFETY: the caller's promise.
    let peer = unsafe { ask(dialect, comm, rank) };
    entry.store(key | peer.index() as u64, Ordering::Relaxed);
    Some(peer)
}

/// The same as a number; none where it is nobody, or not known.
///
/// # Safety
/// A call must have succeeded on the communicator.
pub(crate) unsafe fn of_rank(dialect: &Dialect, comm: usize, rank: i32) -> Option<u32> {
    if comm == dialect.comm_world() {
        return u32::try_from(rank).ok();
    }
    // SAFETY: the caller's promise.
    unsafe { of(dialect, comm, rank) }?.rank()
}

/// # Safety
/// A call must have succeeded on the communicator.
#[cold]
unsafe fn ask(dialect: &Dialect, comm: usize, rank: i32) -> Peer {
    // SAFETY: the caller's promise.
    let rank = unsafe { communicator::world_rank(dialect, comm, rank) };
    rank.map_or(Peer::UNKNOWN, Peer::of_rank)
}
