//! The loading of the library: the real functions are looked up, and the process begins to be measured.

use whyperf_runtime::{birth, load, measurement, startup_barrier};

use crate::wrapped::keep_errno;
use crate::{
    attachment, backtrace, c_library, cancellation, compiled, contexts, creation, exec, io, jumps,
    privilege, process, profiled, sandbox, signals, spawns, sync, waits,
};

/// Runs when the library is loaded, before the program's `main`.
#[used]
#[unsafe(link_section = ".init_array")]
static ON_LOAD: extern "C" fn() = loaded;

extern "C" fn loaded() {
    keep_errno(|| {
        // Looked up one by one at their first use, they would wipe out what a program that has
        // not yet asked `dlerror` is going to be told.
        io::resolve();
        sync::resolve();
        waits::resolve();
        process::resolve();
        creation::resolve();
        backtrace::resolve();
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
            // SAFETY: this is the constructor, and it runs once.
            unsafe { load::attach() };
            attachment::listen();
        }
        if measurement::is_measured() {
            process::follow_forks();
            startup_barrier::wait();
            birth::begin();
        }
    });
}
