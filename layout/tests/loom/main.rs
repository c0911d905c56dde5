//! Runs the protocols between threads and processes under every interleaving that loom explores.
//!
//! Each ordering has a mutant in which it is weakened; `docs/layout.md` says which model must fail then, and
//! `cargo xtask test --only mutants` demands it. Sources of parts that need an operating system are compiled into this test
//! where they hold a protocol.
//!
//! All work is done in spawned threads, because loom explores less of what the main thread sees,
//! and every word of a model has a value of its own.
#![cfg(loom)]

mod event_ring;
mod mapping;
mod probes;
mod process;
mod publication;
mod ring;
mod slot;

#[path = "../../../probes/src/mpi/association.rs"]
#[expect(dead_code, reason = "the models need not all of it")]
mod association;
#[path = "../../../probes/src/claim.rs"]
mod claim;
#[path = "../../../runtime/src/directory.rs"]
mod directory;
#[path = "../../../runtime/src/number.rs"]
mod number;
#[path = "../../../runtime/src/once_pointer.rs"]
#[expect(unreachable_pub, reason = "public where the probes use it, too")]
mod once_pointer;
#[path = "../../../runtime/src/process_status.rs"]
#[expect(dead_code, reason = "the models need not all of it")]
mod process_status;
#[path = "../../../inject/src/registration.rs"]
#[expect(dead_code, reason = "the models need not all of it")]
mod registration;
#[path = "../../../runtime/src/spin_lock.rs"]
mod spin_lock;
#[path = "../../../probes/src/thread_start.rs"]
mod thread_start;

use loom::sync::Arc;
use loom::thread;

/// Explores what two threads can see of each other's work on what `make` makes.
fn explore<T: Send + Sync + 'static>(make: fn() -> T, one: fn(&T), other: fn(&T)) {
    explore_then(make, [one, other], |_| ());
}

/// The same of any threads, with a look at the end.
fn explore_then<T: Send + Sync + 'static, const THREADS: usize>(
    make: fn() -> T,
    works: [fn(&T); THREADS],
    after: fn(&T),
) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let made = Arc::new(make());
        let threads = works.map(|work| {
            let made = made.clone();
            thread::spawn(move || work(&made))
        });
        for thread in threads {
            thread.join().unwrap();
        }
        after(&made);
    });
}
