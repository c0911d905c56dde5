//! Measures what questions and comparisons cost in a store of 1,000 runs with 10,000 results each: in a file, and on a server of PostgreSQL that is
//! started for it.
//!
//! A result is what a callpath of a thread came to. `--runs N` makes fewer or more of them.

#[path = "../tests/store/postgres_server.rs"]
mod postgres_server;
mod timed;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use whyperf_experiments::{
    Access, ComparisonSettings, ForeignMetric, ForeignProfile, ForeignSource, ForeignThread,
    ImportRecorder, NewRun, Operand, Query, RunId, RunPart, Selector, Store, StoreError, Timer,
    TimerValue, compare, import_threads,
};

use postgres_server::PostgresServer;
use timed::timed;

const RANKS: u32 = 16;
const CALLPATHS: u32 = 625;
/// Trials of an experiment.
const TRIALS: u32 = 10;

fn main() -> Result<(), StoreError> {
    let arguments: Vec<String> = std::env::args().collect();
    let is_test = arguments.iter().any(|argument| argument == "--test");
    let named = arguments.iter().skip_while(|argument| *argument != "--runs").nth(1);
    let runs = named.and_then(|number| number.parse().ok());
    let runs = runs.unwrap_or(if is_test { 20 } else { 1000 });
    println!("{runs} runs with {} results each", RANKS * CALLPATHS);
    let folder =
        Removed(std::env::temp_dir().join(format!("whyperf-results-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).expect("the temporary folder can be written");
    let file = folder.0.join("whyperf.db");
    write_templates(&file)?;
    let connection = rusqlite::Connection::open(&file).expect("just written");
    for statement in statements(runs) {
        connection.execute_batch(&statement).expect("the temporary folder has room");
    }
    println!("in a file");
    ask(&file)?;
    let server = PostgresServer::shared();
    let url = server.store("results");
    write_templates(&url)?;
    for statement in statements(runs) {
        server.sql(&format!("SET search_path = results; {statement}"));
    }
    server.sql("ANALYZE");
    println!("on a server");
    ask(&url)
}

fn ask(place: &Path) -> Result<(), StoreError> {
    let store = Store::open(place, Access::Read)?;
    for (what, question) in [
        ("a question to one run", "compute at </Code/*/kernel_17> of run:latest"),
        ("each rank of one run", "compute at </Process/*> of run:latest aggregate list"),
        ("to the trials of an experiment", "compute at </Code/*/kernel_17> of experiment:e1"),
        ("where something holds", "sync_wait of app:ocean where trial = t7"),
        ("to all runs", "compute at </Code/*/kernel_17> of app:ocean"),
    ] {
        let query: Query = question.parse().expect("well formed");
        let answers = timed(what, || store.answers(&query))?;
        assert!(answers.rows.iter().all(|row| row.value.is_some()) && !answers.rows.is_empty());
    }
    let latest = [0, 1].map(|back| store.find(&Selector::Latest(back)));
    let [a, b] = latest.map(|found| found.map(|run| vec![run]));
    let (a, b) = (a?, b?);
    let differences = timed("compare two runs", || compared(&store, &a, &b))?;
    let (a, b) = (store.trials("e0")?, store.trials("e1")?);
    let none = timed("compare two experiments", || compared(&store, &a, &b))?;
    println!("{differences} differences between two runs, {none} between two experiments");
    Ok(())
}

/// The number of differences between two operands.
fn compared(store: &Store, a: &[RunId], b: &[RunId]) -> Result<usize, StoreError> {
    let operand = |runs| Operand::of_runs(store, String::new(), runs, &RunPart::Whole);
    let (mut a, mut b) = (operand(a)?, operand(b)?);
    Ok(compare(&mut a, &mut b, &ComparisonSettings::default()).differences.len())
}

/// Writes the two runs that all others are copies of: one is slower in some of its functions.
fn write_templates(place: &Path) -> Result<(), StoreError> {
    for slower in [0.0, 20_000.0] {
        let run = NewRun {
            application: "ocean".into(),
            experiment: "template".into(),
            trial: "template".into(),
            started: SystemTime::UNIX_EPOCH,
            command: Vec::new(),
            facts: Vec::new(),
            directives: Vec::new(),
        };
        let source = ForeignSource::Whole(profile(slower));
        let recorder = ImportRecorder::begin(place, &run)?;
        import_threads(source, recorder, |_, _| {}).expect("it makes sense");
    }
    Ok(())
}

/// The profile of a run: functions of 25 files, of which some call MPI.
fn profile(slower: f64) -> ForeignProfile {
    let timer = |rank: u32, number: u32| {
        let module = number % 25;
        let file = format!("{{/src/module_{module}.c}}");
        let last = match number % 5 {
            0 => format!("wait_{number} => MPI_Recv()"),
            _ => format!("kernel_{number} [{file} {{{number},1}}]"),
        };
        let more = if number % 40 == 17 { slower } else { 0.0 };
        let value = 1000.0 + f64::from(number) + f64::from(rank) + more;
        Timer {
            name: format!("main => step_{module} [{file} {{7,1}}] => {last}"),
            groups: vec!["TAU_CALLPATH".into()],
            calls: 3.0,
            subcalls: 0.0,
            values: vec![TimerValue { exclusive: value, inclusive: value }],
        }
    };
    let thread = |node| ForeignThread {
        node,
        timers: (0..CALLPATHS).map(|number| timer(node, number)).collect(),
        ..ForeignThread::default()
    };
    let metrics = vec![ForeignMetric { name: "TIME".into() }];
    ForeignProfile { metrics, threads: (0..RANKS).map(thread).collect(), notes: Vec::new() }
}

/// What makes so many runs of the templates, in words that both databases understand.
fn statements(runs: u32) -> Vec<String> {
    let experiments = runs.div_ceil(TRIALS);
    let mut all = vec![
        "UPDATE run SET started = 1".to_owned(),
        format!(
            "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {experiments})
             INSERT INTO experiment (application, name) SELECT application.id, 'e' || i FROM application, n"
        ),
        format!(
            "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {runs})
             INSERT INTO run (id, experiment, trial, started, written, elapsed, complete, command, processes, threads, hosts)
             SELECT CAST(100000000000 + i AS TEXT), experiment.id, 't' || i, 1700000000000000000 + i * 60000000000, 0, run.elapsed, 1,
             run.command, run.processes, run.threads, run.hosts
             FROM n JOIN run ON run.number = 1 + n.i % 2 JOIN experiment ON experiment.name = 'e' || (n.i / {TRIALS})
             ORDER BY n.i"
        ),
    ];
    for (table, columns) in [
        ("resource", "name, appeared"),
        ("callpath", "number, path"),
        ("callpath_source", "callpath, source"),
        (
            "profile_row",
            "process, thread, callpath, calls, inclusive, exclusive, sent, received, source, coverage",
        ),
        ("record", "bytes"),
        ("record_part", "number, bytes"),
        ("run_sums", "digest, sums, shape"),
        ("foreign_part", "number, bytes"),
        ("message_series", "bytes"),
    ] {
        let read: Vec<String> =
            columns.split(", ").map(|column| format!("{table}.{column}")).collect();
        all.push(format!(
            "INSERT INTO {table} (run, {columns}) SELECT run.number, {} FROM run CROSS JOIN {table}
             WHERE run.number > 2 AND {table}.run = 1 + run.number % 2",
            read.join(", ")
        ));
    }
    all
}

/// A folder that does not outlive the measurement.
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
