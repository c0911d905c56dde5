//! The replay of a record keeps the promises, and gives back what was live.

use whyperf_consultant::{Event, World as _};
use whyperf_experiments::{Record, Replay};
use whyperf_model::{Histogram, Interval, Metric, Nanos, Time};

use crate::conformance::{Odd, STEP, STEPS, check, pair, searched, searched_by_phases};
use crate::live;

/// The record of the play, watched by nobody.
fn record() -> Record {
    let (mut world, record) = live::world();
    while world.next().is_some() {}
    record.take()
}

#[test]
fn the_replay_keeps_the_promises() {
    let record = record();
    let (asked, share) = live::hot();
    let mut histogram = Histogram::new(Histogram::DEFAULT_BINS, STEP);
    histogram.add(Interval::new(Time::ZERO, Time(Nanos(STEPS * STEP.0))), 1_000_000);
    let odd = Odd {
        hot: Some((asked.clone(), share)),
        // Nobody keeps what measuring cost.
        refused: Some(pair(Metric::ObservedCost, "/Process")),
    };
    check(&mut || Replay::new(record.clone(), [(asked.clone(), histogram.clone())]), &odd);
}

#[test]
fn a_search_of_a_record_is_that_of_the_run_to_the_byte() {
    let (world, record) = live::world();
    let lived = searched(world);
    let bytes = record.borrow().bytes();
    let read = Record::parse(&bytes).expect("it was just written");
    assert_eq!(read, *record.borrow());
    assert_eq!(searched(Replay::new(read, [])), lived);
    assert_eq!(searched(Replay::new(self::record(), [])), lived, "a run that nobody searched");
}

#[test]
fn the_phases_of_a_record_are_those_of_the_run_to_the_byte() {
    let (world, record) = live::world();
    let lived = searched_by_phases(world);
    let read = Record::parse(&record.borrow().bytes()).expect("it was just written");
    assert_eq!(searched_by_phases(Replay::new(read, [])), lived);
    let mut one = Replay::new(record.take(), []).without_phases();
    let told = std::iter::from_fn(|| one.next());
    assert_eq!(told.filter(|event| matches!(event, Event::Phase(..))).count(), 0);
}

#[test]
fn a_damaged_record_is_refused() {
    let bytes = record().bytes();
    assert_eq!(Record::parse(&[]), None);
    for cut in [1, 10, bytes.len() / 2, bytes.len() - 1] {
        assert_eq!(Record::parse(&bytes[..cut]), None, "cut to {cut} bytes");
    }
    for at in (0..bytes.len().min(4000)).step_by(29) {
        let mut wrong = bytes.clone();
        wrong[at] ^= 0x55;
        // Whatever it says now, it names nothing that is not there.
        if let Some(record) = Record::parse(&wrong) {
            let mut world = Replay::new(record, []);
            while world.next().is_some() {}
        }
    }
}
