//! The personality function of slots: unwinders call it when an exception leaves an instrumented function, whose visit
//! ends.

use super::calls;
use core::ffi::c_void;

/// Personality of the slots. Exceptions and forced unwinding call it for each slot they leave, from
/// the inside outwards, so what it ends is the innermost visit that is open. It asks the unwinder
/// nothing: there may be several in a program, and each understands its own context only.
pub(super) extern "C" fn unwound(
    _version: i32,
    actions: i32,
    _class: u64,
    _exception: *mut c_void,
    _context: *mut c_void,
) -> i32 {
    const CLEANING_UP: i32 = 2;
    const CONTINUE: i32 = 8;
    if actions & CLEANING_UP != 0 {
        calls::leave_innermost();
    }
    CONTINUE
}
