//! The replay of a record keeps the promises, and gives back what was live.

use whyperf_consultant::{DataSource as _, Event, MeasurementId};
use whyperf_experiments::{Record, RecordError, Replay};
use whyperf_model::{Efficiency, Histogram, Interval, Metric, Nanos, Time};

use crate::conformance::{Odd, STEP, STEPS, check, pair, searched, searched_by_phases};
use crate::live;

/// The record of the play, without a search.
fn record() -> Record {
    let (mut source, seen) = live::source();
    while source.next().is_some() {}
    seen.take().record
}

#[test]
fn the_replay_keeps_the_promises() {
    let record = record();
    let (asked, share) = live::hot();
    let mut histogram = Histogram::new(Histogram::DEFAULT_BINS, STEP);
    histogram.add(Interval::new(Time::ZERO, Time(Nanos(STEPS * STEP.0))), 1_000_000);
    let odd = Odd {
        hot: Some((asked.clone(), share)),
        // A record does not say what measuring cost.
        refused: Some(pair(Metric::ObservedCost, "/Process")),
    };
    check(&mut || Replay::new(record.clone(), [(asked.clone(), histogram.clone())]), &odd);
}

#[test]
fn a_search_of_a_record_is_that_of_the_run_to_the_byte() {
    let (source, seen) = live::source();
    let lived = searched(source);
    let bytes = seen.borrow().record.bytes();
    let read = Record::parse(&bytes).expect("it was just written");
    assert_eq!(read, seen.borrow().record);
    assert_eq!(searched(Replay::new(read, [])), lived);
    assert_eq!(searched(Replay::new(record(), [])), lived, "a run that nobody searched");
}

#[test]
fn the_phases_of_a_record_are_those_of_the_run_to_the_byte() {
    let (source, seen) = live::source();
    let lived = searched_by_phases(source);
    let record = seen.take().record;
    let read = Record::parse(&record.bytes()).expect("it was just written");
    assert_eq!(searched_by_phases(Replay::new(read, [])), lived);
    let mut one = Replay::new(record, []).without_phases();
    let told = std::iter::from_fn(|| one.next());
    assert_eq!(told.filter(|event| matches!(event, Event::Phase(..))).count(), 0);
}

#[test]
fn what_ranks_did_is_known_of_a_record_as_it_was_of_the_run() {
    let (mut source, seen) = live::source();
    while source.next().is_some() {}
    let live::Seen { record, efforts: [begun, end] } = seen.take();
    let mut again = Replay::new(record, []);
    let mut at_phase = None;
    while let Some(event) = again.next() {
        if matches!(event, Event::Phase(..)) {
            at_phase = again.efforts();
        }
    }
    assert_eq!((at_phase, again.efforts()), (Some(begun.clone()), Some(end.clone())));
    let whole = Efficiency::of(&end).expect("two ranks");
    // They compute for one tenth and nine tenths.
    assert!((whole.load_balance - 0.5 / 0.9).abs() < 0.01 && whole.communication > 0.89, "{end:?}");
    // In the phase they do as before.
    let later = Efficiency::between(&begun, &end).expect("two ranks");
    assert!((later.parallel - 0.5).abs() < 0.01, "{begun:?} {end:?}");
}

#[test]
fn without_functions_code_is_known_where_it_calls_only() {
    let hot = live::hot().0;
    let mut known = Histogram::new(Histogram::DEFAULT_BINS, STEP);
    known.add(Interval::new(Time::ZERO, Time(Nanos(STEPS * STEP.0))), 1_000_000);
    let mut source = Replay::new(record(), [(hot.clone(), known)]).without_functions();
    source.start(MeasurementId(0), &hot);
    let told = std::iter::from_fn(|| source.next());
    let samples = told.filter_map(|event| match event {
        Event::Sample(_, sample) => Some(sample.amount),
        Event::TooHot(..) => panic!("nothing is known of windows"),
        _ => None,
    });
    assert_eq!(samples.sum::<i64>(), 0, "as in a data source that switches on no function");
}

#[test]
fn a_damaged_record_is_refused_or_goes_to_its_end() {
    let bytes = record().bytes();
    assert_eq!(Record::parse(&[]), Err(RecordError::Damaged));
    // The last byte counts what the first records of this version did not hold.
    for cut in (1..bytes.len()).step_by(97).chain([bytes.len() - 2]) {
        assert_eq!(Record::parse(&bytes[..cut]), Err(RecordError::Damaged), "cut to {cut} bytes");
    }
    let mut random = 7u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(random >> 33).unwrap_or(0) % below
    };
    let mut read = 0;
    for _ in 0..1000 {
        let mut wrong = bytes.clone();
        for _ in 0..=next(3) {
            wrong[next(bytes.len())] ^= u8::try_from(1 + next(255)).expect("a byte");
        }
        // Whatever it says now, it names nothing that is not there.
        if let Ok(record) = Record::parse(&wrong) {
            read += 1;
            let mut source = Replay::new(record, []);
            for (id, part) in (0..).zip(["/Process", "/Process/1", "/Machine/n0"]) {
                source.start(MeasurementId(id), &pair(Metric::SyncWait, part));
                source.start(MeasurementId(id + 10), &pair(Metric::CpuImbalance, part));
            }
            while source.next().is_some() {}
            let _ = (source.efforts(), source.thread_time());
        }
    }
    assert!(read > 0 && read < 1000, "{read} of 1000 still made sense");
}
