//! Messages between ranks in the store: what came in passes comes back, of a diagnosis as of its source, and unknown is not none.

use std::time::Duration;

use whyperf_experiments::{
    Access, Diagnosis, Ending, MessageSeriesError, Progress, Recorder, RunId, Store, StoreError,
};
use whyperf_model::matching::IntervalRecord;
use whyperf_model::{
    Interval, MessageGrowth, MessageRow, MessageSide, MessageSums, Nanos, Route, Time,
};

use crate::sample::{
    Place, WITHOUT_VERSION_7, WITHOUT_VERSION_8, WITHOUT_VERSION_9, WITHOUT_VERSION_10,
    WITHOUT_VERSION_11, new_run, progress, sql, written,
};

/// The `n`-th millisecond: a message from a rank to the one after it, that waits for it.
fn interval_record(n: u64) -> IntervalRecord {
    let route = Route { job: 0, from: Some(n as u32 % 3), to: Some(n as u32 % 3 + 1) };
    let seen = |side, time| {
        let by = MessageSums { number: 1, bytes: 100, time: Nanos(time) };
        MessageGrowth { route, side, by }
    };
    IntervalRecord {
        interval: span(n, n + 1),
        messages: vec![seen(MessageSide::Sender, 7), seen(MessageSide::Receiver, 1000 + n)],
        ..IntervalRecord::default()
    }
}

fn span(from: u64, to: u64) -> Interval {
    let millis = |n: u64| Time(Nanos::from_millis(n));
    Interval::new(millis(from), millis(to))
}

/// A run of thirty milliseconds, written in two parts.
fn kept(place: &Place, of: impl Fn(u64) -> IntervalRecord) -> RunId {
    let mut recorder = Recorder::begin(&place.store(), &new_run(1)).expect("a new file");
    let part = |range: std::ops::Range<u64>| {
        let (interval_records, steps) = (range.map(&of).collect(), Vec::new());
        Progress { interval_records, steps, ..progress() }
    };
    recorder.record(&part(0..10)).expect("writable");
    let ending = Ending { elapsed: Duration::from_millis(30), exit_status: Some(0) };
    recorder.finish(&part(10..30), ending).expect("writable")
}

fn rows(table: &whyperf_model::MessageTable) -> Vec<(Option<u32>, u64, u64)> {
    table.rows().map(|row| (row.route.from, row.number, row.waiting.0)).collect()
}

#[test]
fn messages_come_back_over_the_run_and_over_each_part_of_it() {
    let place = Place::new("messages");
    let run = kept(&place, interval_record);
    let store = Store::open(&place.store(), Access::Read).expect("it was just written");
    let series = store.messages(&run).expect("readable").expect("they are known");
    assert_eq!(series.passes(), 30);
    let whole: Vec<MessageRow> = series.whole().rows().collect();
    let first = MessageRow {
        route: Route { job: 0, from: Some(0), to: Some(1) },
        number: 10,
        bytes: 1000,
        waiting: Nanos(10_000 + (0..30).step_by(3).sum::<u64>()),
        sending: Nanos(70),
    };
    assert_eq!((whole.len(), whole[0]), (3, first));
    assert_eq!(
        rows(&series.within(span(10, 13)).expect("whole passes")),
        [(Some(0), 1, 1012), (Some(1), 1, 1010), (Some(2), 1, 1011)]
    );
}

#[test]
fn a_diagnosis_has_the_messages_of_its_source_and_both_go_together() {
    let place = Place::new("messages-of-source");
    let source = kept(&place, interval_record);
    let mut store = Store::open(&place.store(), Access::Change).expect("it is there");
    let diagnosis = Diagnosis {
        source: source.clone(),
        facts: Vec::new(),
        directives: Vec::new(),
        found: Progress { profile: Vec::new(), ..progress() },
    };
    let id = store.add_diagnosis(&diagnosis).expect("writable");
    let of = |run| store.messages(run).expect("readable").expect("they are known");
    assert_eq!(of(&id), of(&source));
    store.remove(&[source]).expect("writable");
    let file = rusqlite::Connection::open(place.store()).expect("it is there");
    let left = "SELECT count(*) FROM message_series";
    assert_eq!(file.query_row(left, [], |row| row.get(0)), Ok(0));
}

#[test]
fn a_run_without_messages_is_told_from_one_of_which_they_are_not_known() {
    let place = Place::new("no-messages");
    let silent = |n| IntervalRecord { messages: Vec::new(), ..interval_record(n) };
    let run = kept(&place, silent);
    let unknown = written(&place.store(), 2);
    let store = Store::open(&place.store(), Access::Read).expect("it was just written");
    let none = store.messages(&run).expect("readable").expect("it is known that there are none");
    assert_eq!(none.whole().rows().count(), 0);
    assert_eq!(store.messages(&unknown).expect("readable"), None, "no pass was ever written");
}

#[test]
fn damaged_messages_are_said_to_be_and_the_rest_of_the_run_is_there() {
    let place = Place::new("damaged-messages");
    let run = kept(&place, interval_record);
    let refused = |change: &str| {
        sql(&place.store(), &format!("UPDATE message_series SET bytes = {change}"));
        let store = Store::open(&place.store(), Access::Read).expect("it is a store as before");
        assert!(store.replay(&run).is_ok() && store.summary(&run).is_ok());
        let error = store.messages(&run).expect_err("they are not what they were");
        assert!(error.to_string().contains("what else is stored of the run can be read"));
        let StoreError::BadMessages { reason, .. } = error else { panic!("{error}") };
        reason
    };
    let newer = refused("CAST(x'02' || substr(bytes, 2) AS BLOB)");
    assert_eq!(newer, MessageSeriesError::Newer { found: 2 });
    let cut = refused("CAST(x'01' || substr(bytes, 2, length(bytes) - 4) AS BLOB)");
    assert_eq!(cut, MessageSeriesError::Damaged);
    assert_eq!(refused("CAST('' AS BLOB)"), MessageSeriesError::Damaged);
}

#[test]
fn a_store_that_had_no_table_for_them_gets_one_when_it_is_written() {
    let place = Place::new("messages-migrated");
    let old = kept(&place, interval_record);
    sql(&place.store(), WITHOUT_VERSION_11);
    sql(&place.store(), WITHOUT_VERSION_10);
    sql(&place.store(), WITHOUT_VERSION_9);
    sql(&place.store(), WITHOUT_VERSION_8);
    sql(&place.store(), WITHOUT_VERSION_7);
    sql(
        &place.store(),
        "DELETE FROM schema_version WHERE version > 4; DROP TABLE message_series; DROP TABLE report",
    );
    let store = Store::open(&place.store(), Access::Read).expect("it is known");
    assert_eq!(store.messages(&old).expect("they are not known"), None);
    drop(store);
    let new = kept(&place, interval_record);
    let store = Store::open(&place.store(), Access::Read).expect("it was brought up to date");
    assert_eq!(store.messages(&old).expect("still not"), None);
    assert!(store.messages(&new).expect("readable").is_some());
}
