//! The agent's life: it comes and goes with its process, and steps aside where it would be in the way.

use crate::measured::{only, own, run};
use crate::visit;
use std::fs;
use std::sync::atomic::Ordering::Relaxed;
use whyperf_layout::Kind;
use whyperf_runtime::{Region, agent_thread, fork};

static SOLVE: Region = Region::new(c"solve", Kind::User);

/// Runs `body` in a child, where it is the only thread, and answers the child's status. The first
/// thread of a test waits for the test's.
fn alone(body: fn()) -> i32 {
    // SAFETY: no thread but this one holds a lock that the child needs.
    let child = unsafe { libc::fork() };
    if child == 0 {
        fork::child();
        body();
        // SAFETY: ends the child's only thread.
        unsafe { libc::syscall(libc::SYS_exit, 5) };
    }
    let mut status = 0;
    // SAFETY: the status is ours to write.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    status
}

/// Threads of this process, also those that the C library does not know.
fn threads() -> usize {
    fs::read_dir("/proc/self/task").expect("it has threads").count()
}

#[test]
fn a_process_ends_with_the_last_of_its_own_threads() {
    only(run(&[], || {
        let status = alone(|| {
            visit(&SOLVE, || ());
            assert_eq!(threads(), 2);
        });
        assert_eq!((libc::WIFEXITED(status), libc::WEXITSTATUS(status)), (true, 5));
    }));
}

#[test]
fn it_steps_aside_as_often_as_asked_and_leaves_nothing_behind() {
    only(run(&[], || {
        let status = alone(|| {
            visit(&SOLVE, || ());
            let used = || {
                let lines = fs::read_to_string("/proc/self/maps").expect("it is ours");
                let open = fs::read_dir("/proc/self/fd").expect("it is ours").count();
                (lines.lines().count(), open)
            };
            let before = used();
            for _ in 0..1000 {
                let (first, second) = (agent_thread::send_away(), agent_thread::send_away());
                assert_eq!((first, second, threads()), (true, true, 1));
                agent_thread::call_back(second);
                assert_eq!(threads(), 1);
                agent_thread::call_back(first);
                assert_eq!(threads(), 2);
            }
            assert_eq!(used(), before);
            assert_eq!(own().header().agent.load(Relaxed), 1);
        });
        assert_eq!(libc::WEXITSTATUS(status), 5);
    }));
}

#[test]
fn who_has_none_cannot_send_it_away() {
    assert!(
        run(&[], || {
            assert!(!agent_thread::send_away());
            agent_thread::call_back(false);
        })
        .is_empty()
    );
}
