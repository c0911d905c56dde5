//! Reroutes the calls of a program that runs already: they do not find a library that is loaded late.
//!
//! ```text
//!   program ── call *[slot of read] ──► read              slot: a word the dynamic linker filled
//!           ── call *[slot of read] ──► our read ──► read
//! ```
//! Every loaded object calls functions of others through such slots. A slot that holds the very function that a wrapper of
//! ours calls, or that is not filled yet, is filled with the wrapper. At the end each slot gets its function back, unless
//! another library has changed it meanwhile.
//!
//! The code of the program stays as it is. The calls that an MPI makes internally belong to the MPI call around them, so
//! there only calls of MPI functions are rerouted: its Fortran layer makes them.

mod listed;
mod object;
mod written;

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};

pub(crate) use listed::{are_first, exported};
use object::MappedObject;

/// Reroutes the calls of every object that is loaded now.
pub(crate) fn begin() {
    listed::prepare();
    // SAFETY: the function below takes what this one hands, and keeps nothing of it.
    unsafe { libc::dl_iterate_phdr(Some(visit), core::ptr::null_mut()) };
}

/// Finds out, early, whether calls come to us by themselves: no other library is found before ours.
pub(crate) fn look_around() {
    SEES_ALL.store(are_first(&[c"read", c"MPI_Barrier"]), Ordering::Relaxed);
}

/// Whether all calls come to us by themselves.
pub(crate) fn sees_all() -> bool {
    SEES_ALL.load(Ordering::Relaxed)
}

static SEES_ALL: AtomicBool = AtomicBool::new(false);

/// Gives every call its own way again. Any thread may do this, also one that the C library does not know.
pub(crate) extern "C" fn end() {
    written::take_back();
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, _: *mut c_void) -> c_int {
    // SAFETY: the loader describes an object that stays as long as this function runs.
    if let Some(object) = unsafe { MappedObject::of(info) } {
        object.each_slot(|slot| reroute(&object, &slot));
    }
    0
}

fn reroute(object: &MappedObject, slot: &object::RelocationSlot) {
    let Some(listed) = listed::named(slot.name) else { return };
    if object.is_of_mpi && !listed.is_of_mpi() {
        return;
    }
    let Some(real) = listed.real() else { return };
    let holds = slot.value();
    let is_unfilled = slot.is_imported && object.is_own_code(holds);
    if holds == real || is_unfilled {
        let is_sealed = object.is_sealed(slot.address);
        // SAFETY: the object's own table calls it the slot of this function. What was not filled would have become `real`.
        unsafe { written::write(slot.address, listed.stub(), real, is_sealed) };
    }
}
