//! What a process pays for being looked at and for code that is changed in it, beside its own events.

use std::ops::AddAssign;

use whyperf_model::Nanos;

/// Time of a process's threads, by what took it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutsideCost {
    /// They stood still while their stacks were copied.
    pub pauses: Nanos,
    /// The kernel took samples of them.
    pub samples: Nanos,
    /// They called functions that were patched and not switched on.
    pub at_rest: Nanos,
}

impl AddAssign for OutsideCost {
    fn add_assign(&mut self, other: Self) {
        self.pauses += other.pauses;
        self.samples += other.samples;
        self.at_rest += other.at_rest;
    }
}

/// What a call of a function that is patched and off takes longer, in seconds: the jumps to its copy and back. Measured 0.4 to 0.6 ns.
pub(crate) const CALL_AT_REST: f64 = 0.6e-9;
