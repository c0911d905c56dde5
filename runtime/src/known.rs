//! Something that is made once and stays: unknown at first, whole as soon as it is known.

use whyperf_layout::sync::{AtomicPtr, Ordering, or_relaxed};

/// Where it is, null until then.
#[derive(Debug)]
#[cfg_attr(loom, derive(Default))]
#[repr(transparent)]
pub struct Known<T: Sync + 'static>(AtomicPtr<T>);

impl<T: Sync + 'static> Known<T> {
    /// Not known yet.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn unknown() -> Self {
        Self(AtomicPtr::new(core::ptr::null_mut()))
    }

    /// It, as it was when it became known or later.
    #[inline(always)]
    pub fn get(&self) -> Option<&'static T> {
        // SYNC known with Known::set
        let place = self.0.load(or_relaxed("known_load", Ordering::Acquire));
        // SAFETY: null, or what `set` was given, which stays.
        unsafe { place.as_ref() }
    }

    /// Here it is, whole.
    pub fn set(&self, whole: &'static T) {
        let place = core::ptr::from_ref(whole).cast_mut();
        // SYNC known with Known::get
        self.0.store(place, or_relaxed("known_store", Ordering::Release));
    }

    /// It is to be found out once more; who has it already may go on using it.
    #[cfg(not(loom))]
    pub fn forget(&self) {
        self.0.store(core::ptr::null_mut(), Ordering::Relaxed);
    }
}
