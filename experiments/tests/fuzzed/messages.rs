//! Reads stored messages of any bytes, as the store does when it is asked for them; what is read is written and read again, and goes on.

use whyperf_experiments::{MessageSeries, Progress, StoreError};
use whyperf_model::{Interval, LargestRoutes, MessageTable, Nanos, Time};

use crate::stage::Stage;

/// The store holds these bytes as the messages of a run.
pub(crate) fn feed(bytes: &[u8]) {
    thread_local!(static STAGE: Stage = Stage::new(&Progress::default()));
    STAGE.with(|stage| read(stage, bytes));
}

fn read(stage: &Stage, bytes: &[u8]) {
    let write = "INSERT OR REPLACE INTO message_series (run, bytes) SELECT number, $1 FROM run";
    stage.put(write, bytes);
    match stage.store.messages(&stage.run) {
        Ok(series) => go_on(series.expect("there are some")),
        Err(error) => {
            let told = error.to_string();
            assert!(matches!(error, StoreError::BadMessages { .. }), "{told}");
            let is_clear = told.contains("make no sense") || told.contains("use a newer whyperf");
            assert!(is_clear && told.contains(&stage.run.to_string()), "{told}");
        }
    }
}

/// What was read is written and read again, has rows, also in parts of the run, and more passes can follow.
fn go_on(mut series: MessageSeries) {
    assert_eq!(MessageSeries::parse(&series.bytes()), Ok(series.clone()));
    let whole = series.whole();
    let some = Interval::new(Time(Nanos(3)), Time(Nanos(1 << 40)));
    let part = series.within(some).unwrap_or_default();
    let number =
        |table: &MessageTable| -> u128 { table.rows().map(|row| u128::from(row.number)).sum() };
    assert!(number(&part) <= number(&whole));
    let rows = whole.rows().count();
    assert_eq!(
        whole.clone().folded().rows().count().min(LargestRoutes::MOST),
        rows.min(LargestRoutes::MOST)
    );
    for at in 0..=MessageSeries::MOST_PASSES as u64 {
        series.add(Interval::new(Time(Nanos(at)), Time(Nanos(at + 1))), &[]);
    }
    assert!(series.passes() <= MessageSeries::MOST_PASSES);
    assert!(series.entries() <= MessageSeries::MOST_ENTRIES);
    assert_eq!(series.whole(), whole, "folded passes have the same messages");
}
