//! The shared object `libwhyperf.so`: the wrappers of MPI and of the C library, and the C interface.
#![no_std]
#![expect(non_snake_case, reason = "exported names are given by MPI and C")]
#![expect(
    clippy::missing_safety_doc,
    reason = "a wrapper asks of its caller what the C function asks"
)]

mod api;
mod attachment;
mod backtrace;
mod c_library;
mod cancellation;
mod claim;
mod compiled;
mod contexts;
mod creation;
mod definition;
mod exec;
mod fortran;
mod forwarding;
mod io;
mod jumps;
mod load;
mod loaded_object;
mod loader;
mod memory;
mod mpi;
mod next;
mod privilege;
mod process;
mod profiled;
mod reroute;
mod sandbox;
mod signals;
mod spawns;
mod stub;
mod sync;
mod thread_start;
mod waits;
mod wrapped;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

// The compiled `core` names a personality routine for unwinding, which this library never does.
// Hidden, so that no Rust program takes it for its own.
core::arch::global_asm!(
    ".globl rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:",
    "ud2",
);
