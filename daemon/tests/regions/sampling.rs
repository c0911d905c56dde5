//! Samples of synthetic processes under a virtual clock: sums, open calls, foci, ends.

use crate::stage::{SECOND, Stage, amounts, focus, names};
use whyperf_daemon::View;
use whyperf_layout::{Kind, Moved, ObjectKind};
use whyperf_model::Metric;

#[test]
fn a_receive_open_for_ten_seconds_shows_in_every_interval() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    process.set_rank(0);
    let receive = process.region("MPI_Recv", Kind::Receive, 0);
    let world = process.object(ObjectKind::Communicator, 0, 1, "MPI_COMM_WORLD");
    let tag = process.object(ObjectKind::Tag, world, 3, "");
    let thread = process.thread(stage.pid(), stage.at(0));
    let call = thread.add(1, receive, 0, tag);
    let waiting = stage.daemon.start(Metric::SyncWait, &focus("</Code>"));
    let on_tag =
        stage.daemon.start(Metric::SyncWait, &focus("</SyncObject/Message/MPI_COMM_WORLD/3>"));
    let elsewhere = stage.daemon.start(Metric::SyncWait, &focus("</SyncObject/Barrier>"));
    let wall = stage.daemon.start(Metric::Wall, &focus("</Code>"));

    stage.sample(SECOND);
    thread.begin(call, stage.at(SECOND));
    let mut sum = 0;
    for step in 1..=200 {
        let pass = stage.sample(SECOND + step * SECOND / 20);
        assert_eq!(amounts(&pass, waiting), [50_000_000], "interval {step}");
        assert_eq!(amounts(&pass, on_tag), [50_000_000], "interval {step}");
        assert_eq!(amounts(&pass, elsewhere), [0], "interval {step}");
        assert_eq!(amounts(&pass, wall), [50_000_000], "interval {step}");
        sum += amounts(&pass, waiting)[0];
    }
    thread.end(stage.at(11 * SECOND + 1000), Moved { out: 0, r#in: 8 });
    let pass = stage.sample(12 * SECOND);
    sum += amounts(&pass, waiting)[0];
    assert_eq!(sum, 10_000_001_000);
    assert_eq!(amounts(&pass, wall), [1_000_000_000]);
    let whole = stage.daemon.histogram(waiting).expect("it is being measured").whole();
    assert_eq!(whole.amount, 10_000_001_000);
}

/// A thread reads the clock, loses its processor for a while, and stores its event after a pass.
#[test]
fn no_time_is_told_twice_when_an_event_is_stored_late() {
    const TENTH: u64 = SECOND / 10;
    let mut stage = Stage::new();
    let process = stage.process(1);
    let receive = process.region("MPI_Recv", Kind::Receive, 0);
    let thread = process.thread(stage.pid(), stage.at(0));
    let call = thread.add(1, receive, 0, 0);
    let pairs = [Metric::Wall, Metric::Compute, Metric::SyncWait]
        .map(|metric| stage.daemon.start(metric, &focus("</Code>")));
    let told = |stage: &mut Stage, tenths: u64| {
        let pass = stage.sample(tenths * TENTH);
        pairs.map(|pair| amounts(&pass, pair)[0] / 100_000_000)
    };
    assert_eq!(told(&mut stage, 15), [15, 15, 0]);
    thread.begin(call, stage.at(12 * TENTH));
    assert_eq!(told(&mut stage, 20), [5, 0, 5], "three tenths are the computing's already");
    let rows = stage.daemon.profile(View::Full);
    let measured: Vec<u64> = rows.iter().map(|row| row.exclusive.0 / TENTH).collect();
    assert_eq!(measured, [8], "the profile has what was measured");
    thread.end(stage.at(23 * TENTH), Moved::default());
    assert_eq!(told(&mut stage, 30), [10, 4, 6], "from here on all is where it belongs");
}

#[test]
fn counts_and_bytes_come_with_the_calls() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let send = process.region("MPI_Send", Kind::Send, 0);
    let read = process.region("read", Kind::Read, 0);
    let file = process.object(ObjectKind::File, 0, 5, "/data/in put");
    let thread = process.thread(stage.pid(), stage.at(0));
    let sending = thread.add(1, send, 0, 0);
    let reading = thread.add(1, read, 0, file);
    let metrics = [
        Metric::Msgs,
        Metric::MsgBytesSent,
        Metric::SyncOps,
        Metric::IoOps,
        Metric::IoBytes,
        Metric::IoWait,
        Metric::Compute,
        Metric::ActiveProcesses,
    ];
    let pairs = metrics.map(|metric| stage.daemon.start(metric, &focus("</Code>")));
    let of_file = stage.daemon.start(Metric::IoBytes, &focus("</File/data>"));
    let first = stage.sample(1);
    assert!(names(&first.appeared).contains(&"/File/data/in%20put".to_owned()));
    for call in 0..10 {
        let at = stage.at(SECOND + call * 1000);
        thread.begin(sending, at);
        thread.end(at + 100, Moved { out: 64, r#in: 0 });
        thread.begin(reading, at + 200);
        thread.end(at + 500, Moved { out: 0, r#in: 4096 });
    }
    let pass = stage.sample(2 * SECOND + 1);
    let got: Vec<i64> = pairs.iter().map(|pair| amounts(&pass, *pair)[0]).collect();
    let interval = i64::try_from(2 * SECOND).expect("small");
    assert_eq!(got, [10, 640, 10, 10, 40_960, 3000, interval - 4000, interval]);
    assert_eq!(amounts(&pass, of_file), [40_960]);
}

#[test]
fn foci_tell_processes_and_threads_apart() {
    let mut stage = Stage::new();
    let first = stage.process(1);
    first.set_rank(0);
    let second = stage.other_process();
    second.set_rank(1);
    for (process, length) in [(&first, 100), (&second, 300)] {
        let barrier = process.region("MPI_Barrier", Kind::Barrier, 0);
        let thread = process.thread(stage.pid(), stage.at(0));
        let call = thread.add(1, barrier, 0, 0);
        thread.begin(call, stage.at(1000));
        thread.end(stage.at(1000 + length), Moved::default());
    }
    let idle = first.thread(0, stage.at(0));
    let _ = idle;
    let mut pair = |text| stage.daemon.start(Metric::SyncWait, &focus(text));
    let pairs = ["</Process/0>", "</Process/1>", "</Process/0/1>", "<(/Process/0/0,/Process/1)>"];
    let pairs = pairs.map(&mut pair);
    let nobody = pair("</Process/7>");
    let pass = stage.sample(SECOND);
    assert_eq!(pairs.map(|pair| amounts(&pass, pair)[0]), [100, 300, 0, 400]);
    assert!(amounts(&pass, nobody).is_empty(), "nobody to report is not zero");
    assert_eq!(
        names(&pass.appeared),
        [
            stage.machine(),
            "/Process/0".to_owned(),
            "/Process/0/0".to_owned(),
            "/Process/0/1".to_owned(),
            "/Process/1".to_owned(),
            "/Process/1/0".to_owned(),
        ]
    );
    let counts = stage.daemon.counts();
    assert_eq!((counts.processes, counts.threads, counts.ranks), (2, 3, 2));
}

#[test]
fn a_pair_counts_from_its_start_until_its_stop() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let thread = process.thread(stage.pid(), stage.at(0));
    let _ = thread;
    stage.sample(SECOND);
    let pair = stage.daemon.start(Metric::Compute, &focus("</Code>"));
    assert_eq!(amounts(&stage.sample(2 * SECOND), pair), [1_000_000_000]);
    let histogram = stage.daemon.stop(pair).expect("it was being measured");
    assert_eq!(histogram.whole().amount, 1_000_000_000);
    assert!(stage.daemon.stop(pair).is_none());
    assert!(stage.sample(3 * SECOND).samples.is_empty());
}

#[test]
fn a_process_that_left_is_counted_to_its_end_and_kept_in_the_profile() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    process.set_rank(4);
    let solve = process.region("solve", Kind::User, 0);
    let thread = process.thread(stage.pid(), stage.at(0));
    let call = thread.add(1, solve, 0, 0);
    let pair = stage.daemon.start(Metric::Wall, &focus("</Code>"));
    stage.sample(SECOND);
    thread.begin(call, stage.at(SECOND));
    process.leave(stage.at(SECOND + 500));
    let pass = stage.sample(2 * SECOND);
    assert_eq!(amounts(&pass, pair), [500]);
    assert_eq!(pass.ended.len(), 1);
    assert!(names(&pass.retired).contains(&"/Process/4".to_owned()));
    assert!(stage.sample(3 * SECOND).samples.is_empty());
    let rows = stage.daemon.profile(View::Full);
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].path.as_slice(), rows[0].process), (["solve".to_owned()].as_slice(), 4));
    assert_eq!(rows[0].exclusive.0, 500);
}

