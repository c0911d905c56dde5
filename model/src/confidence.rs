//! The confidence of estimates: how many standard errors stand behind each ± that is printed.

/// Standard errors that 95 of 100 estimates are off by at most.
pub const SURE: f64 = 1.96;
