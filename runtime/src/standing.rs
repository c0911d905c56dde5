//! Where the process stands with its measurement: one word, looked at by every thread.
//!
//! Events only glance at it. Whoever goes on to what was decided or made looks with [`Standing::is`].

use whyperf_layout::sync::{AtomicU32, Ordering, or_relaxed};

/// Where the process stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Stage {
    /// Nothing was decided; so it is in a child that nobody told of its birth.
    Unknown = 0,
    /// Not to be measured.
    Declined = 1,
    /// To be measured from the first registration on.
    Wanted = 2,
    /// Measured.
    Attached = 3,
}

/// A [`Stage`] in a word.
#[derive(Debug)]
#[cfg_attr(loom, derive(Default))]
#[repr(transparent)]
pub(crate) struct Standing(AtomicU32);

impl Standing {
    /// At [`Stage::Unknown`].
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(Stage::Unknown as u32))
    }

    /// The stage as a number, seen in passing: nothing else may be concluded from it.
    #[cfg(not(loom))]
    #[inline(always)]
    pub(crate) fn glance(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether it is at this stage; then what was stored before the stage is seen, too.
    pub(crate) fn is(&self, stage: Stage) -> bool {
        // SYNC stage with Standing::decide, Standing::settle
        self.0.load(or_relaxed("stage_load", Ordering::Acquire)) == stage as u32
    }

    /// The library was loaded, and this is what its settings say.
    pub(crate) fn decide(&self, stage: Stage) {
        // SYNC stage with Standing::is
        self.0.store(stage as u32, or_relaxed("stage_decide", Ordering::Release));
    }

    /// What was wanted became `stage`, unless the measurement was given up meanwhile.
    pub(crate) fn settle(&self, stage: Stage) {
        // SYNC stage with Standing::is
        let release = or_relaxed("stage_settle", Ordering::Release);
        let (wanted, settled) = (Stage::Wanted as u32, stage as u32);
        let _ = self.0.compare_exchange(wanted, settled, release, Ordering::Relaxed);
    }

    /// Another stage that tells of nothing.
    #[cfg(not(loom))]
    pub(crate) fn set(&self, stage: Stage) {
        self.0.store(stage as u32, Ordering::Relaxed);
    }
}