#[test]
fn no_time_between_two_rounds_loses_nothing() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let send = process.region("MPI_Send", Kind::Send, 0);
    let thread = process.thread(stage.pid(), stage.at(0));
    let call = thread.add(1, send, 0, 0);
    let pair = stage.daemon.start(Metric::MsgBytesSent, &focus("</Code>"));
    stage.sample(SECOND);
    thread.begin(call, stage.at(SECOND - 2));
    thread.end(stage.at(SECOND - 1), Moved { out: 7, r#in: 0 });
    assert!(stage.sample(SECOND).samples.is_empty());
    assert_eq!(amounts(&stage.sample(2 * SECOND), pair), [7]);
}

#[test]
fn the_interval_follows_the_fold() {
    let mut stage = Stage::new();
    stage.sample(SECOND);
    assert_eq!(stage.daemon.interval().0, SECOND / 20);
    stage.sample(49 * SECOND);
    assert_eq!(stage.daemon.interval().0, SECOND / 20);
    stage.sample(50 * SECOND);
    assert_eq!(stage.daemon.interval().0, SECOND / 10);
    stage.sample(350 * SECOND);
    assert_eq!(stage.daemon.interval().0, 2 * SECOND / 5);
}

#[test]
fn what_events_cost_is_told_for_the_process_that_paid_most() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let send = process.region("MPI_Send", Kind::Send, 0);
    let thread = process.thread(stage.pid(), stage.at(0));
    let calibration = thread.head();
    calibration.inside.store(20 << 8, std::sync::atomic::Ordering::Relaxed);
    calibration.outside.store(30 << 8, std::sync::atomic::Ordering::Relaxed);
    let call = thread.add(1, send, 0, 0);
    let pair = stage.daemon.start(Metric::ObservedCost, &focus("</Code>"));
    stage.sample(SECOND);
    for event in 0..1000 {
        thread.begin(call, stage.at(SECOND + event * 1000));
        thread.end(stage.at(SECOND + event * 1000 + 100), Moved::default());
    }
    let cost = amounts(&stage.sample(2 * SECOND), pair)[0];
    let events = 1000 * 50;
    assert!(cost >= events, "{cost} ns, of which the events are {events}");
    assert!(stage.daemon.cost().now >= 50e-6 && stage.daemon.cost().max >= stage.daemon.cost().now);
}
