//! Wrappers of POSIX and stdio input and output: each call is a region, each file an object.
//!
//! A stream's work happens inside the C library, out of sight of the wrappers of `read` and `write`; therefore both levels
//! are wrapped and the guard keeps the outer one. Input and output without a call through the dynamic linker (inline
//! `getc_unlocked`, direct system calls, `mmap`) is not seen. Of sockets, only `read` and `write` are here;
//! `waits/socket.rs` has the other calls.

mod character;
mod close;
mod descriptor;
pub(crate) mod file;
mod format;
mod metadata;
pub(crate) mod moved;
mod open;
mod path;
mod peer;
mod position;
mod read;
mod replace;
mod stream;
mod variadic;
mod write;

/// Looks every function up, so that none is looked up while the program reads `dlerror`.
pub(crate) fn resolve() {
    character::resolve();
    close::resolve();
    file::resolve();
    format::resolve();
    metadata::resolve();
    moved::resolve();
    open::resolve();
    position::resolve();
    read::resolve();
    replace::resolve();
    stream::resolve();
    variadic::resolve();
    write::resolve();
}
