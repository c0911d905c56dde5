//! The start arguments of a thread that is being created, kept where the thread finds them.
//!
//! ```text
//!   FREE ──take──► TAKEN ──hand_over──► OWN or FOREIGN ──read, give──► FREE
//! ```
//! Creating a thread makes everything before it visible to it. Between threads that know nothing of
//! each other only taking and giving back put an order.

use whyperf_layout::sync::{AtomicU32, AtomicUsize, Ordering, or_relaxed};

/// Room for the start arguments of one thread.
#[derive(Debug)]
#[cfg_attr(loom, derive(Default))]
pub(crate) struct StartArguments {
    /// One of [`FREE`], [`TAKEN`], [`OWN`] or [`FOREIGN`].
    state: AtomicU32,
    start: AtomicUsize,
    argument: AtomicUsize,
    /// The model checker does not reorder a load after a later store; this watches instead.
    #[cfg(loom)]
    turn: loom::cell::UnsafeCell<()>,
}

// SAFETY: loom's cell holds nothing; it only watches the accesses.
#[cfg(loom)]
unsafe impl Sync for StartArguments {}

const FREE: u32 = 0;
const TAKEN: u32 = 1;
const OWN: u32 = 2;
const FOREIGN: u32 = 3;

/// Whose thread it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Maker {
    /// The program's.
    Program,
    /// A library's own.
    Library,
}

/// What the thread runs, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    /// Address of its first function.
    pub(crate) start: usize,
    /// What that is called with.
    pub(crate) argument: usize,
    /// Which side asked for the thread.
    pub(crate) maker: Maker,
}

impl StartArguments {
    /// Free room.
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Self {
        Self {
            state: AtomicU32::new(FREE),
            start: AtomicUsize::new(0),
            argument: AtomicUsize::new(0),
        }
    }

    /// Takes the place if it is free.
    pub(crate) fn take(&self) -> bool {
        let acquire = or_relaxed("place_take", Ordering::Acquire); // SYNC place with StartArguments::give
        self.state.compare_exchange(FREE, TAKEN, acquire, Ordering::Relaxed).is_ok()
    }

    /// Keeps the task for the thread that is created next.
    pub(crate) fn hand_over(&self, task: Task) {
        #[cfg(loom)]
        self.turn.with_mut(|_| ());
        self.start.store(task.start, Ordering::Relaxed);
        self.argument.store(task.argument, Ordering::Relaxed);
        let state = if task.maker == Maker::Library { FOREIGN } else { OWN };
        self.state.store(state, Ordering::Relaxed);
    }

    /// The task that was kept.
    pub(crate) fn read(&self) -> Task {
        #[cfg(loom)]
        self.turn.with(|_| ());
        let foreign = self.state.load(Ordering::Relaxed) == FOREIGN;
        Task {
            start: self.start.load(Ordering::Relaxed),
            argument: self.argument.load(Ordering::Relaxed),
            maker: if foreign { Maker::Library } else { Maker::Program },
        }
    }

    /// Gives the place back.
    pub(crate) fn give(&self) {
        // SYNC place with StartArguments::take
        self.state.store(FREE, or_relaxed("place_give", Ordering::Release));
    }
}
