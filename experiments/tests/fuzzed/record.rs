//! Reads a record of any bytes; what is read is written and read again, and searched through.

use std::hint::black_box;

use whyperf_consultant::{DataSource as _, MeasurementId};
use whyperf_experiments::{Record, Replay};
use whyperf_model::{Focus, Metric, Pair};

/// What is asked of each pass.
const ASKED: [Metric; 4] =
    [Metric::SyncWait, Metric::IoBytes, Metric::LateWait, Metric::CpuImbalance];

/// The store holds these bytes as the record of a run.
pub(crate) fn feed(bytes: &[u8]) {
    let Ok(record) = Record::parse(bytes) else { return };
    let again = Record::parse(&record.bytes()).expect("what is written can be read");
    assert_eq!(again.bytes(), record.bytes());
    let mut source = Replay::new(record, []);
    for (id, metric) in (0..).zip(ASKED) {
        source.start(MeasurementId(id), &Pair::new(metric, Focus::whole_program()));
    }
    while let Some(event) = source.next() {
        black_box(event.time());
    }
    black_box((source.thread_time(), source.efforts(), source.lines().len()));
    let pairs = ASKED.map(|metric| Pair::new(metric, Focus::whole_program()));
    black_box(source.wait_causes(&pairs));
}
