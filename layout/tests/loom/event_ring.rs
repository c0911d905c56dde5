//! The ring of traced events: what a reader takes is whole, in order and new, and what it missed is counted.

use loom::sync::Arc;
use loom::thread;
use whyperf_layout::event_ring::{EventRing, RING_VERSION, RingEntry};
use whyperf_layout::sync::Ordering;

fn entry(number: u64) -> RingEntry {
    RingEntry { what: 100 + number, word: 200 + number }
}

/// A reader looks twice while more entries are written than the ring has.
#[test]
fn traced_events_are_whole_or_counted() {
    loom::model(|| {
        let ring = Arc::new(EventRing::empty());
        let writer = thread::spawn({
            let ring = ring.clone();
            move || (0..3).for_each(|number| ring.record(entry(number)))
        });
        let reader = thread::spawn(move || {
            let (mut next, mut room) = (0, [RingEntry::default(); 2]);
            for _ in 0..2 {
                let drained = ring.drain(next, &mut room);
                let first = next + drained.lost;
                for (number, taken) in (first..).zip(&room[drained.taken.clone()]) {
                    assert_eq!(*taken, entry(number));
                }
                assert_eq!(first + drained.taken.len() as u64, drained.next);
                next = drained.next;
            }
        });
        writer.join().unwrap();
        reader.join().unwrap();
    });
}

#[test]
fn a_ready_ring_has_its_head() {
    loom::model(|| {
        let ring = Arc::new(EventRing::empty());
        let writer = thread::spawn({
            let ring = ring.clone();
            move || {
                ring.head.version.store(RING_VERSION, Ordering::Relaxed);
                ring.head.publish();
            }
        });
        let reader = thread::spawn(move || {
            if ring.head.is_published() {
                assert_eq!(ring.head.version.load(Ordering::Relaxed), RING_VERSION);
            }
        });
        writer.join().unwrap();
        reader.join().unwrap();
    });
}
