//! Compares processes under a virtual clock: which waits for which, which exceeds the others, how well time is used.

use crate::stage::{SECOND, Stage, amounts, focus};
use whyperf_layout::{Kind, Moved, ObjectKind};
use whyperf_model::{Efficiency, Metric};
use whyperf_testkit::synthetic::{SyntheticProcess, SyntheticThread};

/// A rank that can write, meet the others and end MPI: its thread and these three calls.
fn rank<'a>(
    process: &'a SyntheticProcess,
    number: i32,
    now: u64,
) -> (SyntheticThread<'a>, [u32; 3]) {
    process.set_rank(number);
    let write = process.region("write", Kind::Write, 0);
    let barrier = process.region("MPI_Barrier", Kind::Barrier, 0);
    let last = process.region("MPI_Finalize", Kind::Barrier, 0);
    let world = process.object(ObjectKind::Communicator, 0, 1, "MPI_COMM_WORLD");
    let meeting = process.object(ObjectKind::BarrierOf, world, 1, "");
    let thread =
        process.thread(process.header().pid.load(std::sync::atomic::Ordering::Relaxed), now);
    let calls = [
        thread.add(1, write, 0, 0),
        thread.add(1, barrier, 0, meeting),
        thread.add(1, last, 0, meeting),
    ];
    (thread, calls)
}

