//! Models of the daemon's mappings: which address the SIGBUS handler takes for one.

use crate::explore;
use crate::registration::Registration;

const LOW: usize = 0x4000;
const HIGH: usize = 0x10_0000;
const PAGE: usize = 0x1000;

#[test]
fn a_beginning_comes_with_its_end() {
    let make = || {
        let place = Registration::default();
        assert!(place.claim());
        place.publish(HIGH, PAGE);
        place.free();
        place
    };
    let map = |place: &Registration| {
        assert!(place.claim());
        place.publish(LOW, PAGE);
    };
    explore(make, map, |place| assert!(!place.covers(LOW + PAGE)));
}

#[test]
fn an_end_comes_with_its_beginning() {
    let make = || {
        let place = Registration::default();
        assert!(place.claim());
        place.publish(LOW, PAGE);
        place
    };
    let map_anew = |place: &Registration| {
        place.free();
        assert!(place.claim());
        place.publish(HIGH, PAGE);
    };
    explore(make, map_anew, |place| assert!(!place.covers(LOW + PAGE)));
}
