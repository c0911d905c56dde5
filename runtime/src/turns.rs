//! The turn of a thread to compute, where the threads of a job are measured one at a time.
//!
//! A turn is given on in each call that may wait, and taken again after it. Nothing deadlocks: whoever waits for its turn is in no call that others
//! wait for, and a turn that lasts too long is taken back, be its holder polling, stuck in something that is not seen, or gone.

use crate::environ::{options, settings};
use crate::lock::Held;
use crate::ring::Ring;
use crate::{clock, kernel, map};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use whyperf_layout::{Standing, Ticket, Traced, TurnPage};

/// What a thread keeps of its turn.
#[derive(Debug)]
pub(crate) struct Turn {
    /// The ticket that it holds, in the low half; [`HELD`] if it has one, [`WAITING`] while it waits.
    state: AtomicU64,
}

const HELD: u64 = 1 << 32;
const WAITING: u64 = 1 << 33;
/// So long a thread sleeps before it looks whether a turn lasts too long, in nanoseconds.
const LOOK: u64 = 20_000_000;

/// The page of the job, mapped once.
static PAGE: AtomicPtr<TurnPage> = AtomicPtr::new(core::ptr::null_mut());
/// It was looked for.
static LOOKED_FOR: AtomicBool = AtomicBool::new(false);

impl Turn {
    /// Of a thread that has none.
    pub(crate) const fn none() -> Self {
        Self { state: AtomicU64::new(0) }
    }

    /// Forgets the one of a life before.
    pub(crate) fn clear(&self) {
        self.state.store(0, Ordering::Relaxed);
    }

    /// Waits until the thread may compute, and notes since when it does, and how long it ran so far.
    pub(crate) fn take(&self, ring: &Ring) {
        let Some(page) = page() else { return };
        // A handler that comes while its thread waits computes without a turn of its own.
        if self.state.load(Ordering::Relaxed) != 0 {
            return;
        }
        self.state.store(WAITING, Ordering::Relaxed);
        let ticket = served(page);
        page.since.store(clock::nanos(), Ordering::Relaxed);
        self.state.store(HELD | u64::from(ticket.0), Ordering::Relaxed);
        ring.record(Traced::Ran { nanos: kernel::ran(0) });
        ring.record(Traced::Resumed { ticks: clock::now() });
    }

    /// Gives the turn on, if the thread has it, after a note of how long it ran.
    pub(crate) fn give(&self, ring: &Ring) {
        let Some(page) = page() else { return };
        let held = self.state.load(Ordering::Relaxed);
        if held & HELD == 0 {
            return;
        }
        ring.record(Traced::Ran { nanos: kernel::ran(0) });
        self.state.store(0, Ordering::Relaxed);
        if page.give(Ticket(held as u32), clock::nanos()) {
            kernel::futex_wake(&page.served);
        }
    }

    /// Gives the turn on, and takes none again: the process is about to end.
    pub(crate) fn leave(&self, ring: &Ring) {
        self.give(ring);
        self.state.store(WAITING, Ordering::Relaxed);
    }
}

/// Draws a ticket, and waits until it is served; the one that was, for a turn may be taken back before it began.
fn served(page: &TurnPage) -> Ticket {
    let mut ticket = page.draw();
    loop {
        match page.standing(ticket) {
            Standing::Served => return ticket,
            Standing::Over => ticket = page.draw(),
            Standing::After(served) => {
                kernel::futex_wait(&page.served, served, LOOK);
                if page.take_back(served, clock::nanos()) {
                    kernel::futex_wake(&page.served);
                }
            }
        }
    }
}

/// Finds the page of the job.
pub(crate) fn prepare(_: &Held) {
    let is_new = PAGE.load(Ordering::Relaxed).is_null();
    if options().serial
        && is_new
        && !LOOKED_FOR.swap(true, Ordering::Relaxed)
        && let Some(base) = map::shared_page(settings())
    {
        PAGE.store(base.cast(), Ordering::Relaxed);
    }
}

fn page() -> Option<&'static TurnPage> {
    // SAFETY: null, or what `prepare` mapped, which stays; all of it are atomics.
    unsafe { PAGE.load(Ordering::Relaxed).as_ref() }
}
