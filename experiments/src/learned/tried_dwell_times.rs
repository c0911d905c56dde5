//! The dwell times that were tried on a run, and the result.

use whyperf_model::Nanos;

/// The dwell times that were tried on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TriedDwellTimes {
    /// What shorter ones were compared with.
    pub(super) full: Nanos,
    /// The shortest that suffices; none when no shorter one does.
    pub(super) shortest: Option<Nanos>,
    /// How many questions say so.
    pub(super) questions: usize,
}
