//! Each thread's count of calls, for functions that are counted and not timed, and how long the threads ran.

use crate::kernel;
use crate::lock::Held;
use core::arch::{asm, global_asm};
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use whyperf_layout::geometry::SLOT_CAPACITY;

global_asm!(
    ".section .tbss.whyperf_count,\"awT\",@nobits",
    ".balign 8",
    ".globl whyperf_count",
    ".hidden whyperf_count",
    ".type whyperf_count,@object",
    ".size whyperf_count,8",
    "whyperf_count:",
    ".zero 8",
    ".text",
);

/// Where threads count; 0 where there is none.
static PLACES: [AtomicU64; SLOT_CAPACITY] = [const { AtomicU64::new(0) }; SLOT_CAPACITY];
/// How many of these places were ever taken: of programs with few threads few are looked at.
static TAKEN: AtomicUsize = AtomicUsize::new(0);
/// Their numbers.
static THREADS: [AtomicU32; SLOT_CAPACITY] = [const { AtomicU32::new(0) }; SLOT_CAPACITY];
/// What threads counted that have ended, and for how long those ran.
static LEFT: AtomicU64 = AtomicU64::new(0);
static RAN: AtomicU64 = AtomicU64::new(0);

/// How far a thread's count lies from its thread pointer.
pub(crate) fn distance() -> i64 {
    let distance: i64;
    // SAFETY: reads a constant of this library.
    unsafe {
        asm!(
            "mov {distance}, qword ptr [rip + whyperf_count@GOTTPOFF]",
            distance = out(reg) distance,
            options(nostack, readonly),
        );
    }
    distance
}

/// Address of the calling thread's count.
fn own() -> u64 {
    let pointer: u64;
    // SAFETY: the first word behind the thread pointer is its own value.
    unsafe { asm!("mov {}, qword ptr fs:[0]", out(reg) pointer, options(nostack, readonly)) };
    pointer.wrapping_add_signed(distance())
}

/// The calling thread's count is one of those that are summed up from here on.
pub(crate) fn enlist(_: &Held) {
    let own = own();
    if taken().any(|(place, _)| place.load(Ordering::Relaxed) == own) {
        return;
    }
    let mut all = PLACES.iter().zip(&THREADS).enumerate();
    if let Some((at, (place, thread))) =
        all.find(|(_, (place, _))| place.load(Ordering::Relaxed) == 0)
    {
        thread.store(kernel::thread_id(), Ordering::Relaxed);
        place.store(own, Ordering::Relaxed);
        TAKEN.fetch_max(at + 1, Ordering::Relaxed);
    }
}

/// The places that may hold a thread. Whoever asks has the lock.
fn taken() -> impl Iterator<Item = (&'static AtomicU64, &'static AtomicU32)> {
    PLACES.iter().zip(&THREADS).take(TAKEN.load(Ordering::Relaxed))
}

/// The calling thread ends.
pub(crate) fn strike() {
    let own = own();
    let held = Held::take();
    if let Some((place, _)) = taken().find(|(place, _)| place.load(Ordering::Relaxed) == own) {
        // SAFETY: the calling thread's own word, which nothing else reads or writes by reference.
        let counted = unsafe { (own as *const u64).read_volatile() };
        LEFT.fetch_add(counted, Ordering::Relaxed);
        RAN.fetch_add(kernel::ran(0), Ordering::Relaxed);
        place.store(0, Ordering::Relaxed);
    }
    drop(held);
}

/// In a forked child: other threads there are none.
pub(crate) fn forget() {
    taken().for_each(|(place, _)| place.store(0, Ordering::Relaxed));
    RAN.store(0, Ordering::Relaxed);
}

/// Nanoseconds that all threads ran so far.
///
/// The kernel's clock of a whole process knows of threads that run just now what the last tick knew.
pub(crate) fn work() -> u64 {
    let mut sum = RAN.load(Ordering::Relaxed);
    for (place, thread) in taken() {
        if place.load(Ordering::Relaxed) != 0 {
            sum = sum.wrapping_add(kernel::ran(thread.load(Ordering::Relaxed)));
        }
    }
    sum
}

/// Where the counts of threads lie that have not ended, and what those counted that have.
pub(crate) fn places() -> (u64, impl Iterator<Item = u64>) {
    let places = taken().map(|(place, _)| place.load(Ordering::Relaxed)).filter(|at| *at != 0);
    (LEFT.load(Ordering::Relaxed), places)
}
