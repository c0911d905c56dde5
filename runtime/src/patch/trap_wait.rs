//! The wait of a thread that meets one trap after the other: until the change of code is over.
//!
//! ```text
//!   agent    ├─ traps lie ──────────┤ it waits for a processor ├──── the change is over, wakes ─┤
//!   thread   ├ 8 traps in 80 µs ┤ waits ····· gives its processor away ·····················┤ runs on
//! ```
//! A trap takes microseconds, a call nanoseconds: behind traps a hot function does nothing that counts. Where threads are more than
//! processors, the agent may wait until the turn of the very thread is over that meets the traps, and all of that turn would be lost. A thread
//! that sleeps keeps its right to the processor.
//!
//! A thread waits no longer than 20 ms for a change, so nothing depends on the agent. It takes no signal meanwhile: a handler
//! would meet the next trap while that is blocked. It waits only where its interrupted stack is the one that it sleeps on: of a thread that
//! sleeps no other one is searched (`inspection.rs`). A forked child finds no change (`switch.rs`).

use crate::switch::WIPE_ON_FORK;
use crate::thread_local::{Thread, thread};
use crate::{clock, kernel};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Traps of a thread that are looked at together.
const TRAPS: u32 = 8;
/// Nanoseconds in which so many take a good part of the time.
const DENSE: u64 = 80_000;
/// Nanoseconds of one wait at most: the thread takes no signal meanwhile.
const LONGEST: u64 = 20_000_000;

/// What the threads of one place met.
#[derive(Debug)]
struct Met {
    traps: AtomicU32,
    since: AtomicU64,
    /// The change that was waited for in vain.
    waited: AtomicU32,
}

/// By thread; two that share a place may wait a little early.
static MET: [Met; PLACES] = [const {
    Met { traps: AtomicU32::new(0), since: AtomicU64::new(0), waited: AtomicU32::new(0) }
}; PLACES];
const PLACES: usize = 64;
/// Number of the next change; odd, so that none is 0.
static NEXT: AtomicU32 = AtomicU32::new(1);
/// Bytes of the frames between the place of a trap and the wait, at most, where both are on one stack.
const FRAMES: u64 = 16 << 10;

/// A change of code, until it is dropped.
#[derive(Debug)]
pub(super) struct Changing(());

impl Changing {
    /// Traps lie from here on; one change goes on at a time.
    pub(super) fn begin() -> Self {
        let number = NEXT.fetch_add(2, Ordering::Relaxed);
        WIPE_ON_FORK.changing.store(number, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Changing {
    fn drop(&mut self) {
        WIPE_ON_FORK.changing.store(0, Ordering::Relaxed);
        // Always: who is about to wait looks at the word again in the kernel.
        wake_all();
    }
}

/// Lets those that wait go on: one of them is asked where it stands.
pub(super) fn wake_all() {
    kernel::futex_wake(&WIPE_ON_FORK.changing);
}

/// The calling thread met a trap where its stack pointer was `stack`, and is ready to go on behind it.
pub(super) fn met(stack: u64) {
    let change = WIPE_ON_FORK.changing.load(Ordering::Relaxed);
    let own = core::ptr::from_ref::<Thread>(&thread()) as usize;
    let Some(met) = MET.get(place(own)).filter(|_| change != 0) else { return };
    if met.traps.fetch_add(1, Ordering::Relaxed) % TRAPS != TRAPS - 1 {
        return;
    }
    let now = clock::nanos();
    let before = met.since.swap(now, Ordering::Relaxed);
    let here = &raw const before as u64;
    let is_same_stack = stack.checked_sub(here).is_some_and(|frames| frames < FRAMES);
    if now.saturating_sub(before) < DENSE
        && is_same_stack
        && met.waited.load(Ordering::Relaxed) != change
    {
        let signals = kernel::block_signals();
        kernel::futex_wait(&WIPE_ON_FORK.changing, change, LONGEST);
        kernel::restore_signals(signals);
        // All are woken when one is asked where it stands: the others wait again.
        if clock::nanos().saturating_sub(now) >= LONGEST {
            met.waited.store(change, Ordering::Relaxed);
        }
    }
}

/// By the upper bits of a product: storage of threads lies at equal distances.
fn place(own: usize) -> usize {
    ((own >> 6) as u32).wrapping_mul(0x9e37_79b1) as usize >> 26
}
