//! What is cut, changed or something else is told, and never read as if it were right.

use std::fs;

use proptest::prelude::*;
use whyperf_experiments::{TraceError, TraceFile};

use crate::events::{Place, traces};

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]

    #[test]
    fn a_cut_file_is_told((ranks, events) in traces(), keep in 0.0..1.0_f64) {
        let place = Place::new("cut");
        place.write(ranks, &events);
        let bytes = fs::read(&place.0).expect("readable");
        fs::write(&place.0, &bytes[..(bytes.len() as f64 * keep) as usize]).expect("writable");
        let is_told = |error: &TraceError| {
            matches!(error, TraceError::Cut { .. } | TraceError::NoTrace { .. })
        };
        prop_assert!(place.read().is_err_and(|error| is_told(&error)));
    }

    #[test]
    fn a_changed_byte_is_told((ranks, events) in traces(), at in 0.0..1.0_f64, by in 1_u8..255) {
        let place = Place::new("changed");
        place.write(ranks, &events);
        let mut bytes = fs::read(&place.0).expect("readable");
        let at = (bytes.len() as f64 * at) as usize;
        bytes[at] ^= by;
        fs::write(&place.0, &bytes).expect("writable");
        prop_assert!(place.read().is_err());
    }

    #[test]
    fn any_bytes_are_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let place = Place::new("any");
        let mut all = b"whyperf trace\0\x01".to_vec();
        all.extend(&bytes);
        fs::write(&place.0, &all).expect("writable");
        prop_assert!(place.read().is_err());
    }
}

#[test]
fn what_is_no_trace_is_told_by_name() {
    let place = Place::new("none");
    let said = |place: &Place| TraceFile::open(&place.0).expect_err("it is no trace").to_string();
    assert!(said(&place).starts_with("cannot read the trace "), "{}", said(&place));
    fs::write(&place.0, "#!/bin/sh\necho this is something else\n").expect("writable");
    assert!(said(&place).contains("is no trace of whyperf"), "{}", said(&place));
    fs::write(&place.0, b"whyperf trace\0\x09 from the future").expect("writable");
    assert!(said(&place).contains("has version 9"), "{}", said(&place));
    let folder = Place(std::env::temp_dir());
    let folder = std::mem::ManuallyDrop::new(folder);
    assert!(said(&folder).contains("is no trace of whyperf"), "{}", said(&folder));
}

#[test]
fn a_block_that_is_damaged_is_named_with_its_rank() {
    let place = Place::new("block");
    let barrier = whyperf_extrapolate::Event::Barrier(whyperf_extrapolate::CommId::WORLD);
    place.write(2, &[(0, barrier), (1, barrier), (1, barrier)]);
    let mut bytes = fs::read(&place.0).expect("readable");
    bytes[17] = 0xff;
    fs::write(&place.0, &bytes).expect("writable");
    let said = place.read().expect_err("it is damaged").to_string();
    assert!(said.ends_with("block 0 of rank 1 cannot be read; make it again"), "{said}");
}
