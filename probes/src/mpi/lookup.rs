//! The wrapper of `dlsym`, for programs that fetch functions of MPI by hand (Julia, plugins, foreign-function interfaces), and for those that ask
//! whether a library is there by a name that we export.
//!
//! ```text
//!   dlsym(handle, "MPI_Send")         ──► the real dlsym ──► found? then our MPI_Send instead
//!   dlsym(RTLD_DEFAULT, "MPI_Send")   ──► no MPI is loaded? then it is not there, though we have one
//!   any other name, or RTLD_NEXT: jump to the real dlsym, as if called by the caller
//! ```
//! `RTLD_NEXT` means "after the caller", which the real function sees by its return address; so
//! the stub jumps and does not call.

use core::ffi::{CStr, c_char, c_void};

use whyperf_runtime::measurement;

use crate::forwarding::keep_and_jump;
use crate::loader::{self, DlSym, look_in};
use crate::reroute;

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
    let real = loader::real_dlsym() as *const u8;
    if handle == libc::RTLD_NEXT || name.is_null() {
        return real;
    }
    // SAFETY: the caller's promise, and it is not null.
    let name = unsafe { CStr::from_ptr(name) };
    let is_of_library = LIBRARIES.iter().any(|start| name.to_bytes().starts_with(start));
    match reroute::exported(name).filter(|_| is_of_library) {
        None => real,
        Some(ours) if handle == libc::RTLD_DEFAULT => {
            if ours.has_real() {
                real
            } else {
                absent as DlSym as *const u8
            }
        }
        Some(_) => fetch as DlSym as *const u8,
    }
}

/// Answers our function of this name where the asked library has one, and never one that only we have.
unsafe extern "C" fn fetch(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    // SAFETY: the program's own arguments; the handle is not one that depends on the caller.
    let found = unsafe { loader::real_dlsym()(handle, name) };
    if found.is_null() {
        return found;
    }
    // SAFETY: `choose` has read the name.
    let Some(ours) = reroute::exported(unsafe { CStr::from_ptr(name) }) else { return found };
    let (has_real, stub) = (ours.has_real(), ours.stub() as *mut c_void);
    if !has_real && found == stub {
        // SAFETY: the program's own arguments.
        return unsafe { absent(handle, name) };
    }
    // SAFETY: clears the error of our own question; the program's question had none.
    unsafe { libc::dlerror() };
    let is_measured = ours.is_of_mpi() && measurement::is_measured();
    if has_real && is_measured { stub } else { found }
}

/// Answers that there is no such function, and lets the loader keep an error that says so.
unsafe extern "C" fn absent(_: *mut c_void, name: *const c_char) -> *mut c_void {
    // SAFETY: `choose` has read the name.
    look_in(c"libc.so.6", unsafe { CStr::from_ptr(name) })
}

/// How the names begin that no C library has.
const LIBRARIES: [&[u8]; 4] = [b"MPI_", b"PMPI_", b"io_uring_", b"__io_uring_"];
