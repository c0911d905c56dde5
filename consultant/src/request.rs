//! The requests of a search to its data source: measure a pair, stop measuring it, or tell which functions a function
//! calls.

use std::fmt;

use whyperf_model::{Pair, Resource};

/// The number under which samples of a pair are delivered. Never used again for another pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MeasurementId(pub u32);

impl fmt::Display for MeasurementId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "m{}", self.0)
    }
}

/// One thing to do. A pair that is asked for is answered with samples from then on, one per sampling interval, **also when the
/// amount is zero**, until it is stopped; samples of all pairs end at the same moments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Measure a pair.
    Start {
        /// What its samples are to be called.
        id: MeasurementId,
        /// What to measure.
        pair: Pair,
    },
    /// Measure it no longer.
    Stop {
        /// Which.
        id: MeasurementId,
    },
    /// Say which functions a function calls: answered with [`Event::Callees`](crate::Event::Callees), once asked as often as more of
    /// them become known.
    Callees {
        /// The function; the root `/Code` asks where threads begin.
        of: Resource,
    },
}
