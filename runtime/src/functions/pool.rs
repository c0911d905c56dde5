//! The pool of slots: which function each slot calls, and under which region; the slots' code is in `slot_code`.

use core::arch::global_asm;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Slots; so many functions can be armed in the life of a process.
pub(crate) const SLOTS: usize = 16384;
/// The last slot: an empty function of the library's own, to measure what a call costs.
pub(crate) const SCRATCH: usize = SLOTS - 1;
/// The one before: a function whose every step waits for the one before.
pub(crate) const CHAINED: usize = SLOTS - 2;
/// Bytes of one slot.
pub(crate) const SIZE: usize = 32;

// SAFETY: the symbols are defined below with these types; the tables are written atomically only.
unsafe extern "C" {
    static whyperf_targets: [AtomicU64; SLOTS];
    static whyperf_regions: [AtomicU32; SLOTS];
}

/// Gives a slot its function: the region, and where the function's own code goes on.
///
/// # Safety
/// `target` is code that goes on as the function would, with what its caller passed, for as long as anything leads to the slot.
pub(crate) unsafe fn bind(slot: usize, region: u32, target: u64) {
    // SAFETY: the tables above have `SLOTS` elements each, and live as long as the library.
    let (regions, targets) = unsafe { (&whyperf_regions, &whyperf_targets) };
    if let (Some(place), Some(goal)) = (regions.get(slot), targets.get(slot)) {
        place.store(region, Ordering::Relaxed);
        goal.store(target, Ordering::Relaxed);
    }
}

/// The region of a slot.
///
/// # Safety
/// `slot` is below [`SLOTS`].
#[inline(always)]
pub(crate) unsafe fn region(slot: usize) -> u32 {
    // SAFETY: the caller's promise; the table lives as long as the library.
    unsafe { whyperf_regions.get_unchecked(slot) }.load(Ordering::Relaxed)
}

// The tables.
global_asm!(
    ".bss",
    ".balign 64",
    ".globl whyperf_targets",
    ".hidden whyperf_targets",
    "whyperf_targets: .zero {slots} * 8",
    ".globl whyperf_regions",
    ".hidden whyperf_regions",
    "whyperf_regions: .zero {slots} * 4",
    ".text",
    slots = const SLOTS,
);
