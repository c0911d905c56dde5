//! Asks the dynamic loader for addresses by name.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::c_library;

/// What the program's own calls of this name find.
pub(crate) fn first_of(name: &CStr) -> *mut c_void {
    // SAFETY: a string that ends with zero; RTLD_DEFAULT is valid in any object.
    unsafe { real_dlsym()(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// Looks in one object, if it is loaded; `RTLD_NEXT` does not see what was loaded `RTLD_LOCAL`.
pub(crate) fn look_in(object: &CStr, name: &CStr) -> *mut c_void {
    // SAFETY: a constant string; RTLD_NOLOAD loads nothing.
    let handle = unsafe { libc::dlopen(object.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        return core::ptr::null_mut();
    }
    // SAFETY: the handle is open. It stays open: the object must not go while its address is kept.
    unsafe { real_dlsym()(handle, name.as_ptr()) }
}

/// Whether an object is loaded whose file is called so.
pub(crate) fn is_loaded(name: &[u8]) -> bool {
    struct Sought<'a>(&'a [u8], bool);
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _: usize,
        sought: *mut c_void,
    ) -> c_int {
        // SAFETY: the loader describes an object that stays as long as this function runs.
        let path = unsafe { (*info).dlpi_name };
        // SAFETY: what is passed on below, where it stays as long.
        let sought = unsafe { &mut *sought.cast::<Sought<'_>>() };
        if !path.is_null() {
            // SAFETY: the path of a loaded object ends with zero.
            let path = unsafe { CStr::from_ptr(path) }.to_bytes();
            let file = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
            sought.1 |= file.starts_with(sought.0);
        }
        0
    }
    let mut sought = Sought(name, false);
    // SAFETY: the function above takes what this one hands, and keeps nothing of it.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut sought).cast()) };
    sought.1
}

/// `dlsym`.
pub(crate) type DlSym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

/// The loader's `dlsym`: the name itself is one of ours.
pub(crate) fn real_dlsym() -> DlSym {
    static FOUND: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());
    let mut found = FOUND.load(Ordering::Relaxed);
    if found.is_null() {
        found = c_library::dlsym();
        FOUND.store(found, Ordering::Relaxed);
    }
    if found.is_null() {
        return nothing_found;
    }
    // SAFETY: the symbol is the loader's `dlsym`.
    unsafe { core::mem::transmute::<*mut c_void, DlSym>(found) }
}

/// Stands in where a C library has no `dlsym` of a version that we know.
unsafe extern "C" fn nothing_found(_: *mut c_void, _: *const c_char) -> *mut c_void {
    core::ptr::null_mut()
}
