//! Models of a thread's counters and timers: what a reader may conclude from them.

use loom::sync::Arc;
use loom::sync::atomic::AtomicU32;
use loom::sync::atomic::Ordering::Relaxed;
use loom::thread;
use whyperf_layout::slot::{self, low, pack};
use whyperf_layout::{
    Head, Messages, Moved, Node, NodeReading, PeerRecord, PeerWriter, SlotReadState, peer,
};

use crate::explore;

const ROOT: u32 = 64;
const CHILD: u32 = 128;
const START: u64 = 0x3_0000_1000;
const BEGUN: u64 = 0x3_0000_1017;
const ENDED: u64 = 0x4_0000_2345;
const LAST: u64 = 0x5_0000_0100;
const MOVED: Moved = Moved { out: 7, r#in: 11 };
const MORE: Moved = Moved { out: 70, r#in: 110 };

/// A slot with a root and one child, the root current since `START`.
#[derive(Default)]
struct Slot {
    head: Head,
    nodes: [Node; 2],
    stamps: [AtomicU32; 2],
}

impl Slot {
    fn new() -> Self {
        let slot = Self::default();
        slot.head.word.store(pack(ROOT, START), Relaxed);
        slot.head.last.store(START, Relaxed);
        slot
    }

    fn begin(&self, now: u64) {
        slot::begin(&self.head, &self.nodes[0], &self.stamps[0], CHILD, now);
    }

    fn end(&self, now: u64, moved: Moved) {
        slot::end(&self.head, &self.nodes[1], &self.stamps[1], ROOT, now, moved);
    }

    /// Time in the nodes, as a reader sees it.
    fn time(&self) -> u64 {
        self.nodes.iter().map(|node| node.exclusive.load(Relaxed)).sum()
    }

    /// Time in the nodes, read before the word, is never more than has passed at the word.
    fn check_time(&self, clock: u64) {
        let time = self.time();
        let since = SlotReadState::default().open(&self.head, clock).since;
        assert!(time <= since - START, "{time:#x} in the nodes, open since {since:#x}");
    }
}

/// Runs writer and reader.
fn model(writer: fn(&Slot), reader: fn(&Slot)) {
    explore(Slot::new, writer, reader);
}

#[test]
fn a_begin_is_never_counted_twice() {
    model(|slot| slot.begin(BEGUN), |slot| slot.check_time(BEGUN));
}

#[test]
fn an_end_is_never_counted_twice() {
    model(|slot| slot.end(ENDED, MOVED), |slot| slot.check_time(ENDED));
}

#[test]
fn a_pair_is_never_counted_twice() {
    model(
        |slot| {
            slot.begin(BEGUN);
            slot.end(ENDED, MOVED);
        },
        |slot| slot.check_time(ENDED),
    );
}

#[test]
fn a_node_is_never_torn() {
    model(
        |slot| {
            slot.end(ENDED, MOVED);
            slot.end(LAST, MORE);
        },
        |slot| {
            let first = NodeReading { visits: 1, exclusive: ENDED - START, moved: MOVED };
            let both = NodeReading {
                visits: 2,
                exclusive: LAST - START,
                moved: Moved { out: 77, r#in: 121 },
            };
            if let Some(read) = slot.nodes[1].read() {
                assert!([NodeReading::default(), first, both].contains(&read), "torn: {read:?}");
            }
        },
    );
}

#[test]
fn a_noted_node_is_never_torn() {
    model(
        |slot| {
            for (now, moved) in [(ENDED, MOVED), (LAST, MORE)] {
                slot::note(&slot.nodes[1], &slot.stamps[1], now, |_, _| moved);
            }
        },
        |slot| {
            let reading = |visits, moved| NodeReading { visits, exclusive: 0, moved };
            if let Some(read) = slot.nodes[1].read() {
                let seen = [NodeReading::default(), reading(1, MOVED), reading(2, MORE)];
                assert!(seen.contains(&read), "torn: {read:?}");
            }
        },
    );
}

#[test]
fn a_stamp_promises_its_change() {
    model(
        |slot| slot.end(ENDED, MOVED),
        |slot| {
            if slot::stamped(&slot.stamps[1]) == low(ENDED) {
                let whole = NodeReading { visits: 1, exclusive: ENDED - START, moved: MOVED };
                assert_eq!(slot.nodes[1].read(), Some(whole));
            }
        },
    );
}

#[test]
fn a_stamp_promises_its_messages() {
    const SENT: Messages = Messages { number: 1, bytes: 8, ticks: 30 };
    const RECEIVED: Messages = Messages { number: 2, bytes: 70, ticks: 500 };
    let write = |(record, stamp): &(PeerRecord, AtomicU32)| {
        PeerWriter::new(record, stamp).add_sent(SENT);
        PeerWriter::new(record, stamp).add_received(RECEIVED);
    };
    explore(Default::default, write, |(record, stamp)| {
        let seen = peer::stamped(stamp);
        assert!(seen < 1 || record.sent() == SENT);
        assert!(seen < 2 || record.received() == RECEIVED);
    });
}

#[test]
fn a_slot_called_unchanged_had_been_read_whole() {
    read_before_called_unchanged(|slot| slot.begin(BEGUN));
}

#[test]
fn a_recovered_slot_called_unchanged_had_been_read_whole() {
    read_before_called_unchanged(|slot| {
        // An event that is left by a jump after its segment was closed.
        slot.head.word.store(pack(CHILD, BEGUN), Relaxed);
        slot.nodes[0].exclusive.store(BEGUN - START, Relaxed);
        slot::recover(&slot.head, BEGUN);
    });
}

/// Unchanged twice until after the writer's end: its segment was there before the nodes were read.
fn read_before_called_unchanged(writer: fn(&Slot)) {
    loom::model(move || {
        let slot = Arc::new(Slot::new());
        let writer = thread::spawn({
            let slot = slot.clone();
            move || writer(&slot)
        });
        let reader = thread::spawn({
            let slot = slot.clone();
            move || {
                let mut watch = SlotReadState::default();
                watch.unchanged(&slot.head);
                let time = slot.time();
                (watch.unchanged(&slot.head).then_some(time), watch)
            }
        });
        writer.join().unwrap();
        let (time, mut watch) = reader.join().unwrap();
        if let Some(time) = time
            && watch.unchanged(&slot.head)
        {
            assert_eq!(time, BEGUN - START);
        }
    });
}
