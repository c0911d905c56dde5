//! The wrapper of `dlsym`, for programs that fetch functions of MPI by hand: Julia, plugins, foreign-function interfaces.
//! They ask the MPI's own handle, so no chain of symbols leads here.
//!
//! ```text
//!   dlsym(handle, "MPI_Send") ──► the real dlsym ──► found? then our MPI_Send instead
//!   any other name, handle or process: jump to the real dlsym, as if called by the caller
//! ```
//! `RTLD_NEXT` means "after the caller", which the real function sees by its return address; so
//! the stub jumps and does not call.

use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};

use whyperf_runtime::measurement;

use crate::forwarding::keep_and_jump;
use crate::loader::{self, DlSym};

/// Handle of this library, once it was needed.
static OURS: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

// SAFETY: a naked function of the platform's C convention that jumps on as it was called.
#[unsafe(export_name = "dlsym")]
#[unsafe(naked)]
unsafe extern "C" fn exported() {
    core::arch::naked_asm!(
        "endbr64",
        "lea r11, [rip + {choose}]",
        "jmp {keep}",
        choose = sym choose,
        keep = sym keep_and_jump,
    )
}

/// Where the stub jumps.
///
/// # Safety
/// `name` must be null or a C string, as for `dlsym`.
unsafe extern "C" fn choose(handle: *mut c_void, name: *const c_char) -> *const u8 {
    let is_special = handle == libc::RTLD_NEXT || handle == libc::RTLD_DEFAULT;
    if is_special || name.is_null() || !measurement::is_measured() {
        return loader::real_dlsym() as *const u8;
    }
    // SAFETY: the caller's promise, and it is not null.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let is_mpi = name.starts_with(b"MPI_") || name.starts_with(b"PMPI_");
    if is_mpi { fetch as DlSym as *const u8 } else { loader::real_dlsym() as *const u8 }
}

/// Answers our function of this name if the asked library has one.
unsafe extern "C" fn fetch(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    let dlsym = loader::real_dlsym();
    // SAFETY: the program's own arguments; the handle is not one that depends on the caller.
    let found = unsafe { dlsym(handle, name) };
    if found.is_null() {
        return found;
    }
    let ours = ours();
    // SAFETY: our own handle, and the name that was just found elsewhere.
    let wrapped = if ours.is_null() { ours } else { unsafe { dlsym(ours, name) } };
    if !wrapped.is_null() {
        return wrapped;
    }
    // SAFETY: clears the error of our own question; the program's question had none.
    unsafe { libc::dlerror() };
    found
}

fn ours() -> *mut c_void {
    let known = OURS.load(Ordering::Relaxed);
    if !known.is_null() {
        return known;
    }
    // SAFETY: all-zero is a valid `Dl_info`.
    let mut info: libc::Dl_info = unsafe { core::mem::zeroed() };
    let here = (&raw const OURS).cast();
    // SAFETY: `dladdr` takes any address and writes `info`.
    if unsafe { libc::dladdr(here, &raw mut info) } == 0 || info.dli_fname.is_null() {
        return core::ptr::null_mut();
    }
    // SAFETY: the loader's own string; RTLD_NOLOAD loads nothing.
    let handle = unsafe { libc::dlopen(info.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    OURS.store(handle, Ordering::Relaxed);
    handle
}
