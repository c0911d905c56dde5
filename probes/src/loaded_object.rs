//! Loaded objects: the program, and each library of it.

use core::ffi::{CStr, c_void};

/// A loaded object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadedObject {
    /// Where its header is.
    pub(crate) base: *const u8,
    /// The file it was loaded from.
    pub(crate) file: &'static CStr,
}

impl LoadedObject {
    /// The object that this address is in.
    pub(crate) fn around(address: *const c_void) -> Option<Self> {
        // SAFETY: all-zero is a valid `Dl_info`.
        let mut info: libc::Dl_info = unsafe { core::mem::zeroed() };
        // SAFETY: `dladdr` takes any address and writes `info`.
        let known = unsafe { libc::dladdr(address, &raw mut info) } != 0;
        if !known || info.dli_fbase.is_null() || info.dli_fname.is_null() {
            return None;
        }
        // SAFETY: the loader's own string, kept as long as the object is loaded.
        let file = unsafe { CStr::from_ptr(info.dli_fname) };
        Some(Self { base: info.dli_fbase.cast(), file })
    }
}

/// The last part of a path.
pub(crate) fn file_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}
