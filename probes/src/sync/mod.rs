//! Wrappers of calls that wait for other threads: pthread, semaphores and C11 threads.
//!
//! A lock that is free costs its `trylock` and nothing else: an event begins only where the thread
//! would have to wait. Conditions, barriers and joins are there to wait and always are events.
//! Locks made of bare system calls (Rust's, those of OpenMP runtimes) are not seen.

mod c11;
mod contended;
mod created;
mod creation;
mod lock;
mod semaphore;
mod wait;

/// Looks every function up, so that none is looked up while the program reads `dlerror`.
pub(crate) fn resolve() {
    c11::resolve();
    creation::resolve();
    lock::resolve();
    semaphore::resolve();
    wait::resolve();
}
