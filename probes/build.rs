//! Link settings of the shared object `libwhyperf.so`.

fn main() {
    // Its name for programs that link it.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libwhyperf.so");
    // Threads keep pointers into it, so it must stay when it is closed by the code that loaded it.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // Its thread-local block is reached by the initial-exec model: the loader must reserve it.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,relro,-z,now");
    println!("cargo::rerun-if-changed=build.rs");
}
