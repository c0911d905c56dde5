//! A pointer to something that is made once and stays: it is null at first, and then leads to something complete.

use whyperf_layout::sync::{AtomicPtr, Ordering, or_relaxed};

/// Address of something that is made once, null until then.
#[derive(Debug)]
#[cfg_attr(loom, derive(Default))]
#[repr(transparent)]
pub struct OncePointer<T: Sync + 'static>(AtomicPtr<T>);

impl<T: Sync + 'static> OncePointer<T> {
    /// Null.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn null() -> Self {
        Self(AtomicPtr::new(core::ptr::null_mut()))
    }

    /// What it leads to, as it was when it was set or later.
    #[inline(always)]
    pub fn get(&self) -> Option<&'static T> {
        // SYNC once with OncePointer::set
        let place = self.0.load(or_relaxed("once_load", Ordering::Acquire));
        // SAFETY: null, or what `set` was given, which stays.
        unsafe { place.as_ref() }
    }

    /// Leads to something whole from now on.
    pub fn set(&self, whole: &'static T) {
        let place = core::ptr::from_ref(whole).cast_mut();
        // SYNC once with OncePointer::get
        self.0.store(place, or_relaxed("once_store", Ordering::Release));
    }

    /// It is to be set once more; threads that have read it already may go on using what it led to.
    #[cfg(not(loom))]
    pub fn forget(&self) {
        self.0.store(core::ptr::null_mut(), Ordering::Relaxed);
    }
}
