//! The one import of atomics: from `core`, or from loom when the protocols are being model-checked.

#[cfg(not(loom))]
pub use core::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering, fence};
#[cfg(loom)]
pub use loom::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering, fence};

/// The ordering as written, but relaxed in the loom mutant of that name: a model must notice.
#[cfg(loom)]
macro_rules! or_relaxed {
    ($mutant:tt, $ordering:expr) => {{
        #[cfg(loom_mutant = $mutant)]
        let ordering = Ordering::Relaxed;
        #[cfg(not(loom_mutant = $mutant))]
        let ordering = $ordering;
        ordering
    }};
}
#[cfg(not(loom))]
macro_rules! or_relaxed {
    ($mutant:literal, $ordering:expr) => {
        $ordering
    };
}
pub(crate) use or_relaxed;
