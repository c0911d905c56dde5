//! The status of the process in its measurement: one word, looked at by every thread.
//!
//! Events only read it relaxed. Code that goes on to use what was decided or made reads it with [`StageWord::is`].

use whyperf_layout::sync::{AtomicU32, Ordering, or_relaxed};

/// How far the process is in its measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum MeasurementStage {
    /// Nothing was decided; so it is in a forked child that was not announced.
    Unknown = 0,
    /// Not to be measured.
    Declined = 1,
    /// To be measured from the first registration on.
    Wanted = 2,
    /// Measured.
    Attached = 3,
}

/// A [`MeasurementStage`] in a word.
#[derive(Debug)]
#[cfg_attr(loom, derive(Default))]
#[repr(transparent)]
pub(crate) struct StageWord(AtomicU32);

impl StageWord {
    /// At [`MeasurementStage::Unknown`].
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(MeasurementStage::Unknown as u32))
    }

    /// The stage as a number, seen in passing: nothing else may be concluded from it.
    #[cfg(not(loom))]
    #[inline(always)]
    pub(crate) fn peek(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether it is at this stage; then what was stored before the stage is seen, too.
    pub(crate) fn is(&self, stage: MeasurementStage) -> bool {
        // SYNC stage with StageWord::decide, StageWord::resolve
        self.0.load(or_relaxed("stage_load", Ordering::Acquire)) == stage as u32
    }

    /// The library was loaded, and this is what its settings say.
    pub(crate) fn decide(&self, stage: MeasurementStage) {
        // SYNC stage with StageWord::is
        self.0.store(stage as u32, or_relaxed("stage_decide", Ordering::Release));
    }

    /// What was wanted became `stage`, unless the measurement was given up meanwhile.
    pub(crate) fn resolve(&self, stage: MeasurementStage) {
        // SYNC stage with StageWord::is
        let release = or_relaxed("stage_resolve", Ordering::Release);
        let (wanted, resolved) = (MeasurementStage::Wanted as u32, stage as u32);
        let _ = self.0.compare_exchange(wanted, resolved, release, Ordering::Relaxed);
    }

    /// Another stage that tells of nothing.
    #[cfg(not(loom))]
    pub(crate) fn set(&self, stage: MeasurementStage) {
        self.0.store(stage as u32, Ordering::Relaxed);
    }
}
