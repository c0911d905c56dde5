//! Reads from a status how many bytes arrived, and from which rank.

use super::dialect::{Dialect, Family};
use super::real;

/// Room for a status of any MPI.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(crate) struct StatusRoom([u8; LARGEST]);

/// Size of the largest status.
const LARGEST: usize = 32;

impl StatusRoom {
    /// All zero: nothing arrived.
    pub(crate) const EMPTY: Self = Self([0; LARGEST]);
}

/// Bytes that arrived according to the status at `address`.
///
/// # Safety
/// A call of this MPI must have filled the status.
pub(crate) unsafe fn received(dialect: &Dialect, address: usize) -> u64 {
    match dialect.family {
        // SAFETY: source, tag, error, cancelled are `int`, the bytes follow as `size_t`.
        Family::OpenMpi => unsafe { *((address + 16) as *const u64) },
        Family::Mpich => {
            // SAFETY: the first two `int` are the count; bit 0 of the second means cancelled.
            let (low, high) = unsafe { (*(address as *const u32), *((address + 4) as *const u32)) };
            (u64::from(high >> 1) << 32) | u64::from(low)
        }
        // SAFETY: the caller's promise.
        Family::Standard => unsafe { real::count_bytes(address, BYTE) },
    }
}

/// Whether the status at `address` says that its message was cancelled, so that nothing arrived.
///
/// # Safety
/// A call of this MPI that completes requests must have filled the status; others leave alone
/// what cannot be.
pub(crate) unsafe fn was_cancelled(dialect: &Dialect, address: usize) -> bool {
    match dialect.family {
        // SAFETY: cancelled is the fourth `int`.
        Family::OpenMpi => unsafe { *((address + 12) as *const i32) != 0 },
        // SAFETY: bit 0 of the second `int`.
        Family::Mpich => unsafe { *((address + 4) as *const u32) & 1 != 0 },
        // SAFETY: the caller's promise.
        Family::Standard => unsafe { real::is_cancelled(address) },
    }
}

/// `MPI_SOURCE` of the status at `address`, which is a rank of the communicator.
///
/// # Safety
/// A call of this MPI that received a message must have filled the status.
pub(crate) unsafe fn source(dialect: &Dialect, address: usize) -> i32 {
    let place = if dialect.family == Family::Mpich { 8 } else { 0 };
    // SAFETY: it is the first `int`, after the two of the count in MPICH.
    unsafe { *((address + place) as *const i32) }
}

/// `MPI_TAG` of the status at `address`.
///
/// # Safety
/// As for [`source`].
pub(crate) unsafe fn tag(dialect: &Dialect, address: usize) -> i32 {
    let place = if dialect.family == Family::Mpich { 12 } else { 4 };
    // SAFETY: it is the `int` after the source.
    unsafe { *((address + place) as *const i32) }
}

/// `MPI_ERROR` of the status at `address`.
///
/// # Safety
/// A call of this MPI that answered [`Dialect::is_in_status`] must have filled the status.
pub(crate) unsafe fn error(dialect: &Dialect, address: usize) -> i32 {
    let place = if dialect.family == Family::Mpich { 16 } else { 8 };
    // SAFETY: source, tag and error are `int`, after the two of the count in MPICH.
    unsafe { *((address + place) as *const i32) }
}

/// `MPI_BYTE` of the standard ABI.
const BYTE: usize = 0x247;
