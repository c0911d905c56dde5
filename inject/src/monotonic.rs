//! The clock by which the kernel stamps the samples of a thread.

use rustix::time::{ClockId, clock_gettime};

/// `CLOCK_MONOTONIC`, in nanoseconds.
pub(crate) fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    part(now.tv_sec) * 1_000_000_000 + part(now.tv_nsec)
}
