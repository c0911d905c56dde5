//! Reads a stored histogram of any bytes, as the store does when it is asked for one.

use std::hint::black_box;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use whyperf_experiments::{
    Access, Ending, Measurement, NewRun, Progress, Recorder, RunId, Store, StoreError,
};
use whyperf_model::{Focus, Histogram, Interval, Metric, Nanos, Pair, Time};

/// The store holds these bytes as a histogram.
pub(crate) fn feed(bytes: &[u8]) {
    thread_local!(static STAGE: Stage = Stage::new());
    STAGE.with(|stage| stage.read(bytes));
}

/// A store of one run with one histogram in two parts, whose file has no name any more.
struct Stage {
    writer: Connection,
    store: Store,
    run: RunId,
}

impl Stage {
    fn new() -> Self {
        let thread = std::thread::current().id();
        let name = format!("whyperf-fuzzed-{}-{thread:?}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).expect("the temporary folder can be written");
        let path = folder.join("store.db");
        let run = NewRun {
            application: "fuzzed".into(),
            experiment: String::new(),
            trial: String::new(),
            started: SystemTime::UNIX_EPOCH,
            command: Vec::new(),
            facts: Vec::new(),
            directives: Vec::new(),
        };
        let recorder = Recorder::begin(&path, &run).expect("the folder is ours");
        let part =
            |part| Measurement { pair: pair(), part, histogram: Histogram::new(16, Nanos(10)) };
        let histograms = vec![part(0), part(1)];
        let ending = Ending { elapsed: Duration::ZERO, exit_status: Some(0) };
        let run = recorder.finish(&Progress { histograms, ..Progress::default() }, ending);
        let run = run.expect("the store can be written");
        let writer = Connection::open(&path).expect("it was just made");
        let quick = "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF";
        writer.execute_batch(quick).expect("these are settings");
        let store = Store::open(&path, Access::Read).expect("it was just made");
        let _ = std::fs::remove_dir_all(&folder);
        Self { writer, store, run }
    }

    fn read(&self, bytes: &[u8]) {
        let write = "UPDATE histogram SET bins = $1 WHERE part = 1";
        assert_eq!(self.writer.execute(write, [bytes]).expect("it is ours"), 1);
        match self.store.histogram(&self.run, &pair()) {
            Ok(histogram) => {
                let mut histogram = histogram.expect("there is one");
                let some = Interval::new(Time(Nanos(3)), Time(Nanos(99)));
                black_box((histogram.whole(), histogram.reading(some), histogram.known_until()));
                histogram.fold();
            }
            Err(error) => assert!(matches!(error, StoreError::Damaged { .. }), "{error}"),
        }
    }
}

fn pair() -> Pair {
    Pair::new(Metric::SyncWait, Focus::whole_program())
}
