//! What a status says that arrived, in bytes.

use super::dialect::{Dialect, Family};
use super::real;

/// Room for a status of any MPI.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(crate) struct Room([u8; LARGEST]);

/// Size of the largest status.
const LARGEST: usize = 32;

impl Room {
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
        Family::Standard => real::count_bytes(address, BYTE),
    }
}

/// `MPI_BYTE` of the standard ABI.
const BYTE: usize = 0x247;
