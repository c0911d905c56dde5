//! Life of the process: load, fork, exit.
//!
//! ```text
//!   .init_array ──► attach          fork ──► forked_child (in the child)
//!   _exit, end  ──► leave
//! ```
//! A child of `vfork` shares our memory until it becomes another program or ends; the runtime
//! compares process ids before it believes that either is said of us. What becomes of a process that becomes another
//! program is in `exec`.

use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, Ordering};

use whyperf_runtime::{birth, process, startup_barrier};

use crate::next::Next;
use crate::wrapped::{accompanied, keep_errno};
use crate::{
    attachment, c_library, cancellation, compiled, contexts, creation, exec, io, jumps, privilege,
    profiled, sandbox, signals, spawns, sync,
};

/// Runs when the library is loaded, before the program's `main`.
#[used]
#[unsafe(link_section = ".init_array")]
static ON_LOAD: extern "C" fn() = loaded;

/// Runs when the program has ended in order, after its own destructors.
#[used]
#[unsafe(link_section = ".fini_array")]
static ON_UNLOAD: extern "C" fn() = left;

extern "C" fn loaded() {
    keep_errno(|| {
        // Looked up one by one at their first use, they would wipe out what a program that has
        // not yet asked `dlerror` is going to be told.
        io::resolve();
        sync::resolve();
        resolve();
        creation::resolve();
        cancellation::resolve_all();
        exec::resolve();
        jumps::resolve();
        compiled::resolve();
        profiled::resolve();
        contexts::resolve_all();
        spawns::resolve();
        signals::resolve();
        sandbox::resolve();
        privilege::resolve_all();
        // SAFETY: forgets the complaints about functions that this C library does not have.
        unsafe { libc::dlerror() };
        if c_library::is_glibc() {
            process::attach();
            attachment::listen();
        }
        if process::is_measured() {
            follow_forks();
            startup_barrier::wait();
            birth::begin();
        }
    });
}

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
    keep_errno(process::forking);
}

unsafe extern "C" fn forked() {
    keep_errno(process::forked_child);
}

// SAFETY: the linker defines it in every shared object.
unsafe extern "C" {
    /// What the linker calls this shared object.
    safe static __dso_handle: u8;
}
