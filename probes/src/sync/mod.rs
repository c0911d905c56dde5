//! Waiting of threads for one another.