fn call(thread: &SyntheticThread<'_>, node: u32, from: u64, to: u64) {
    thread.begin(node, from);
    thread.end(to, Moved { out: 0, r#in: 0 });
}

#[test]
fn who_is_in_a_barrier_while_another_is_not_waits_for_it() {
    let mut stage = Stage::new();
    let (first, second) = (stage.process(1), stage.other_process());
    let (early, [_, early_meets, _]) = rank(&first, 0, stage.at(0));
    let (late, [_, late_meets, _]) = rank(&second, 1, stage.at(0));
    let everywhere = ["</Code>", "</Process/0>", "</Process/1>", "</SyncObject/Barrier>"];
    let pairs = everywhere.map(|place| stage.daemon.start(Metric::LateWait, &focus(place)));
    stage.sample(SECOND);

    call(&early, early_meets, stage.at(SECOND), stage.at(2 * SECOND));
    call(&late, late_meets, stage.at(SECOND + 800_000_000), stage.at(2 * SECOND));
    let pass = stage.sample(2 * SECOND);
    let late_wait = 800_000_000;
    assert_eq!(pairs.map(|pair| amounts(&pass, pair)[0]), [late_wait, late_wait, 0, late_wait]);

    call(&early, early_meets, stage.at(2 * SECOND), stage.at(3 * SECOND));
    call(&late, late_meets, stage.at(2 * SECOND), stage.at(3 * SECOND));
    let pass = stage.sample(3 * SECOND);
    assert_eq!(pairs.map(|pair| amounts(&pass, pair)[0]), [0; 4]);
}

#[test]
fn what_one_rank_alone_writes_is_told_of_it_and_evens_out() {
    let mut stage = Stage::new();
    let (first, second) = (stage.process(1), stage.other_process());
    let stranger = stage.other_process();
    let (one, [one_writes, ..]) = rank(&first, 0, stage.at(0));
    let (other, [other_writes, ..]) = rank(&second, 1, stage.at(0));
    let (beside, [beside_writes, ..]) = rank(&stranger, -1, stage.at(0));
    let places = ["</Code>", "</Process/0>", "</Process/1>"];
    let pairs = places.map(|place| stage.daemon.start(Metric::IoWaitAlone, &focus(place)));
    stage.sample(SECOND);

    // Who has no rank shares no work with the others, however much it writes.
    call(&beside, beside_writes, stage.at(SECOND), stage.at(2 * SECOND));
    call(&one, one_writes, stage.at(SECOND), stage.at(SECOND + 500_000_000));
    call(&other, other_writes, stage.at(SECOND), stage.at(SECOND + 100_000_000));
    let pass = stage.sample(2 * SECOND);
    let more = 400_000_000;
    assert_eq!(pairs.map(|pair| amounts(&pass, pair)[0]), [more, more, 0]);

    call(&other, other_writes, stage.at(2 * SECOND), stage.at(2 * SECOND + 400_000_000));
    let pass = stage.sample(3 * SECOND);
    assert_eq!(pairs.map(|pair| amounts(&pass, pair)[0]), [-more, -more, 0]);
}

#[test]
fn the_efficiencies_are_of_the_time_between_beginning_and_end_of_mpi() {
    let mut stage = Stage::new();
    let (first, second) = (stage.process(1), stage.other_process());
    let (busy, [_, busy_meets, busy_ends]) = rank(&first, 0, stage.at(0));
    let (idle, [_, idle_meets, idle_ends]) = rank(&second, 1, stage.at(0));
    // What was before is not known to be part of MPI.
    stage.sample(SECOND);
    call(&idle, idle_meets, stage.at(3 * SECOND), stage.at(5 * SECOND));
    call(&busy, busy_meets, stage.at(4 * SECOND), stage.at(5 * SECOND));
    stage.sample(5 * SECOND);
    let before = stage.daemon.efforts();
    let told = Efficiency::of(&before).expect("two ranks");
    assert_eq!((told.load_balance, told.communication), (2.5 / 3.0, 0.75));

    call(&busy, busy_ends, stage.at(6 * SECOND), stage.at(7 * SECOND));
    call(&idle, idle_ends, stage.at(6 * SECOND), stage.at(7 * SECOND));
    stage.sample(6 * SECOND + SECOND / 2);
    stage.sample(9 * SECOND);
    let after = stage.daemon.efforts();
    let phase = Efficiency::between(&before, &after).expect("two ranks");
    assert_eq!((phase.load_balance, phase.communication), (1.0, 1.0));
    assert_eq!(after[0].elapsed.as_secs_f64(), 5.0, "the end of MPI is not in it");
}

/// A process with one thread that computes from now on.
fn computes(process: &SyntheticProcess, now: u64) {
    let main = process.region("main", Kind::Function, 0);
    let pid = process.header().pid.load(std::sync::atomic::Ordering::Relaxed);
    let thread = process.thread(pid, now);
    thread.begin(thread.add(1, main, 0, 0), now);
}

#[test]
fn jobs_one_after_the_other_are_not_balanced_with_each_other() {
    let mut stage = Stage::new();
    let job = |stage: &mut Stage, begin: u64, end: u64| {
        let both = [stage.other_process(), stage.other_process()];
        for (rank, process) in (0..).zip(&both) {
            process.set_rank(rank);
            computes(process, stage.at(begin * SECOND));
        }
        stage.sample(begin * SECOND + 1);
        both.iter().for_each(|process| process.leave(stage.at(end * SECOND)));
        stage.sample(end * SECOND);
    };
    job(&mut stage, 0, 6);
    job(&mut stage, 6, 8);
    let told = Efficiency::of(&stage.daemon.efforts()).expect("two jobs of two ranks");
    assert!(told.load_balance > 0.999 && told.communication > 0.999, "{told:?}");
}

#[test]
fn who_inherited_a_rank_and_never_began_mpi_is_none() {
    let mut stage = Stage::new();
    let ranks = [stage.other_process(), stage.other_process()];
    for (number, process) in (0..).zip(&ranks) {
        process.set_rank(number);
        computes(process, stage.at(0));
    }
    let shell = stage.other_process();
    shell.header().rank.store(0, std::sync::atomic::Ordering::Relaxed);
    computes(&shell, stage.at(0));
    shell.leave(stage.at(SECOND));
    stage.sample(1);
    stage.sample(4 * SECOND);
    let told = Efficiency::of(&stage.daemon.efforts()).expect("two ranks");
    assert_eq!((told.load_balance, told.communication), (1.0, 1.0));
}
