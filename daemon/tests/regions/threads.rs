//! Samples while the threads of the process write, all under one clock that each event and each sample moves on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;

use whyperf_layout::{Kind, Moved};
use whyperf_model::Metric;
use whyperf_testkit::synthetic::SyntheticThread;

use crate::stage::{SECOND, Stage, amounts, focus};

const THREADS: u32 = 3;
const PASSES: u32 = 200;
/// By how much an event or a sample moves the clock on.
const TICK: u64 = 100;
const MOVED: Moved = Moved { out: 8, r#in: 0 };

/// What a thread did.
#[derive(Default)]
struct Work {
    calls: i64,
    waited: u64,
}

/// Calls until it is told to stop.
fn work(thread: SyntheticThread<'_>, call: u32, clock: &AtomicU64, stop: &AtomicBool) -> Work {
    let mut work = Work::default();
    while !stop.load(Relaxed) {
        let begun = clock.fetch_add(TICK, Relaxed);
        thread.begin(call, begun);
        let ended = clock.fetch_add(TICK, Relaxed);
        thread.end(ended, MOVED);
        work.calls += 1;
        work.waited += ended - begun;
    }
    work
}

/// Stops the threads when the samples are made, or one of them fails.
struct Stop<'stop>(&'stop AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

#[test]
fn every_call_is_counted_once_while_threads_write() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    process.set_rank(0);
    let send = process.region("MPI_Send", Kind::Send, 0);
    let metrics = [Metric::Msgs, Metric::MsgBytesSent, Metric::SyncWait, Metric::Compute];
    let pairs = metrics.map(|metric| stage.daemon.start(metric, &focus("</Code>")));
    let start = stage.at(0);
    let clock = AtomicU64::new(start + TICK);
    // In the name of one that lives as long as the test: who is not there any more is not read again.
    let threads: Vec<_> = (0..THREADS).map(|_| process.thread(stage.pid(), start)).collect();
    let calls: Vec<u32> = threads.iter().map(|thread| thread.add(1, send, 0, 0)).collect();
    let mut sums = [0; 4];
    let mut sample = |nanos| {
        let pass = stage.sample(nanos);
        assert!(pass.complaints.is_empty(), "{:?}", pass.complaints);
        for (sum, pair) in sums.iter_mut().zip(pairs) {
            *sum += amounts(&pass, pair).iter().sum::<i64>();
        }
    };
    let stop = AtomicBool::new(false);
    let done: Vec<Work> = thread::scope(|scope| {
        let (clock, stop) = (&clock, &stop);
        let threads = threads.iter().zip(&calls);
        let workers: Vec<_> = threads
            .map(|(thread, call)| scope.spawn(|| work(*thread, *call, clock, stop)))
            .collect();
        let end = Stop(stop);
        (0..PASSES).for_each(|_| sample(clock.fetch_add(TICK, Relaxed) - start));
        drop(end);
        workers.into_iter().map(|worker| worker.join().expect("it returns")).collect()
    });
    // What a sample took for open until its own time, an event may have closed a little earlier: it is made up
    // for as soon as the same node grows by more than that.
    let last = clock.load(Relaxed) + SECOND;
    for (thread, call) in threads.iter().zip(&calls) {
        thread.begin(*call, last);
        thread.end(last + SECOND, MOVED);
        thread.finish(last + 2 * SECOND);
    }
    sample(last + 2 * SECOND - start);
    let calls = done.iter().map(|work| work.calls + 1).sum::<i64>();
    let waited = done.iter().map(|work| work.waited + SECOND).sum::<u64>();
    let whole = u64::from(THREADS) * (last + 2 * SECOND - start);
    let [waited, whole] = [waited, whole].map(|time| i64::try_from(time).expect("it is seconds"));
    assert_eq!(sums, [calls, 8 * calls, waited, whole - waited]);
}
