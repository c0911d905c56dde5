//! The one import of atomics: from `core`, or from loom when the protocols are being model-checked.
//!
//! Every ordering stronger than relaxed goes through [`or_relaxed`] or [`fence`], under the name of
//! its mutant. In the models one name, taken from the environment, is weakened while they run; a
//! model must fail then. Elsewhere both are what they are given.

#[cfg(not(loom))]
pub use core::sync::atomic::{
    AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};
#[cfg(loom)]
pub use loom::sync::atomic::{
    AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};

/// The ordering; relaxed in the mutant of that name.
#[inline(always)]
#[must_use]
#[cfg(not(loom))]
pub const fn or_relaxed(_mutant: &str, ordering: Ordering) -> Ordering {
    ordering
}

/// A fence; left out in the mutant of that name.
#[inline(always)]
#[cfg(not(loom))]
pub fn fence(_mutant: &str, ordering: Ordering) {
    core::sync::atomic::fence(ordering);
}

#[cfg(loom)]
pub use mutant::{fence, or_relaxed};

#[cfg(loom)]
mod mutant {
    use super::Ordering;
    use std::sync::OnceLock;

    /// The ordering; relaxed in the mutant of that name.
    #[must_use]
    pub fn or_relaxed(mutant: &str, ordering: Ordering) -> Ordering {
        if is_chosen(mutant) { Ordering::Relaxed } else { ordering }
    }

    /// A fence; left out in the mutant of that name.
    pub fn fence(mutant: &str, ordering: Ordering) {
        if !is_chosen(mutant) {
            loom::sync::atomic::fence(ordering);
        }
    }

    fn is_chosen(mutant: &str) -> bool {
        static CHOSEN: OnceLock<String> = OnceLock::new();
        mutant == CHOSEN.get_or_init(|| std::env::var("WHYPERF_MUTANT").unwrap_or_default())
    }
}
