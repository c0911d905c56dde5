//! How sure an estimate is: what stands behind each ± that is told.

/// Standard errors that 95 of 100 estimates are off by at most.
pub const SURE: f64 = 1.96;
