//! Measures what asking a store with 100,000 runs costs, learning from them included, and what writing one run into it
//! costs.

mod timed;

use std::cell::Cell;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use whyperf_consultant::Hypotheses;
use whyperf_experiments::{
    Access, Ending, History, Measurement, NewRun, Progress, Recorder, RunId, Selector, Store,
    StoreError, Wanted, extract,
};
use whyperf_model::{Focus, Histogram, Interval, Metric, Pair, Time};

use timed::timed;

/// Questions of the search that each run has.
const VERDICTS: u32 = 20;

fn main() -> Result<(), StoreError> {
    let runs: u32 =
        if std::env::args().any(|argument| argument == "--test") { 100 } else { 100_000 };
    let path = std::env::temp_dir().join(format!("whyperf-bench-{}.db", std::process::id()));
    let _removed_at_the_end = Removed(path.clone());
    drop(Store::open(&path, Access::Write)?);
    fill(&path, runs).expect("the temporary folder has room");
    println!("{runs} runs with {VERDICTS} verdicts each: {} MiB", size(&path) >> 20);
    timed("open", || Store::open(&path, Access::Read))?;
    let store = Store::open(&path, Access::Read)?;
    lists(&store)?;
    let latest = timed("find latest", || store.find(&Selector::Latest(0)))?;
    timed("find the oldest", || store.find(&Selector::Latest(runs - 1)))?;
    timed("find by a tag", || store.find(&Selector::Named("tag 7".into())))?;
    timed("find by a beginning", || store.find(&Selector::Named("0000002a".into())))?;
    timed("show one", || store.summary(&latest))?;
    let verdicts = timed("its verdicts", || store.verdicts(&latest))?;
    assert_eq!(verdicts.len(), VERDICTS as usize);
    let steps = timed("its log", || store.steps(&latest))?;
    let resources = timed("its resources", || store.resources(&latest))?;
    let profile = timed("its profile", || store.profile(&latest))?;
    assert_eq!((steps.len(), resources.len(), profile.len()), (10, 2, 5));
    let pair = timed("its pairs", || store.pairs(&latest))?.remove(0);
    let histogram = timed("a histogram", || store.histogram(&latest, &pair))?;
    assert!(histogram.is_some());
    timed("its directives", || store.directives(&latest))?;
    timed("its facts", || store.facts(&latest))?;
    timed("its objects", || store.objects(&latest))?;
    let hypotheses = Hypotheses::built_in();
    let extracted = timed("extract one", || {
        Ok(extract(&[store.earlier_run(&latest)?], Wanted::ALL, &hypotheses))
    })?;
    assert!(!extracted.entries.is_empty());
    timed("extract ten", || {
        let ten = History { most: Some(10), ..History::default() };
        let runs = store.runs(&ten)?;
        let earlier =
            runs.iter().map(|run| store.earlier_run(&run.id)).collect::<Result<Vec<_>, _>>()?;
        Ok(extract(&earlier, Wanted::ALL, &hypotheses))
    })?;
    let next = Cell::new(1);
    timed("remove one", || {
        let beginning = format!("{:08x}", next.replace(next.get() + 5));
        let mut store = Store::open(&path, Access::Change)?;
        let run = store.find(&Selector::Named(beginning))?;
        store.remove(&[run])
    })?;
    timed("write a run", || written(&path, &Progress::default()))?;
    Ok(())
}

/// The runs there are, as they are listed.
fn lists(store: &Store) -> Result<(), StoreError> {
    let newest = History { most: Some(30), ..History::default() };
    timed("list the newest 30", || store.runs(&newest))?;
    timed("list all", || store.runs(&History::default()))?;
    timed("list all as JSON", || {
        let runs = store.runs(&History::default())?;
        let mut out = BufWriter::new(File::create("/dev/null").expect("it is everywhere"));
        serde_json::to_writer(&mut out, &runs).expect("plain data");
        Ok(())
    })?;
    for application in ["app1", "rare"] {
        let of = Some(application.to_owned());
        let history = History { application: of, most: Some(10), ..History::default() };
        let listed = timed(&format!("ten newest of {application}"), || store.runs(&history))?;
        assert!(!listed.is_empty());
    }
    Ok(())
}

