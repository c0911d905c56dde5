//! The next definition of an interposed symbol, looked up at its first use.
//!
//! A shared object that named `PMPI_Send` directly would keep `/bin/true` from starting under
//! `LD_PRELOAD`, so nothing is bound at load.

use core::ffi::{CStr, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};

/// One symbol and, after its first use, where it is.
#[derive(Debug)]
pub(crate) struct Next {
    name: &'static CStr,
    found: AtomicPtr<c_void>,
}

impl Next {
    /// The symbol called `name`.
    pub(crate) const fn new(name: &'static CStr) -> Self {
        Self { name, found: AtomicPtr::new(core::ptr::null_mut()) }
    }

    /// Its address; null when no loaded object defines it.
    #[inline(always)]
    pub(crate) fn address(&self) -> *mut c_void {
        let found = self.found.load(Ordering::Relaxed);
        if found.is_null() { self.look_up() } else { found }
    }

    #[cold]
    fn look_up(&self) -> *mut c_void {
        // SAFETY: a constant string; RTLD_NEXT is valid in any object.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        self.found.store(found, Ordering::Relaxed);
        found
    }
}
