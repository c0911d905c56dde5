//! The shared object `libwhyperf.so`: the wrappers and the C interface.
#![no_std]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! { loop {} }
