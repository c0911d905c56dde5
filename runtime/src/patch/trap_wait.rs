//! The wait of a thread that meets one trap after the other: until the change of code is over.
//!
//! ```text
//!   agent    ├─ traps lie ──────────┤ it waits for a processor ├──── the change is over, wakes ─┤
//!   thread   ├ 8 traps in 160 µs ┤ waits ····· gives its processor away ·····················┤ runs on
//! ```
//! A trap takes microseconds, a call nanoseconds: behind traps a hot function does nothing that counts. Where threads are more than
//! processors, the agent may wait until the turn of the very thread is over that meets the traps, and all of that turn would be lost. A thread
//! that sleeps keeps its right to the processor.
//!
//! The wait has an end of its own, so nothing depends on the agent. A forked child finds no change (`switch.rs`).

use crate::switch::WIPE_ON_FORK;
use crate::thread_local::{Thread, thread};
use crate::{clock, kernel};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Traps of a thread that are looked at together.
const TRAPS: u32 = 8;
/// Nanoseconds in which so many take a good part of the time.
const DENSE: u64 = 160_000;
/// Nanoseconds of one wait at most: the thread takes no signal meanwhile.
const LONGEST: u64 = 20_000_000;

/// What the threads of one place met.
#[derive(Debug)]
struct Met {
    traps: AtomicU32,
    since: AtomicU64,
}

/// By thread; two that share a place may wait a little early.
static MET: [Met; PLACES] =
    [const { Met { traps: AtomicU32::new(0), since: AtomicU64::new(0) } }; PLACES];
const PLACES: usize = 64;

/// A change of code, until it is dropped.
#[derive(Debug)]
pub(super) struct Changing(());

impl Changing {
    /// Traps lie from here on; one change goes on at a time.
    pub(super) fn begin() -> Self {
        WIPE_ON_FORK.changing.store(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Changing {
    fn drop(&mut self) {
        WIPE_ON_FORK.changing.store(0, Ordering::Relaxed);
        // Always: who is about to wait looks at the word again in the kernel.
        kernel::futex_wake(&WIPE_ON_FORK.changing);
    }
}

/// The calling thread met a trap, and is ready to go on behind it.
pub(super) fn met() {
    if WIPE_ON_FORK.changing.load(Ordering::Relaxed) == 0 {
        return;
    }
    let block = core::ptr::from_ref::<Thread>(&thread()) as usize;
    let Some(met) = MET.get((block >> 6).wrapping_mul(0x9e37_79b1) >> 8 & (PLACES - 1)) else {
        return;
    };
    if met.traps.fetch_add(1, Ordering::Relaxed) % TRAPS != TRAPS - 1 {
        return;
    }
    let now = clock::nanos();
    let before = met.since.swap(now, Ordering::Relaxed);
    if now.saturating_sub(before) < DENSE {
        kernel::futex_wait(&WIPE_ON_FORK.changing, 1, LONGEST);
    }
}
