//! Children: each has a region of its own or none, and never writes to its parent's.

use crate::measured::{only, run};
use crate::{end, visit};
use std::sync::atomic::Ordering::Relaxed;
use whyperf_layout::{Kind, RegionState};
use whyperf_runtime::{ObjectId, Region, event, fork, measurement, process};

static SOLVE: Region = Region::new(c"solve", Kind::User);
static STEP: Region = Region::new(c"step", Kind::User);

/// Runs `child` in a new process, made by `make`, and waits for it.
fn in_child(make: impl FnOnce() -> libc::pid_t, child: impl FnOnce()) {
    let pid = make();
    if pid == 0 {
        child();
        // SAFETY: ends the child at once, as a child of fork should.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: the status is ours to write.
    unsafe { libc::waitpid(pid, &raw mut status, 0) };
    assert_eq!(status, 0, "the child's status");
}

fn fork() -> libc::pid_t {
    fork::before();
    // SAFETY: the child calls nothing that another thread may have locked.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        fork::child();
    }
    pid
}

#[test]
fn a_forked_child_continues_in_a_region_of_its_own() {
    let regions = run(&[], || {
        visit(&STEP, || ());
        visit(&SOLVE, || {
            in_child(fork, || {
                visit(&STEP, || ());
                end(&SOLVE);
                visit(&STEP, || ());
                process::leave();
            });
        });
    });
    let [parent, child] = &regions[..] else { panic!("{} regions", regions.len()) };
    let paths = [&["solve"][..], &["step"], &["solve", "step"]];
    assert_eq!(paths.map(|path| parent.slot().visits(path)), [1, 1, 0]);
    assert_eq!(paths.map(|path| child.slot().visits(path)), [1, 1, 1]);
    assert_eq!([parent.slot().anomalies(), child.slot().anomalies()], [0, 0]);
    assert_eq!(child.header().parent_pid.load(Relaxed), parent.header().pid.load(Relaxed));
    assert_eq!(child.header().state.load(Relaxed), RegionState::Left as u32);
    assert_eq!(parent.header().state.load(Relaxed), RegionState::Running as u32);
    parent.slot().check_whole();
    child.slot().check_whole();
}

#[test]
fn a_child_without_events_has_no_region() {
    let region = only(run(&[], || visit(&SOLVE, || in_child(fork, || ()))));
    assert_eq!(region.slot().visits(&["solve"]), 1);
}

#[test]
fn a_child_that_nobody_announced_touches_nothing() {
    let region = only(run(&[], || {
        visit(&SOLVE, || {
            // SAFETY: as fork, but unseen by everybody.
            let clone = || unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
            in_child(
                || clone() as libc::pid_t,
                || {
                    assert!(!measurement::is_measured());
                    assert!(!event::begin(&STEP, 0, ObjectId::NONE));
                    assert!(!event::begin(&SOLVE, 0, ObjectId::NONE));
                    end(&SOLVE);
                    process::leave();
                },
            );
        });
    }));
    let slot = region.slot();
    assert_eq!(slot.visits(&["solve"]), 1);
    assert_eq!(region.header().state.load(Relaxed), RegionState::Running as u32);
    assert_eq!(slot.anomalies(), 0);
    slot.check_whole();
}
