//! Arenas: memory near the code of an object, for what its patched functions need.
//!
//! ```text
//!   address   data: one word per function, read and written      what the stubs jump through
//!             code: read and executed, never writable            stubs and copies
//! ```
//! The daemon chooses where; memory that is mapped there already stays as it is. A fork's child has a copy of its own.

use crate::kernel;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use whyperf_layout::geometry::PAGE;

/// Arenas of a process.
const ARENAS: usize = 256;
/// Most bytes of either part.
const LARGEST: u64 = 64 << 20;

struct MappedArena {
    data: AtomicU64,
    code: AtomicU64,
    end: AtomicU64,
}

static ALL: [MappedArena; ARENAS] = [const {
    MappedArena { data: AtomicU64::new(0), code: AtomicU64::new(0), end: AtomicU64::new(0) }
}; ARENAS];
static USED: AtomicUsize = AtomicUsize::new(0);

/// Maps one; an answer other than 0 is the error.
pub(super) fn map(address: u64, data: u64, code: u64) -> u64 {
    let whole = |size: u64| size != 0 && size <= LARGEST && size.is_multiple_of(PAGE as u64);
    let used = USED.load(Ordering::Relaxed);
    let (true, Some(place)) = (
        address != 0 && address.is_multiple_of(PAGE as u64) && whole(data) && whole(code),
        ALL.get(used),
    ) else {
        return libc::EINVAL as u64;
    };
    let readable = libc::PROT_READ;
    if let Err(error) = map_at(address, data, readable | libc::PROT_WRITE) {
        return error;
    }
    if let Err(error) = map_at(address + data, code, readable | libc::PROT_EXEC) {
        // SAFETY: mapped just now, and no other code has its address.
        unsafe { kernel::unmap(address as *mut u8, data as usize) };
        return error;
    }
    name(address, data + code);
    place.data.store(address, Ordering::Relaxed);
    place.code.store(address + data, Ordering::Relaxed);
    place.end.store(address + data + code, Ordering::Relaxed);
    USED.store(used + 1, Ordering::Relaxed);
    0
}

/// Names the memory in the kernel's listing, where the kernel can.
fn name(address: u64, size: u64) {
    const SET_NAME: usize = 0x5356_4d41;
    let name = c"whyperf";
    let arguments = [SET_NAME, 0, address as usize, size as usize, name.as_ptr() as usize, 0];
    // SAFETY: a mapping of ours, and a string that ends with zero.
    unsafe { kernel::call(libc::SYS_prctl, arguments) };
}

fn map_at(address: u64, size: u64, protection: i32) -> Result<(), u64> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    let arguments =
        [address as usize, size as usize, protection as usize, flags as usize, usize::MAX, 0];
    // SAFETY: a new mapping that replaces none.
    let answer = unsafe { kernel::call(libc::SYS_mmap, arguments) };
    match kernel::mapped(answer) {
        None => Err(answer.unsigned_abs() as u64),
        Some(found) if found as u64 == address => Ok(()),
        // A kernel that does not know the flag takes the address for a request.
        Some(found) => {
            // SAFETY: mapped just now, and no other code has its address.
            unsafe { kernel::unmap(found, size as usize) };
            Err(libc::EEXIST as u64)
        }
    }
}

/// Whether an address lies in the code of one.
pub(super) fn has(at: u64) -> bool {
    let used = USED.load(Ordering::Relaxed);
    ALL.iter().take(used).any(|arena| {
        (arena.code.load(Ordering::Relaxed)..arena.end.load(Ordering::Relaxed)).contains(&at)
    })
}

/// Whether so many bytes of code lie wholly in an arena whose data has the word.
pub(super) fn holds(stub: u64, length: u64, word: u64) -> bool {
    let used = USED.load(Ordering::Relaxed);
    ALL.iter().take(used).any(|arena| {
        let (data, code, end) = (
            arena.data.load(Ordering::Relaxed),
            arena.code.load(Ordering::Relaxed),
            arena.end.load(Ordering::Relaxed),
        );
        let code_fits = stub >= code && stub < end && length <= end - stub;
        code_fits && word >= data && word < code && word.is_multiple_of(8)
    })
}
