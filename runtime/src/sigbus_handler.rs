//! The SIGBUS handler: when a region is cut while it is mapped, the program goes on, unmeasured.
//!
//! Touching what a file has lost raises SIGBUS. The handler puts private zeros over the whole
//! mapping, so that the event that was hit can finish, and nothing is measured from there on. It is
//! installed only where the program has nothing of its own for this signal.

use crate::range::Range;
use crate::{kernel, measurement};
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, Ordering};
use whyperf_layout::geometry::{PAGE, SLOT_CAPACITY, SLOT_SIZE, SLOTS};

/// The tables, those of a forked child's parent, which it reads once, then the slots by number.
static RANGES: [Range; SLOT_CAPACITY + 2] = [const { Range::none() }; SLOT_CAPACITY + 2];
static INSTALLED: AtomicBool = AtomicBool::new(false);

/// The tables are mapped here.
///
/// # Safety
/// `SLOTS` bytes from `base` on must be a mapping of ours that stays and is read and written through
/// atomics only: any of it may become zero at any moment from now on.
pub(crate) unsafe fn cover_tables(base: *mut u8) {
    let [tables, parents, ..] = &RANGES;
    parents.set(tables.start(), SLOTS);
    tables.set(base as usize, SLOTS);
}

/// Slot `index` is mapped here.
///
/// # Safety
/// As for [`cover_tables`], of `SLOT_SIZE` bytes, until [`shrink`] or [`moved`] is told otherwise.
pub(crate) unsafe fn cover_slot(index: usize, base: *mut u8) {
    if let Some(range) = RANGES.get(index + 2) {
        range.set(base as usize, SLOT_SIZE);
    }
}

/// All but the first page of a slot is about to be unmapped.
pub(crate) fn shrink(base: *mut u8) {
    change(base, base, PAGE);
}

/// A slot is about to leave where its first page was; it is mapped whole at `to`.
///
/// # Safety
/// As for [`cover_slot`], of the mapping at `to`.
pub(crate) unsafe fn moved(from: *mut u8, to: *mut u8) {
    change(from, to, SLOT_SIZE);
}

fn change(from: *mut u8, to: *mut u8, size: usize) {
    let slots = RANGES.iter().skip(2);
    for range in slots.filter(|range| range.start() == from as usize) {
        range.set(to as usize, size);
    }
}

/// The measurement ended: events that are still on their way write into private memory.
/// Tables stay, for the next ones begin as a copy of them.
pub(crate) fn forget_slots() {
    RANGES.iter().skip(2).for_each(forget);
}

/// The tables before these have been copied.
pub(crate) fn forget_parents() {
    if let Some(parents) = RANGES.get(1) {
        forget(parents);
    }
}

fn forget(range: &Range) {
    if let Some((start, size)) = range.around(range.start()) {
        // SAFETY: the caller that set the range promised that it may become zero.
        let is_zero = unsafe { kernel::zeros_over(start, size) };
        if is_zero {
            range.set(0, 0);
        }
    }
}

/// Gives the signal its default disposition back, unless the program has given it another one.
pub(crate) fn remove() {
    kernel::never_block(0);
    if INSTALLED.swap(false, Ordering::Relaxed) && kernel::is_handled_by(libc::SIGBUS, hit) {
        kernel::set_default(libc::SIGBUS);
    }
}

/// Installs the handler, once, if the signal has its default disposition.
pub(crate) fn install() {
    let is_installed = INSTALLED.load(Ordering::Relaxed);
    // SAFETY: `hit` uses atomics and system calls only.
    if !is_installed && unsafe { kernel::handle_if_default(libc::SIGBUS, hit, 0) } {
        INSTALLED.store(true, Ordering::Relaxed);
        kernel::never_block(1 << (libc::SIGBUS - 1));
    }
}

/// Whether this is the handler of such a signal.
pub(crate) fn is_handler(handler: usize) -> bool {
    handler == hit as *const () as usize
}

/// # Safety
/// Called as the kernel calls a handler: `info` describes the signal.
unsafe extern "C" fn hit(signal: i32, info: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the caller's promise; a fault is described with an address.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    let is_fault = code > 0;
    if is_fault && let Some((start, size)) = mapping_around(address) {
        measurement::give_up();
        // SAFETY: the caller that set the range promised that it may become zero.
        if unsafe { kernel::zeros_over(start, size) } {
            return;
        }
    }
    // A fault repeats when the handler returns; what was sent must be sent again.
    kernel::set_default(signal);
    if !is_fault {
        kernel::send_to_thread(signal);
    }
}

fn mapping_around(address: usize) -> Option<(usize, usize)> {
    RANGES.iter().find_map(|range| range.around(address))
}
