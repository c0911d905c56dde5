//! What the numbers mean: resource, focus, metric, interval, histogram.
#![forbid(unsafe_code)]
