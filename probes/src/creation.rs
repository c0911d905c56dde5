//! The creation of threads: each new one says whose it is before it runs what it was made for.
//!
//! ```text
//!   pthread_create(start, argument) ──► place = (start, argument, whose)
//!        real pthread_create(began, place) ──► began: frees the place, registers, jumps to start
//! ```
//! `began` jumps, so a backtrace, a cancellation or an exception finds the stack as it would be
//! without it. When all places are taken the thread is made plainly, and registers at its first
//! event.

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use whyperf_runtime::{birth, guard, process};

use crate::next::Next;
use crate::stub::entry;
use crate::wrapped::{keep_errno, real};

entry! { pthread_create => create; }

static NEXT: Next = Next::new(c"pthread_create");

/// Looks the real function up.
pub(crate) fn resolve() {
    NEXT.address();
}

/// What a thread being created has to know.
#[derive(Debug)]
struct Place {
    /// One of [`FREE`], [`TAKEN`], [`OWN`] or [`FOREIGN`].
    state: AtomicU32,
    start: AtomicUsize,
    argument: AtomicUsize,
}

const FREE: u32 = 0;
const TAKEN: u32 = 1;
const OWN: u32 = 2;
const FOREIGN: u32 = 3;

static PLACES: [Place; 256] = [const {
    Place { state: AtomicU32::new(FREE), start: AtomicUsize::new(0), argument: AtomicUsize::new(0) }
}; 256];

unsafe extern "C" fn create(
    thread: usize,
    attributes: usize,
    start: usize,
    argument: usize,
) -> usize {
    let place = if process::is_measured() { take(start, argument) } else { None };
    let Some(place) = place else { return real!(NEXT, thread, attributes, start, argument) };
    let first = began as *const () as usize;
    let record = core::ptr::from_ref(place) as usize;
    let failed = real!(NEXT, thread, attributes, first, record);
    // The upper half of the word is not the function's.
    if failed as u32 != 0 {
        place.state.store(FREE, Ordering::Relaxed);
    }
    failed
}

fn take(start: usize, argument: usize) -> Option<&'static Place> {
    let claim = |place: &&Place| {
        let acquire = Ordering::Acquire; // SYNC place with register
        place.state.compare_exchange(FREE, TAKEN, acquire, Ordering::Relaxed).is_ok()
    };
    let place = PLACES.iter().find(claim)?;
    place.start.store(start, Ordering::Relaxed);
    place.argument.store(argument, Ordering::Relaxed);
    let foreign = guard::is_inside() || birth::is_disowned();
    // Creating a thread makes everything before it visible to it.
    place.state.store(if foreign { FOREIGN } else { OWN }, Ordering::Relaxed);
    Some(place)
}

/// Where a thread goes on after it was registered.
#[repr(C)]
struct Further {
    start: usize,
    argument: usize,
}

extern "C" fn register(place: &'static Place) -> Further {
    let further = Further {
        start: place.start.load(Ordering::Relaxed),
        argument: place.argument.load(Ordering::Relaxed),
    };
    let foreign = place.state.load(Ordering::Relaxed) == FOREIGN;
    place.state.store(FREE, Ordering::Release); // SYNC place with take
    keep_errno(if foreign { birth::disown } else { birth::begin });
    further
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
