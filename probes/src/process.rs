//! Wrappers of calls that fork or end the process.
//!
//! A child of `vfork` shares our memory until it becomes another program or ends; the runtime compares process ids before
//! it believes that either is about this process. `exec` has the calls by which a process becomes another program, `load`
//! the loading of the library.

use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, Ordering};

use whyperf_runtime::{fork, process};

use crate::next::Next;
use crate::wrapped::{accompanied, keep_errno};

/// Runs when the program has ended in order, after its own destructors.
#[used]
#[unsafe(link_section = ".fini_array")]
static ON_UNLOAD: extern "C" fn() = left;

extern "C" fn left() {
    keep_errno(process::leave);
}

accompanied! {
    _exit(status) keep_errno(process::leave);
    _Exit(status) keep_errno(process::leave);
    quick_exit(status) keep_errno(process::leave);
}

/// Has the runtime told of every fork, once.
pub(crate) fn follow_forks() {
    static FOLLOWED: AtomicBool = AtomicBool::new(false);
    if FOLLOWED.swap(true, Ordering::Relaxed) {
        return;
    }
    type Handler = Option<unsafe extern "C" fn()>;
    type Register = unsafe extern "C" fn(Handler, Handler, Handler, *const c_void) -> i32;
    static REGISTER: Next = Next::inner(c"__register_atfork");
    let address = REGISTER.address();
    if address.is_null() {
        return;
    }
    // SAFETY: the C library's function of this name and signature, on which `pthread_atfork` rests.
    let register = unsafe { core::mem::transmute::<*mut c_void, Register>(address) };
    let this_object = (&raw const __dso_handle).cast();
    // SAFETY: the handlers live as long as this object; with its handle, unloading it ends all.
    unsafe { register(Some(forking), None, Some(forked), this_object) };
}

unsafe extern "C" fn forking() {
    keep_errno(fork::before);
}

unsafe extern "C" fn forked() {
    keep_errno(fork::child);
}

// SAFETY: the linker defines it in every shared object.
unsafe extern "C" {
    /// What the linker calls this shared object.
    safe static __dso_handle: u8;
}
