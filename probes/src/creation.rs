//! The creation of threads: each new thread registers, with the kind of code that made it, before it runs its own function.
//!
//! ```text
//!   pthread_create(start, argument) ──► place = (start, argument, whose)
//!        real pthread_create(began, place) ──► began: frees the place, registers, jumps to start
//! ```
//! `began` jumps, so a backtrace, a cancellation or an exception finds the stack as it would be without it. When all places
//! are taken, the thread is created without one, and registers at its first event.

use core::ffi::c_void;

use whyperf_runtime::patch::gate;
use whyperf_runtime::{birth, guard, measurement};

use crate::next::Next;
use crate::stub::entry;
use crate::thread_start::{Maker, StartArguments, Task};
use crate::wrapped::{keep_errno, real};

entry! { pthread_create => create, before NEXT; }

static NEXT: Next = Next::new(c"pthread_create");

/// Looks the real function up.
pub(crate) fn resolve() {
    NEXT.address();
}

/// Makes a thread of the library's own, which is not measured; whether that was done.
pub(crate) fn make_plainly(
    thread: &mut usize,
    start: extern "C" fn(*mut c_void) -> *mut c_void,
) -> bool {
    let (thread, start) = (core::ptr::from_mut(thread) as usize, start as usize);
    let (attributes, argument) = (0_usize, 0_usize);
    // The upper half of the word is not the function's.
    real!(NEXT, thread, attributes, start, argument) as u32 == 0
}

static PLACES: [StartArguments; 256] = [const { StartArguments::new() }; 256];

unsafe extern "C" fn create(
    thread: usize,
    attributes: usize,
    start: usize,
    argument: usize,
) -> usize {
    let place = if measurement::is_measured() { take(start, argument) } else { None };
    let Some(place) = place else { return real!(NEXT, thread, attributes, start, argument) };
    let first = began as *const () as usize;
    let record = core::ptr::from_ref(place) as usize;
    keep_errno(gate::enter);
    let failed = real!(NEXT, thread, attributes, first, record);
    keep_errno(gate::leave);
    // The upper half of the word is not the function's.
    if failed as u32 != 0 {
        place.give();
    }
    failed
}

fn take(start: usize, argument: usize) -> Option<&'static StartArguments> {
    let place = PLACES.iter().find(|place| place.take())?;
    let foreign = guard::is_inside() || birth::is_disowned();
    let maker = if foreign { Maker::Library } else { Maker::Program };
    place.hand_over(Task { start, argument, maker });
    Some(place)
}

/// Where a thread goes on after it was registered.
#[repr(C)]
struct ThreadContinuation {
    start: usize,
    argument: usize,
}

extern "C" fn register(place: &'static StartArguments) -> ThreadContinuation {
    let Task { start, argument, maker } = place.read();
    place.give();
    keep_errno(if maker == Maker::Library { birth::disown } else { birth::begin });
    ThreadContinuation { start, argument }
}

// SAFETY: a naked function of the platform's C convention: it calls with an aligned stack, puts
// the stack back and jumps to the program's function with the program's argument.
#[unsafe(naked)]
unsafe extern "C" fn began() {
    core::arch::naked_asm!(
        "sub rsp, 8",
        "call {register}",
        "add rsp, 8",
        "mov rdi, rdx",
        "jmp rax",
        register = sym register,
    )
}
