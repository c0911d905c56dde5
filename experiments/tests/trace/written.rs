//! What is written is read again: events of each rank in their order, and the tables.

use proptest::prelude::*;
use whyperf_experiments::TraceFile;
use whyperf_extrapolate::{Event, Rank, RegionId, SimTime};

use crate::events::{Place, about, by_rank, head, traces};

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    #[test]
    fn events_are_read_as_they_were_written((ranks, events) in traces()) {
        let place = Place::new("written");
        place.write(ranks, &events);
        let trace = TraceFile::open(&place.0).expect("it is whole");
        prop_assert_eq!((trace.about(), trace.head()), (&about(), &head(ranks)));
        prop_assert_eq!(trace.events(), events.len() as u64);
        prop_assert_eq!(place.read().expect("it is whole"), by_rank(ranks, &events));
    }
}

#[test]
fn ranks_are_read_side_by_side_from_many_blocks() {
    let place = Place::new("many");
    let event =
        |at: u32| Event::Compute { region: RegionId(at % 3), span: SimTime::nanos(f64::from(at)) };
    let events: Vec<(u32, Event)> = (0..60_000).map(|at| (at % 3, event(at))).collect();
    place.write(3, &events);
    let trace = TraceFile::open(&place.0).expect("it is whole");
    let mut ranks = trace.all_ranks();
    let read = (0..60_000).map(|at| (at % 3, ranks[at as usize % 3].next().expect("it is there")));
    assert_eq!(read.collect::<Vec<_>>(), events);
    assert!(ranks.iter_mut().all(|rank| rank.next().is_none()));
    let size = std::fs::metadata(&place.0).expect("it is there").len();
    assert!(size < 60_000 * 8, "{size} bytes for 60,000 events");
    assert!(trace.rank(Rank(3)).next().is_none());
}
