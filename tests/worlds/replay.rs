//! The replay of a record keeps the promises, and gives back what was live.

use whyperf_consultant::World as _;
use whyperf_experiments::{Record, Replay};

use crate::conformance::{check, searched};
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
    check(&mut || Replay::new(record.clone(), []));
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
