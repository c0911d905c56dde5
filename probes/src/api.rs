//! The exported C interface of `include/whyperf.h`.
//!
//! The first two are the event path itself: `tests/contract` reads their machine code. Where a
//! region is begun for the first time is its place in the program, so the cold ways note the return
//! address before anything is pushed.

use core::ffi::{CStr, c_char};

use whyperf_runtime::{Region, event, metadata, process};

/// Begins a visit; answers whether it was recorded.
#[unsafe(no_mangle)]
extern "C" fn whyperf_region_begin(region: &Region) -> bool {
    event::begin_of_program(region, first)
}

/// Ends a visit, and what is still open inside it.
#[unsafe(no_mangle)]
extern "C" fn whyperf_region_end(region: &Region) {
    event::end_of_program(region);
}

// SAFETY: jumped to with the caller's return address on top of the stack; changes rsi only, which
// the convention leaves to the callee, and jumps to a function of these two arguments.
#[unsafe(naked)]
unsafe extern "C" fn first(_: &Region) -> bool {
    core::arch::naked_asm!("mov rsi, qword ptr [rsp]", "jmp {}", sym begin_first)
}

extern "C" fn begin_first(region: &Region, address: u64) -> bool {
    event::begin_first(region, address)
}

/// Adds to a counter.
// SAFETY: as `first`, for a function of three arguments.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn whyperf_counter_add(_: &Region, _: i64) {
    core::arch::naked_asm!("mov rdx, qword ptr [rsp]", "jmp {}", sym add)
}

/// Tells a gauge a value.
// SAFETY: as `first`, for a function of three arguments.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn whyperf_counter_set(_: &Region, _: i64) {
    core::arch::naked_asm!("mov rdx, qword ptr [rsp]", "jmp {}", sym set)
}

extern "C" fn add(counter: &Region, amount: i64, address: u64) {
    event::add(counter, amount, address);
}

extern "C" fn set(gauge: &Region, value: i64, address: u64) {
    event::set(gauge, value, address);
}

/// The program enters a phase of this name.
///
/// # Safety
/// `name` is null or a string that ends with zero.
#[unsafe(no_mangle)]
unsafe extern "C" fn whyperf_phase_begin(name: *const c_char) {
    if !name.is_null() {
        // SAFETY: not null, so a string, as the header demands.
        process::phase(unsafe { CStr::from_ptr(name) }.to_bytes());
    }
}

/// The program says of itself that this key has this value.
///
/// # Safety
/// Each is null or a string that ends with zero.
#[unsafe(no_mangle)]
unsafe extern "C" fn whyperf_metadata_set(key: *const c_char, value: *const c_char) {
    if !key.is_null() && !value.is_null() {
        // SAFETY: not null, so a string, as the header demands.
        let key = unsafe { CStr::from_ptr(key) };
        // SAFETY: as above.
        let value = unsafe { CStr::from_ptr(value) };
        metadata::set(key.to_bytes(), value.to_bytes());
    }
}

/// Records nothing until the next resume.
#[unsafe(no_mangle)]
extern "C" fn whyperf_measurement_pause() {
    process::pause();
}

/// Records again.
#[unsafe(no_mangle)]
extern "C" fn whyperf_measurement_resume() {
    process::resume();
}
