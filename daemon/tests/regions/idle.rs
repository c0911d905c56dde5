//! Threads that wait for work: idle until they get some, and waiting from then on.

use std::sync::atomic::Ordering;

use whyperf_layout::{Kind, Moved, ObjectKind};
use whyperf_model::{Metric, Pair};
use whyperf_testkit::synthetic::{SyntheticProcess, SyntheticThread};

use crate::stage::{SECOND, Stage, amounts, focus};

/// A thread that no system has: of one that is there the system tells how much it ran.
const NOBODY: u32 = 1 << 22;

/// What waiting and all time came to, in seconds, and how many threads were idle.
fn told(stage: &mut Stage) -> ([i64; 2], usize) {
    let amounts = [Metric::SyncWait, Metric::Wall].map(|metric| {
        let told = stage.daemon.over_run(&Pair::new(metric, focus("</Code>")));
        (told.expect("it is known").amount + SECOND as i64 / 2) / SECOND as i64
    });
    (amounts, stage.daemon.counts().idle)
}

/// The second thread of a process, which waits in a call of this kind from its beginning on, and that call.
fn waiter<'process>(
    process: &'process SyntheticProcess,
    stage: &Stage,
    kind: Kind,
) -> (SyntheticThread<'process>, u32) {
    let region = process.region("waits", kind, 0);
    let _first = process.thread(stage.pid(), stage.at(0));
    let second = process.thread(NOBODY, stage.at(0));
    let call = second.add(1, region, 0, 0);
    second.begin(call, stage.at(0));
    (second, call)
}

/// A process with two threads, of which the second one begins to wait after so many nanoseconds, for four seconds; then it works for so
/// many, and waits again.
fn waiting_after(busy: u64, work: u64, then: impl FnOnce(&mut Stage)) -> ([i64; 2], usize) {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let condition = process.region("pthread_cond_wait", Kind::Condition, 0);
    let _first = process.thread(stage.pid(), stage.at(0));
    let second = process.thread(NOBODY, stage.at(0));
    let call = second.add(1, condition, 0, 0);
    second.begin(call, stage.at(busy));
    for pass in 1..=4 {
        stage.sample(pass * SECOND);
    }
    then(&mut stage);
    second.end(stage.at(4 * SECOND), Moved::default());
    second.begin(call, stage.at(4 * SECOND + work));
    for pass in 5..=8 {
        stage.sample(pass * SECOND);
    }
    told(&mut stage)
}

#[test]
fn what_waits_and_gets_no_work_is_idle() {
    let after = waiting_after(1000, 1000, |stage| assert_eq!(told(stage), ([0, 4], 1)));
    assert_eq!(after, ([0, 8], 1));
}

#[test]
fn once_it_works_it_waits_for_work_and_was_idle_before() {
    let after = waiting_after(1000, SECOND, |stage| assert_eq!(told(stage), ([0, 4], 1)));
    assert_eq!(after, ([3, 12], 0));
}

#[test]
fn who_begins_to_work_within_a_while_waited_for_it() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let (second, call) = waiter(&process, &stage, Kind::Condition);
    stage.sample(SECOND);
    second.end(stage.at(SECOND), Moved::default());
    second.begin(call, stage.at(2 * SECOND));
    stage.sample(2 * SECOND);
    stage.sample(3 * SECOND);
    assert_eq!(told(&mut stage), ([2, 6], 0));
}

#[test]
fn who_comes_back_only_to_look_around_is_idle() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let (timer, call) = waiter(&process, &stage, Kind::Condition);
    for tenth in 1..=60 {
        let now = tenth * (SECOND / 10);
        timer.end(stage.at(now - 100_000), Moved::default());
        timer.begin(call, stage.at(now - 1000));
        stage.sample(now);
    }
    assert_eq!(told(&mut stage), ([0, 6], 1));
}

#[test]
fn one_that_worked_before_waits() {
    let after = waiting_after(SECOND, 1000, |stage| assert_eq!(told(stage), ([3, 8], 0)));
    assert_eq!(after, ([7, 16], 0));
}

#[test]
fn the_first_thread_is_the_program() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let condition = process.region("pthread_cond_wait", Kind::Condition, 0);
    let first = process.thread(stage.pid(), stage.at(0));
    let call = first.add(1, condition, 0, 0);
    first.begin(call, stage.at(0));
    for pass in 1..=4 {
        stage.sample(pass * SECOND);
    }
    assert_eq!(told(&mut stage), ([4, 4], 0));
}

#[test]
fn at_a_semaphore_too_who_gets_no_work_is_idle_and_for_a_lock_threads_wait() {
    for (kind, wanted) in [(Kind::Semaphore, ([0, 4], 1)), (Kind::Mutex, ([4, 8], 0))] {
        let mut stage = Stage::new();
        let process = stage.process(1);
        let _waiter = waiter(&process, &stage, kind);
        for pass in 1..=4 {
            stage.sample(pass * SECOND);
        }
        assert_eq!(told(&mut stage), wanted, "{kind:?}");
    }
}

/// A process whose first thread waits, started by one whose first thread is in a call of this kind.
fn child_of_one_in(kind: Kind) -> ([i64; 2], usize) {
    let mut stage = Stage::new();
    let (parent, child) = (stage.process(1), stage.other_process());
    child.header().parent_pid.store(stage.pid(), Ordering::Relaxed);
    let begin = stage.at(0);
    let wait = |process: &SyntheticProcess, tid: u32, kind: Kind| {
        let region = process.region("waits", kind, 0);
        let thread = process.thread(tid, begin);
        let call = thread.add(1, region, 0, 0);
        thread.begin(call, begin);
    };
    wait(&parent, stage.pid(), kind);
    stage.sample(SECOND / 10);
    wait(&child, NOBODY, Kind::Condition);
    for pass in 1..=4 {
        stage.sample(pass * SECOND);
    }
    told(&mut stage)
}

#[test]
fn a_process_that_another_one_started_is_idle_unless_that_one_waits_for_it() {
    assert_eq!(child_of_one_in(Kind::Function), ([0, 4], 1));
    assert_eq!(child_of_one_in(Kind::Join), ([4, 4], 0));
}

#[test]
fn who_reads_a_timer_waits_for_time() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let read = process.region("read", Kind::Read, 0);
    let timer = process.object(ObjectKind::File, 0, 7, "timerfd");
    let thread = process.thread(stage.pid(), stage.at(0));
    let call = thread.add(1, read, 0, timer);
    thread.begin(call, stage.at(0));
    let sleep = stage.daemon.start(Metric::Blocked, &focus("</SyncObject/Sleep>"));
    let pass = stage.sample(SECOND);
    assert_eq!(amounts(&pass, sleep), [SECOND as i64]);
    let is_there = pass.appeared.iter().any(|one| one.to_string() == "/SyncObject/Sleep");
    assert!(is_there, "it can be asked about: {:?}", pass.appeared);
}
