//! A file of TAUdb, with the tables that TAU's `taudb.sqlite.sql` makes, as far as a trial has rows in them.

use std::path::PathBuf;

use rusqlite::Connection;
use whyperf_experiments::{ForeignFormat, Timer, WantedTrial, taudb};

use crate::round_trip::Folder;

const TABLES: &str = "
CREATE TABLE trial (id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR, data_source INT, node_count INT, contexts_per_node INT,
  threads_per_context INT, total_threads INT);
CREATE TABLE thread (id INTEGER PRIMARY KEY AUTOINCREMENT, trial INT NOT NULL, node_rank INT NOT NULL, context_rank INT NOT NULL,
  thread_rank INT NOT NULL, thread_index INT NOT NULL);
CREATE TABLE metric (id INTEGER PRIMARY KEY AUTOINCREMENT, trial INT NOT NULL, name VARCHAR NOT NULL, derived BOOLEAN NOT NULL DEFAULT FALSE);
CREATE TABLE timer (id INTEGER PRIMARY KEY AUTOINCREMENT, trial INT NOT NULL, name VARCHAR NOT NULL, short_name VARCHAR NOT NULL,
  source_file VARCHAR, line_number INT, line_number_end INT, column_number INT, column_number_end INT);
CREATE TABLE timer_group (timer INT, group_name VARCHAR NOT NULL);
CREATE TABLE timer_callpath (id INTEGER PRIMARY KEY AUTOINCREMENT, timer INT NOT NULL, parent INT);
CREATE TABLE timer_call_data (id INTEGER PRIMARY KEY AUTOINCREMENT, timer_callpath INT NOT NULL, thread INT NOT NULL, calls INT,
  subroutines INT, time_range INT);
CREATE TABLE timer_value (timer_call_data INT NOT NULL, metric INT NOT NULL, inclusive_value DOUBLE PRECISION,
  exclusive_value DOUBLE PRECISION, inclusive_percent DOUBLE PRECISION, exclusive_percent DOUBLE PRECISION,
  sum_exclusive_squared DOUBLE PRECISION);
CREATE TABLE counter (id INTEGER PRIMARY KEY AUTOINCREMENT, trial INT NOT NULL, name VARCHAR NOT NULL);
CREATE TABLE counter_value (counter INT NOT NULL, timer_callpath INT, thread INT NOT NULL, sample_count INT,
  maximum_value DOUBLE PRECISION, minimum_value DOUBLE PRECISION, mean_value DOUBLE PRECISION, standard_deviation DOUBLE PRECISION);
CREATE TABLE primary_metadata (trial INT NOT NULL, name VARCHAR NOT NULL, value VARCHAR);
CREATE TABLE secondary_metadata (id INTEGER PRIMARY KEY AUTOINCREMENT, trial INT NOT NULL, thread INT, timer_call_data INT,
  call_number INT, time_range INT, parent INT, name VARCHAR NOT NULL, value VARCHAR, is_array BOOLEAN DEFAULT FALSE);
";

/// Two ranks and a mean over them, of which `main` calls `f`; and another trial with nothing.
const ROWS: &str = "
INSERT INTO trial (id, name) VALUES (3, 'four nodes'), (5, 'empty');
INSERT INTO thread VALUES (1, 3, 0, 0, 0, 0), (2, 3, 1, 0, 0, 1), (3, 3, -1, -1, -1, -1);
INSERT INTO metric VALUES (1, 3, 'TIME', 0), (2, 3, 'TIME / CALLS', 'TRUE'), (3, 3, 'PAPI_TOT_CYC', 'FALSE');
INSERT INTO timer (id, trial, name, short_name) VALUES (1, 3, 'main', 'main'), (2, 3, 'f [{/a.c} {7,1}]', 'f');
INSERT INTO timer_group VALUES (1, 'TAU_USER'), (2, 'TAU_USER');
INSERT INTO timer_callpath VALUES (1, 1, NULL), (2, 2, 1);
INSERT INTO timer_call_data (id, timer_callpath, thread, calls, subroutines) VALUES (1, 1, 1, 1, 4), (2, 2, 1, 4, 0), (3, 2, 2, 6, 0), (4, 1, 3, 1, 2);
INSERT INTO timer_value (timer_call_data, metric, inclusive_value, exclusive_value) VALUES (1, 1, 300, 100), (2, 1, 200, 200), (2, 3, 9, 9),
  (2, 2, 50, 50), (3, 1, 50.5, 50.5), (4, 1, 1, 1);