/// Writes a run.
fn written(path: &Path, progress: &Progress) -> Result<RunId, StoreError> {
    let run = NewRun {
        application: "app1".into(),
        experiment: "default".into(),
        trial: "new".into(),
        started: SystemTime::now(),
        command: vec!["./app1".into()],
        facts: Vec::new(),
        directives: Vec::new(),
    };
    let ending = Ending { elapsed: Duration::from_secs(1), exit_status: Some(0) };
    Recorder::begin(path, &run)?.finish(progress, ending)
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// The bytes of a histogram, as a run of its own has them.
fn template(path: &Path) -> rusqlite::Result<Vec<u8>> {
    let other = Removed(path.with_extension("template"));
    let mut histogram = Histogram::new(Histogram::DEFAULT_BINS, Histogram::DEFAULT_WIDTH);
    histogram.add(Interval::new(Time::ZERO, Time::from_secs(5)), 1_000_000_000);
    let pair = Pair::new(Metric::SyncWait, Focus::whole_program());
    let histograms = vec![Measurement { pair, part: 0, histogram }];
    written(&other.0, &Progress { histograms, ..Progress::default() })
        .expect("the temporary folder has room");
    Connection::open(&other.0)?.query_row("SELECT bins FROM histogram", [], |row| row.get(0))
}

/// The rows that so many runs would have left, in one transaction.
fn fill(path: &Path, runs: u32) -> rusqlite::Result<()> {
    let connection = Connection::open(path)?;
    connection.execute_batch(
        "BEGIN; INSERT INTO application (name) VALUES ('app0'), ('app1'), ('rare');
        INSERT INTO experiment (application, name) VALUES (1, 'default'), (2, 'default'), (3, 'default');",
    )?;
    connection.execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
         INSERT INTO run (number, id, experiment, trial, started, written, elapsed, exit_status, complete, command)
         SELECT i, printf('%08x%04x', i, i % 65536), 1 + i % 2, 'trial ' || i, 1700000000000000000 + i * 60000000000,
         0, 5000000000, 0, 1, '[\"mpirun\",\"-n\",\"4\",\"./app\"]' FROM n",
        [runs],
    )?;
    connection.execute(
        "WITH RECURSIVE k (j) AS (SELECT 0 UNION ALL SELECT j + 1 FROM k WHERE j + 1 < $1)
         INSERT INTO verdict (run, number, hypothesis, focus, truth, value, threshold, confidence, asked, found, cost, origin)
         SELECT number, j, 'CPUbound', '</Code/app.c/f' || j || ',/Machine,/Process,/SyncObject>',
         CASE j % 3 WHEN 0 THEN 'true' ELSE 'false' END, 0.5, 0.3, 0.99, 1, j * 1000000, 0.001, 'search'
         FROM run, k",
        [VERDICTS],
    )?;
    let histogram = template(path)?;
    connection.execute(
        "INSERT INTO histogram (run, metric, focus, part, bins) \
         SELECT number, 'sync_wait', '</Code,/Machine,/Process,/SyncObject>', 0, $1 FROM run",
        [histogram],
    )?;
    connection.execute_batch(
        "UPDATE run SET experiment = 3 WHERE number = 1;
        WITH RECURSIVE k (j) AS (SELECT 1 UNION ALL SELECT j + 1 FROM k WHERE j < 10)
        INSERT INTO step (run, number, time, text) SELECT number, j, j, 'started CPUbound at </Code/app.c/f' || j || '>' FROM run, k;
        WITH RECURSIVE k (j) AS (SELECT 1 UNION ALL SELECT j + 1 FROM k WHERE j < 5)
        INSERT INTO profile (run, process, thread, path, calls, inclusive, exclusive, sent, received)
        SELECT number, j, 0, 'main' || char(31) || 'solve' || char(31) || 'MPI_Recv', 1, 2, 3, 4, 5 FROM run, k;
        INSERT INTO tag (run, name) SELECT number, 'tag ' || number FROM run WHERE number % 10 = 7;
        INSERT INTO resource (run, name, appeared) SELECT number, '/Process/' || (number % 4), 0 FROM run;
        INSERT INTO resource (run, name, appeared) SELECT number, '/Machine/n0', 0 FROM run;
        INSERT INTO edge (run, parent, child, axis) SELECT run, 0, number, 'Code' FROM verdict WHERE number > 0;
        INSERT INTO fact (run, topic, name, value) SELECT number, 'environment', 'host', 'n0' FROM run;
        INSERT INTO object (run, name, build_id, compiler) SELECT number, '/usr/lib/libc.so.6', 'abc', 'GCC' FROM run;
        INSERT INTO record (run, bytes) SELECT number, zeroblob(2000) FROM run;
        UPDATE run SET source = number - 1 WHERE number % 5 = 0;
        COMMIT",
    )
}

/// A file that does not outlive the measurement.
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
