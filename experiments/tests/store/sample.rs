//! A run to write, and a place for a store.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use whyperf_experiments::{
    Edge, Ending, Measurement, NewRun, Progress, Recorder, RunId, StepRow, StoredProfileRow,
    StoredReport, StoredVerdict, Topic,
};
use whyperf_model::{
    Focus, Histogram, Interval, Metric, Nanos, Pair, Time, UserEventKind, UserEventRow,
    UserEventTotals,
};

/// A folder of its own for each test, removed with it.
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("whyperf-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        Self(folder)
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.0.join("whyperf.db")
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn at(nanos: u64) -> Time {
    Time(Nanos(nanos))
}

/// The beginning of the `n`-th run.
pub(crate) fn new_run(n: u64) -> NewRun {
    NewRun {
        application: "oned".into(),
        experiment: "ranks".into(),
        trial: format!("{n}"),
        started: SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_366_400 + n),
        command: ["mpirun", "-n", "4", "./oned"].map(String::from).to_vec(),
        facts: vec![(Topic::Environment, "host".into(), "node07".into())],
        directives: vec!["prune * /Machine".into()],
    }
}

pub(crate) fn pair() -> Pair {
    Pair::new(Metric::SyncWait, Focus::whole_program())
}

pub(crate) fn progress() -> Progress {
    let mut histogram = Histogram::new(100, Nanos(1000));
    histogram.add(Interval { start: at(500), end: at(2500) }, 1500);
    Progress {
        elapsed: Duration::from_secs(2),
        counts: [4, 8, 1],
        cost: [0.01, 0.02],
        appeared: vec![("/Process/0".parse().expect("well formed"), at(7))],
        retired: vec![("/Process/0".parse().expect("well formed"), at(9))],
        verdicts: vec![verdict("true")],
        edges: vec![Edge { parent: 0, child: 1, axis: "Code".into() }],
        steps: vec![StepRow { time: at(5), text: "started".into() }],
        histograms: vec![Measurement { pair: pair(), part: 3, histogram }],
        profile: vec![row(3)],
        user_events: vec![gauge(3)],
        report: Some(StoredReport { json: r#"{"version":2}"#.into(), text: "found\n".into() }),
        ..Progress::default()
    }
}

pub(crate) fn verdict(truth: &str) -> StoredVerdict {
    StoredVerdict {
        number: 1,
        hypothesis: "CPUbound".into(),
        focus: "</Code/oned.c/sweep,/Machine,/Process,/SyncObject>".into(),
        truth: truth.into(),
        value: Some(0.75),
        threshold: 0.3,
        confidence: 0.999,
        asked: 1,
        found: Some(at(300)),
        cost: 0.001,
        origin: "search".into(),
        split: Some("all".into()),
    }
}

pub(crate) fn row(calls: u64) -> StoredProfileRow {
    StoredProfileRow {
        process: 0,
        thread: 0,
        path: vec!["exchng1".into(), "MPI_Recv".into()],
        calls,
        inclusive: Nanos(30),
        exclusive: Nanos(20),
        sent: 0,
        received: 64,
        source: Some("oned.c:88".into()),
        coverage: Some(0.5),
    }
}

pub(crate) fn gauge(count: u64) -> UserEventRow {
    UserEventRow {
        name: "heap [KiB]".into(),
        kind: UserEventKind::Gauge,
        process: 0,
        thread: 0,
        path: vec!["solve".into()],
        totals: UserEventTotals {
            count,
            sum: Some(-3),
            extremes: Some([i64::MIN, 7]),
            squares: Some(u128::MAX),
        },
    }
}

/// Writes a whole run.
pub(crate) fn written(path: &Path, n: u64) -> RunId {
    let mut recorder = Recorder::begin(path, &new_run(n)).expect("the store can be written");
    recorder.record(&progress()).expect("the store can be written");
    let ending = Ending { elapsed: Duration::from_secs(3), exit_status: Some(0) };
    recorder.finish(&Progress::default(), ending).expect("the store can be written")
}

/// Changes a store behind its back.
pub(crate) fn sql(path: &Path, statement: &str) {
    let connection = rusqlite::Connection::open(path).expect("writable");
    connection.execute_batch(statement).expect("well formed");
}

/// What takes out of a store all that version 11 brought.
pub(crate) const WITHOUT_VERSION_11: &str = "DROP TABLE run_sums;";

/// What takes out of a store all that version 10 brought.
pub(crate) const WITHOUT_VERSION_10: &str = "DROP TABLE foreign_part; DROP TABLE record_part; DROP VIEW profile_view; DROP VIEW whole_profile; \
     DROP TABLE callpath_source; CREATE VIEW whole_profile AS SELECT * FROM profile; CREATE VIEW profile_view AS SELECT * FROM profile;";

/// What takes out of a store all that version 9 brought, and rows of profiles with it.
pub(crate) const WITHOUT_VERSION_9: &str = "DROP VIEW profile_view; DROP VIEW whole_profile; DROP TABLE profile_row; DROP TABLE callpath; \
     CREATE VIEW profile_view AS SELECT * FROM profile;";

/// What takes out of a store all that version 8 brought.
pub(crate) const WITHOUT_VERSION_8: &str = "DROP VIEW user_event_view; DROP TABLE user_event;";

/// What takes out of a store all that version 7 brought.
pub(crate) const WITHOUT_VERSION_7: &str = "DROP TABLE foreign_profile; DROP VIEW run_view; DROP VIEW profile_view; \
     DROP VIEW verdict_view; DROP VIEW resource_view; DROP VIEW fact_view;";
