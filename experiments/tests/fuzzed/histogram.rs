//! Reads a stored histogram of any bytes, as the store does when it is asked for one.

use std::hint::black_box;

use whyperf_experiments::{Measurement, Progress, StoreError};
use whyperf_model::{Focus, Histogram, Interval, Metric, Nanos, Pair, Time};

use crate::stage::Stage;

/// The store holds these bytes as a histogram.
pub(crate) fn feed(bytes: &[u8]) {
    thread_local!(static STAGE: Stage = stage());
    STAGE.with(|stage| read(stage, bytes));
}

/// A store of one run with one histogram in two parts.
fn stage() -> Stage {
    let part = |part| Measurement { pair: pair(), part, histogram: Histogram::new(16, Nanos(10)) };
    let histograms = vec![part(0), part(1)];
    Stage::new(&Progress { histograms, ..Progress::default() })
}

fn read(stage: &Stage, bytes: &[u8]) {
    stage.put("UPDATE histogram SET bins = $1 WHERE part = 1", bytes);
    match stage.store.histogram(&stage.run, &pair()) {
        Ok(histogram) => {
            let mut histogram = histogram.expect("there is one");
            let some = Interval::new(Time(Nanos(3)), Time(Nanos(99)));
            black_box((histogram.whole(), histogram.reading(some), histogram.known_until()));
            histogram.fold();
        }
        Err(error) => assert!(matches!(error, StoreError::Damaged { .. }), "{error}"),
    }
}

fn pair() -> Pair {
    Pair::new(Metric::SyncWait, Focus::whole_program())
}
