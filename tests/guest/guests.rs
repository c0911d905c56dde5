//! Programs that are hard for a preloaded library: they close, clear, crash, cancel, jump and multiply.

use std::os::unix::process::ExitStatusExt;

use crate::built::program;
use crate::comparison::Trial;
use crate::needs;
use crate::release::library;
use crate::stage::Deed;

/// What each has to print and return is in its head; here it only must be the same.
macro_rules! guests {
    ($($name:ident: $path:literal, |$deed:ident| $check:expr;)*) => { $(
        #[test]
        fn $name() {
            let path = program($path).display().to_string();
            let $deed: Deed = Trial::of(stringify!($name), &[&path]).is_unchanged();
            assert!($check, "{:?}", $deed);
        }
    )* };
}

guests! {
    one_that_closes_all_descriptors: "guests/close_all", |deed| deed.status.success();
    one_that_clears_its_environment: "guests/clear_environment", |deed| deed.status.success();
    one_with_a_thousand_threads: "guests/many_threads", |deed| deed.status.success();
    one_that_forks_and_executes: "guests/fork_exec", |deed| deed.status.success();
    one_full_of_signals: "guests/signals", |deed| deed.status.success();
    one_that_jumps: "guests/longjmp", |deed| deed.status.success();
    one_that_cancels_threads: "guests/thread_cancel", |deed| deed.status.success();
    one_that_crashes: "guests/crash", |deed| deed.status.signal() == Some(11);
    one_that_throws: "guests/cpp_exception", |deed| deed.status.success();
    one_whose_threads_come_first: "guests/first_event_in_thread", |deed| deed.status.success();
    one_that_begins_without_end: "guests/unbalanced", |deed| deed.status.success();
    one_linked_statically: "guests/static_hello", |deed| deed.status.code() == Some(5);
    one_with_contended_locks: "bottleneck/lock_contention", |deed| deed.status.success();
    one_with_a_starved_consumer: "bottleneck/starved_consumer", |deed| deed.status.success();
    one_with_small_writes: "bottleneck/small_io", |deed| deed.status.success();
}

#[test]
fn one_that_aborts_among_others() {
    if !needs::program("mpirun.openmpi") {
        return;
    }
    let path = program("guests/abort").display().to_string();
    let words =
        ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "2", path.as_str()];
    let trial = Trial::of("abort", &words);
    let bare = trial.bare();
    let library = library().display().to_string();
    let run = trial.stage.run().display().to_string();
    let deed = trial.with(&[("LD_PRELOAD", &library), ("WHYPERF_DIR", &run)]);
    // What the launcher says on its standard error names process ids.
    assert_eq!((deed.status, deed.stdout), (bare.status, bare.stdout), "{}", deed.stderr);
}
