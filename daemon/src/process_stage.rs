//! The stage of a measured process: one state, with all its transitions.
//!
//! ```text
//!   New ──first pass──► Measured ──ended──► Ended ──its functions were looked at──► Over
//!                          └─────────────── damaged ──────────────────────────────► Over
//! ```

use crate::region::RegionMemory;

/// Where a measured process stands. Its region is there as long as anything is read from it.
#[derive(Debug)]
pub(crate) enum ProcessStage {
    /// It was found, and no pass read it yet.
    New(RegionMemory),
    /// Each pass reads it.
    Measured(RegionMemory),
    /// It was read a last time, but for what its functions did.
    Ended(RegionMemory),
    /// Nothing is read from it any more.
    Over,
}

impl ProcessStage {
    /// Its region, while it is measured.
    pub(crate) const fn region(&self) -> Option<&RegionMemory> {
        match self {
            Self::New(region) | Self::Measured(region) => Some(region),
            Self::Ended(_) | Self::Over => None,
        }
    }

    /// Its region, while its functions are looked at.
    pub(crate) const fn region_of_functions(&self) -> Option<&RegionMemory> {
        match self {
            Self::New(region) | Self::Measured(region) | Self::Ended(region) => Some(region),
            Self::Over => None,
        }
    }

    /// A pass is about to read it. Whether this is the first one.
    pub(crate) fn begin_pass(&mut self) -> bool {
        match std::mem::replace(self, Self::Over) {
            Self::New(region) => {
                *self = Self::Measured(region);
                true
            }
            other => {
                *self = other;
                false
            }
        }
    }

    /// Its region, for a pass that says afterwards where it stands; nothing where it is not measured.
    pub(crate) fn take(&mut self) -> Option<RegionMemory> {
        match std::mem::replace(self, Self::Over) {
            Self::New(region) | Self::Measured(region) => Some(region),
            other => {
                *self = other;
                None
            }
        }
    }
}
