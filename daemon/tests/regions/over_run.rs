//! Amounts of pairs over the whole run, also of pairs that were never measured: with what ended, without pauses, and
//! nothing that was not counted.

use std::sync::atomic::Ordering;

use whyperf_layout::{Kind, Moved};
use whyperf_model::{Metric, Pair};

use crate::stage::{SECOND, Stage, amounts, focus};

fn amount(stage: &mut Stage, metric: Metric, of: &str) -> Option<i64> {
    stage.daemon.over_run(&Pair::new(metric, focus(of))).map(|told| told.amount)
}

#[test]
fn what_ended_counts_for_a_pair_that_nobody_measured() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    process.set_rank(0);
    let barrier = process.region("pthread_barrier_wait", Kind::ThreadBarrier, 0);
    let first = process.thread(stage.pid(), stage.at(0));
    let call = first.add(1, barrier, 0, 0);
    first.begin(call, stage.at(100));
    first.end(stage.at(300), Moved::default());
    first.finish(stage.at(1000));
    stage.sample(SECOND);
    let second = process.thread_again(0, stage.pid(), stage.at(2 * SECOND));
    let call = second.add(1, barrier, 0, 0);
    second.begin(call, stage.at(2 * SECOND + 10));
    stage.sample(2 * SECOND + 50);
    for (metric, of, expected) in [
        (Metric::SyncWait, "</Code>", 240),
        (Metric::Wall, "</Code>", 1050),
        (Metric::SyncWait, "</Process/0/0>", 200),
        (Metric::SyncWait, "</Process/0/1>", 40),
        (Metric::SyncWait, "</Machine/other>", 0),
    ] {
        assert_eq!(amount(&mut stage, metric, of), Some(expected), "{metric} {of}");
    }
}

#[test]
fn under_another_name_it_is_as_it_was_measured() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let _thread = process.thread(stage.pid(), stage.at(0));
    let foci = ["</Code>", "</Process/3/0>"];
    let pairs = foci.map(|of| stage.daemon.start(Metric::Wall, &focus(of)));
    let mut sums = [0; 2];
    for second in 1..7 {
        if second == 5 {
            process.set_rank(3);
        }
        let pass = stage.sample(second * SECOND);
        for (sum, pair) in sums.iter_mut().zip(pairs) {
            *sum += amounts(&pass, pair).iter().sum::<i64>();
        }
    }
    assert!(sums[0] > sums[1] && sums[1] > 0, "{sums:?}");
    assert_eq!(foci.map(|of| amount(&mut stage, Metric::Wall, of)), sums.map(Some));
}

#[test]
fn a_pause_does_not_count() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let _thread = process.thread(stage.pid(), stage.at(0));
    for second in 1..7 {
        process.header().paused.store(u32::from((2..5).contains(&second)), Ordering::Relaxed);
        stage.sample(second * SECOND);
    }
    // It began at some moment of the second in which it was seen first.
    assert_eq!(amount(&mut stage, Metric::Wall, "</Code>"), Some(4_000_000_000));
}

#[test]
fn what_was_not_counted_all_the_time_has_no_answer() {
    let run = |tid: u32| {
        let mut stage = Stage::new();
        let process = stage.process(1);
        let thread = process.thread(tid, stage.at(0));
        let _ = thread;
        stage.sample(SECOND);
        stage.sample(2 * SECOND);
        [(Metric::Cpu, "</Code>"), (Metric::Compute, "</Code>"), (Metric::Cpu, "</Code/a.c/f>")]
            .map(|(metric, of)| amount(&mut stage, metric, of).is_some())
    };
    // What the system says nothing of is taken to have run.
    for tid in [std::process::id(), u32::MAX] {
        assert_eq!(run(tid), [true, true, false], "functions are counted while they are on");
    }
}