INSERT INTO counter VALUES (1, 3, 'Message size');
INSERT INTO counter_value VALUES (1, NULL, 1, 2, 800, 80, 440, 360), (1, 2, 1, 1, 80, 80, 80, 0);
INSERT INTO primary_metadata VALUES (3, 'OS', 'Linux'), (3, 'Hostname', 'n0');
INSERT INTO secondary_metadata (trial, thread, name, value) VALUES (3, 2, 'Hostname', 'n1');
";

fn database(folder: &Folder, more: &str) -> PathBuf {
    let path = folder.0.join("perfdmf.db");
    let connection = Connection::open(&path).expect("writable");
    connection.execute_batch(&format!("{TABLES}{ROWS}{more}")).expect("well formed");
    path
}

fn named(name: &str) -> WantedTrial {
    WantedTrial::Named(name.to_owned())
}

#[test]
fn a_trial_has_its_threads_callpaths_and_counters() {
    let folder = Folder::new();
    let path = database(&folder, "");
    assert_eq!(ForeignFormat::of(&path).ok(), Some(ForeignFormat::TauDb));
    let profile = taudb(&path, &named("four nodes")).expect("well formed");
    assert_eq!(profile, taudb(&path, &named("3")).expect("the same by its number"));
    let metrics: Vec<&str> = profile.metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(metrics, ["TIME", "PAPI_TOT_CYC"], "what TAU derived is left out");
    assert_eq!(profile.threads.len(), 2, "a mean is no thread");
    let timers = &profile.threads[0].timers;
    let f = &timers[1];
    assert_eq!((f.name.as_str(), f.calls), ("main => f [{/a.c} {7,1}]", 4.0));
    assert_eq!(f.groups, ["TAU_USER", Timer::CALLPATH]);
    assert_eq!((f.values[0].exclusive, f.values[1].inclusive), (200.0, 9.0));
    assert_eq!((timers[0].subcalls, timers[0].values[0].inclusive), (4.0, 300.0));
    let events = &profile.threads[0].events;
    assert_eq!(events[1].name, "Message size : main => f [{/a.c} {7,1}]");
    assert!((events[0].deviation() - 360.0).abs() < 1e-9, "{:?}", events[0]);
    let host = |at: usize| {
        let known = profile.threads[at].metadata.iter();
        known
            .filter(|(name, _)| name == "Hostname")
            .map(|(_, value)| value.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!((host(0), host(1)), (vec!["n0"], vec!["n1"]));
}

#[test]
fn which_trial_must_be_said_where_there_are_several() {
    let folder = Folder::new();
    let path = database(&folder, "");
    let refused = |wanted| taudb(&path, &wanted).expect_err("not that").to_string();
    assert!(refused(WantedTrial::Only).contains("3 (four nodes), 5 (empty)"));
    assert!(refused(named("six nodes")).contains("3 (four nodes), 5 (empty)"));
    assert!(refused(named("empty")).contains("no timers"));
    Connection::open(&path)
        .and_then(|all| all.execute("DELETE FROM trial WHERE id = 5", []))
        .expect("writable");
    assert!(taudb(&path, &WantedTrial::Only).is_ok());
}

#[test]
fn what_is_no_taudb_or_has_no_end_is_refused() {
    let folder = Folder::new();
    let circle = database(&folder, "UPDATE timer_callpath SET parent = 2 WHERE id = 1;");
    let told = taudb(&circle, &named("3")).expect_err("it has no end").to_string();
    assert!(told.contains("in a circle"), "{told}");
    let other = folder.0.join("other.db");
    Connection::open(&other)
        .and_then(|all| all.execute("CREATE TABLE a (b)", []))
        .expect("writable");
    let told = taudb(&other, &WantedTrial::Only).expect_err("something else").to_string();
    assert!(told.contains("no trials of TAUdb"), "{told}");
    std::fs::write(&other, b"SQLite format 3\0 and then something else, which is long enough")
        .expect("writable");
    let told = taudb(&other, &WantedTrial::Only).expect_err("damaged").to_string();
    assert!(told.contains("cannot read"), "{told}");
}
