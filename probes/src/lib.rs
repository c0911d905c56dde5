//! The shared object `libwhyperf.so`: the wrappers and the C interface.
#![no_std]
#![expect(non_snake_case, reason = "exported names are given by MPI and C")]

mod api;
mod io;
mod mpi;
mod next;
mod process;
mod stub;
mod sync;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
