//! One function of a random program.

use super::manner::{FunctionForm, FunctionManner};

/// A function of the program.
#[derive(Clone, Debug)]
pub(super) struct RandomFunction {
    pub(super) manner: FunctionManner,
    pub(super) form: FunctionForm,
    /// Of its own, microseconds of processor time a call, in the first phase and in the second one.
    pub(super) work: [u64; 2],
    pub(super) callees: Vec<usize>,
}

impl RandomFunction {
    /// Microseconds that it sleeps a call.
    pub(super) fn nap(&self) -> u64 {
        let is_sleeper = self.manner == FunctionManner::Sleeps;
        if is_sleeper { MILLI.min(self.work[0]) + self.work[0] / 2 } else { 0 }
    }
}

/// Microseconds of a millisecond.
pub(super) const MILLI: u64 = 1000;
