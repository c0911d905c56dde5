//! The next definition of an interposed symbol, looked up at its first use.
//!
//! A shared object that named `PMPI_Send` directly would keep `/bin/true` from starting under
//! `LD_PRELOAD`, so nothing is bound at load.

use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::c_library;

/// One symbol and, after its first use, where it is.
#[derive(Debug)]
pub(crate) struct Next {
    name: &'static CStr,
    /// Objects to look in when the chain of interposition does not reach the symbol.
    apart: &'static [&'static CStr],
    found: AtomicPtr<c_void>,
}

impl Next {
    /// Where in it the address is, null before its first use: for code that must keep registers.
    pub(crate) const FOUND: usize = core::mem::offset_of!(Self, found);

    /// The symbol called `name`.
    pub(crate) const fn new(name: &'static CStr) -> Self {
        Self { name, apart: &[], found: AtomicPtr::new(core::ptr::null_mut()) }
    }

    /// A symbol of an MPI, which plugins and Python modules may have loaded for themselves.
    pub(crate) const fn of_mpi(name: &'static CStr) -> Self {
        Self { name, apart: MPI, found: AtomicPtr::new(core::ptr::null_mut()) }
    }

    /// A symbol of a Fortran library, of an MPI or of the compiler.
    pub(crate) const fn of_fortran(name: &'static CStr) -> Self {
        Self { name, apart: FORTRAN, found: AtomicPtr::new(core::ptr::null_mut()) }
    }

    /// Its address; null when no loaded object defines it.
    #[inline(always)]
    pub(crate) fn address(&self) -> *mut c_void {
        let found = self.found.load(Ordering::Relaxed);
        if found.is_null() { self.look_up() } else { found }
    }

    #[cold]
    fn look_up(&self) -> *mut c_void {
        // SAFETY: errno is a location of the calling thread.
        let errno = unsafe { libc::__errno_location() };
        // SAFETY: the same location.
        let before = unsafe { *errno };
        // SAFETY: a constant string; RTLD_NEXT is valid in any object.
        let mut found = unsafe { real_dlsym()(libc::RTLD_NEXT, self.name.as_ptr()) };
        for object in self.apart {
            if found.is_null() {
                found = look_in(object, self.name);
            }
        }
        self.found.store(found, Ordering::Relaxed);
        // SAFETY: the same location; the program must not see what looking up left there.
        unsafe { *errno = before };
        found
    }
}

/// Looks in one object, if it is loaded; `RTLD_NEXT` does not see what was loaded `RTLD_LOCAL`.
fn look_in(object: &CStr, name: &CStr) -> *mut c_void {
    // SAFETY: a constant string; RTLD_NOLOAD loads nothing.
    let handle = unsafe { libc::dlopen(object.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        return core::ptr::null_mut();
    }
    // SAFETY: the handle is open. It stays open: the object must not go while its address is kept.
    unsafe { real_dlsym()(handle, name.as_ptr()) }
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

const MPI: &[&CStr] = &[c"libmpi.so.40", c"libmpich.so.12", c"libmpi.so.12", c"libmpi_abi.so.0"];
const FORTRAN: &[&CStr] = &[
    c"libmpi_mpifh.so.40",
    c"libmpi_usempif08.so.40",
    c"libmpichfort.so.12",
    c"libmpifort.so.12",
    c"libgfortran.so.5",
];
