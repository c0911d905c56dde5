//! The outcome of switching a region: on, off, too hot, or failed.

/// A region that was switched, or could not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switched {
    /// Rank or process id.
    pub process: String,
    /// Name of the region.
    pub region: String,
    /// What became of it.
    pub outcome: SwitchOutcome,
}

/// What a process replied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchOutcome {
    /// It is on now.
    On,
    /// It is off now.
    Off,
    /// The process switched it off by itself after so many visits: it was too hot.
    TooHot {
        /// Visits by then.
        visits: u64,
    },
    /// The process could not do it.
    Refused,
}
