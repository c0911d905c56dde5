//! The slots for functions with arguments on the stack: as those of the pool, with copies of the arguments
//! in between.
//!
//! ```text
//!   the caller's arguments
//!   the caller's return address      what a function of the other form has right below ...
//!   the slot's word
//!   copies of the arguments          ... this one has here
//!   T i                              the stack pointer at the function's entry
//! ```
//! The planner proved how many words above its return address the function uses, and that it uses
//! them by their distance from its frame alone; so it cannot tell. They belong to the callee, and
//! the caller never looks at them again.
//!
//! A function that jumps into another one of this form passes on what it was passed: its frame, and the copies with
//! whatever it wrote there, become the other one's.

use super::form::form;
use super::slot_code;
use crate::functions::pool::{SIZE, SLOTS};
use core::arch::global_asm;
use core::sync::atomic::{AtomicU8, Ordering};
use whyperf_layout::patch::COPIED;

/// Bytes of copied arguments.
pub(super) const ROOM: usize = COPIED as usize * 8;

// SAFETY: the symbols are defined below with these types; the table is written atomically only.
unsafe extern "C" {
    static whyperf_widths: [AtomicU8; SLOTS];
    fn whyperf_wide_slots();
}

/// Words that are copied for a slot's function: none where the pool's slot serves it.
pub(super) fn width(slot: usize) -> u64 {
    // SAFETY: the table above has as many elements, and lives as long as the library.
    let widths = unsafe { &whyperf_widths };
    widths.get(slot).map_or(0, |width| u64::from(width.load(Ordering::Relaxed)))
}

/// Says how many words are copied for a slot's function.
pub(super) fn widen(slot: usize, words: u64) {
    // SAFETY: as above.
    let widths = unsafe { &whyperf_widths };
    if let Some(width) = widths.get(slot) {
        width.store(words.min(COPIED) as u8, Ordering::Relaxed);
    }
}

/// Where calls of a slot's function go while it is on.
pub(super) fn address(slot: usize) -> u64 {
    if width(slot) == 0 {
        return slot_code::address(slot);
    }
    (whyperf_wide_slots as *const () as u64).wrapping_add((slot * SIZE) as u64)
}

// The table.
global_asm!(
    ".bss",
    ".balign 64",
    ".globl whyperf_widths",
    ".hidden whyperf_widths",
    "whyperf_widths: .zero {slots}",
    slots = const SLOTS,
);

form!("whyperf_wide_slots", "whyperf_wide_entered", "whyperf_wide_left", room = ROOM);
